"""What in a text can be an answer, by a pipeline of spaCy."""

import os
import subprocess
import sys

import pytest

from factable.errors import DataError, UsageError
from factable.metrics.questeval.phrases import LIGHT, phrase_finder, phrases_identity
from factable.text.answers import answer_spans

TEXT = "Ada Lovelace met the old man in London."


@pytest.fixture(scope="module")
def spacy():
    return pytest.importorskip("spacy")


def make_pipeline(spacy, folder, *names):
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "NAME", "pattern": name} for name in names])
    pipeline.to_disk(folder)
    return str(folder)


def found(name, text=TEXT):
    return [text[start:end] for start, end in phrase_finder(name)(text)]


def test_light_is_our_own():
    assert phrase_finder(LIGHT)(TEXT) == answer_spans(TEXT)


@pytest.mark.packages
def test_entities_of_a_pipeline_without_a_parser(spacy, tmp_path):
    name = make_pipeline(spacy, tmp_path / "pipeline", "Ada Lovelace", "London")
    assert found(name) == ["Ada Lovelace", "London"]
    assert found(name, "") == []


@pytest.mark.packages
def test_noun_chunks_come_after_entities(spacy, tmp_path):
    from spacy.language import Language
    from spacy.tokens import Doc

    @Language.component("a_parse_by_hand")
    def parse(doc):
        heads = [1, 2, 2, 5, 5, 2, 2, 6, 2]
        labels = ["compound", "nsubj", "ROOT", "det", "amod", "dobj", "prep", "pobj", "punct"]
        kinds = ["PROPN", "PROPN", "VERB", "DET", "ADJ", "NOUN", "ADP", "PROPN", "PUNCT"]
        words = [token.text for token in doc]
        made = Doc(
            doc.vocab, words=words, spaces=[True] * 7 + [False] * 2, heads=heads, deps=labels, pos=kinds
        )
        made.ents = [made.char_span(0, 12, label="NAME")]
        return made

    pipeline = spacy.blank("en")
    pipeline.add_pipe("a_parse_by_hand")
    pipeline.to_disk(tmp_path / "pipeline")
    # What is both is there twice.
    assert found(str(tmp_path / "pipeline")) == ["Ada Lovelace", "Ada Lovelace", "the old man", "London"]


@pytest.mark.packages
def test_the_identity_follows_the_files(spacy, tmp_path):
    one = make_pipeline(spacy, tmp_path / "one", "London")
    other = make_pipeline(spacy, tmp_path / "other", "Ada")
    before = phrases_identity(one)
    assert before != phrases_identity(other)
    assert found(one) == ["London"]
    make_pipeline(spacy, tmp_path / "one", "man")
    assert phrases_identity(one) != before
    assert found(one) == ["man"]


@pytest.mark.packages
@pytest.mark.usefixtures("spacy")
def test_what_is_no_pipeline_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no pipeline 'en_no_such' of spaCy; name a folder, or install one"):
        phrase_finder("en_no_such")
    with pytest.raises(DataError, match="no pipeline that can be loaded") as caught:
        phrase_finder(str(tmp_path))(TEXT)
    assert "\n" not in str(caught.value)


def test_without_the_extra_its_install_line_is_named():
    # A finder of packages that knows no spaCy.
    script = (
        "import importlib.metadata as metadata, sys\n"
        "known = metadata.version\n"
        "def version(name):\n"
        "    if name == 'spacy':\n        raise metadata.PackageNotFoundError(name)\n"
        "    return known(name)\n"
        "metadata.version = version\n"
        "from factable.metrics.questeval.phrases import phrase_finder\n"
        "try:\n    phrase_finder('en_core_web_sm')\nexcept Exception as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ))
    line = (
        "pipeline 'en_core_web_sm' needs the extra 'spacy'; install it with: pip install 'factable[spacy]'\n"
    )
    assert run.stdout == line, run.stderr
