"""BERTScore with the embedded encoder: meaning, weights, long texts, and numbers that stand alone."""

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from factable.core.signature import sign
from factable.errors import DataError, UsageError
from factable.metrics.bertscore import Bertscore
from factable.models import token_encoder
from factable.models.encoder import SCALE, embed
from factable.models.runtime.manifest import MODEL, embedded_folder
from factable.models.token_encoder import encode_tokens, load_token_encoder
from factable.models.token_similarity import NOTHING, count_tokens, token_similarity
from factable.types import Example, Table

REFERENCES = ("Ada was born in London.", "London is the birth place of Ada.")
WHOLE = Example("1", "a", "Ada's birth place is London.", Table(()), REFERENCES)
OTHER = Example("2", "a", "Bananas are yellow.", Table(()), ("The fruit is yellow.",))
PAIRS = [
    ("Ada was born in London.", "Ada was born in London."),
    ("London", "Paris"),
    ("", "Paris"),
    ("Paris", " \n"),
    ("ADA  was born", "ada was born"),
    ("Ada \ud83d", "Ada was here " * 200),
]


@pytest.fixture(scope="module")
def found():
    return token_similarity(PAIRS)


def test_equal_tokens_have_one_and_blank_sides_nothing(found):
    assert found[0] == found[4] == (1.0, 1.0, 1.0)
    assert 0 < found[1].f < 1
    assert found[2] == found[3] == NOTHING


def test_texts_of_the_same_meaning_are_more_alike():
    alike, unlike = Bertscore().score([WHOLE, replace(WHOLE, text=OTHER.text)]).values
    assert alike > 0.7 > 0.5 > unlike


def test_numbers_depend_neither_on_neighbours_nor_on_threads_nor_on_what_is_kept(found, monkeypatch):
    monkeypatch.setattr(token_encoder, "_cached", {})
    monkeypatch.setenv("FACTABLE_THREADS", "3")
    assert [token_similarity([pair])[0] for pair in PAIRS] == found
    assert token_similarity(PAIRS[::-1] * 3)[: len(PAIRS)] == found[::-1]


def test_what_is_kept_stays_below_its_limit(monkeypatch):
    monkeypatch.setattr(token_encoder, "_cached", {})
    monkeypatch.setattr(token_encoder, "_cached_bytes", 0)
    monkeypatch.setattr(token_encoder, "MAX_CACHED_BYTES", 20_000)
    for number in range(40):
        encode_tokens("embed", [f"text {number}"])
        kept = sum(points.nbytes for points in token_encoder._cached.values())
        assert kept == token_encoder._cached_bytes <= 20_000
    encode_tokens("embed", ["a long text " * 50])
    assert sum(points.nbytes for points in token_encoder._cached.values()) <= 20_000


def test_a_text_is_encoded_once(monkeypatch):
    asked = []
    encoder = load_token_encoder("embed")
    states = encoder.states
    monkeypatch.setattr(token_encoder, "_cached", {})
    monkeypatch.setattr(encoder, "states", lambda windows: asked.extend(windows) or states(windows))
    systems = [replace(WHOLE, system=str(number)) for number in range(5)]
    Bertscore().score(systems)
    Bertscore(value="recall").score(systems)
    assert len(asked) == len(set(asked)) == 3


def test_states_of_the_last_layer_are_those_whose_mean_is_the_embedding():
    """The graph that ranking runs gives the mean; that with one more output gives what it is the mean of."""
    (text,) = REFERENCES[:1]
    encoder = load_token_encoder("embed")
    (window,) = encoder.read(text)
    (states,) = encoder.states([window.ids])
    mean = states.mean(axis=0, dtype=np.float64)
    assert np.rint(mean / np.linalg.norm(mean) * SCALE) == pytest.approx(embed("embed", [text])[0], abs=1)


def test_layers_differ_and_there_are_six():
    values = {layer: Bertscore(layer=layer).score([WHOLE]).values[0] for layer in range(1, 7)}
    assert len(set(values.values())) == 6
    assert values[load_token_encoder("embed").layer] == Bertscore().score([WHOLE]).values[0]
    for layer in (0, 7):
        with pytest.raises(UsageError, match=f"no layer {layer} in embed; it has layers 1 to 6"):
            Bertscore(layer=layer).score([WHOLE])


def test_all_of_a_long_text_counts_and_the_package_cuts_it():
    long = " ".join(f"Town {number} is near a river." for number in range(80))
    whole, cut = (encode_tokens("embed", [long], truncate=cut)[long] for cut in (False, True))
    assert len(cut.ids) == 256 < len(whole.ids)
    (at_the_end,) = (
        Bertscore().score([replace(WHOLE, text="Ada", references=(f"{long} Ada",))]).parts["precision"]
    )
    (cut_off,) = (
        Bertscore(compat="bert_score")
        .score([replace(WHOLE, text="Ada", references=(f"{long} Ada",))])
        .parts["precision"]
    )
    assert at_the_end > cut_off


def test_rare_tokens_weigh_more(tmp_path):
    rarity = count_tokens("embed", ["the a", "the b", "the c c"])
    ids = {word: load_token_encoder("embed").read(word)[0].ids[1] for word in ("the", "c", "zebra")}
    weights = rarity.weights(np.array([ids["zebra"], ids["the"], ids["c"], ids["c"]]))
    assert weights == pytest.approx([math.log(4), 0, math.log(2), math.log(2)])
    # A common word that is wrong costs less, a rare one more.
    path = tmp_path / "train.jsonl"
    path.write_text(
        "".join(f'{{"id": "{n}", "data": [], "references": ["Ada is {n}"]}}\n' for n in range(30))
    )
    example = replace(WHOLE, text="Ada sells engines", references=("Ada is engines",))
    plain, weighted = (Bertscore(idf=idf).score([example]).parts["recall"][0] for idf in ("", str(path)))
    assert weighted > plain


def test_references_that_systems_share_are_as_rare_as_those_of_one():
    metric = Bertscore(idf="references")
    assert metric.corpus
    examples = [WHOLE, OTHER, replace(WHOLE, system="b"), replace(WHOLE, system="c")]
    assert metric.score(examples).values[:2] == metric.score(examples[:2]).values
    # The package counts each reference as often as it is given.
    package = Bertscore(idf="references", compat="bert_score")
    assert package.score(examples).values[:2] != package.score(examples[:2]).values


def test_where_no_token_has_weight_all_count_the_same():
    alone = replace(WHOLE, text=REFERENCES[0], references=REFERENCES[:1])
    assert Bertscore(idf="references").score([alone]).values[0] == 1.0


def test_odd_input():
    blank, none, half = (replace(WHOLE, references=texts) for texts in (("", " "), (), ("", REFERENCES[0])))
    scores = Bertscore().score([replace(WHOLE, text=" \n"), blank, none, half])
    assert scores.values[0] == 0
    assert [found[0].note for found in scores.findings[1:3]] == ["no references"] * 2
    assert scores.values[3] == Bertscore().score([replace(WHOLE, references=REFERENCES[:1])]).values[0]


def test_value_and_baseline(tmp_path):
    path = tmp_path / "baseline.csv"
    path.write_text("LAYER,P,R,F\n6,0.2,0.4,0.5\n")
    raw = Bertscore().score([WHOLE]).parts
    scaled = Bertscore(baseline=str(path), value="recall", layer=6)
    scores = scaled.score([WHOLE, replace(WHOLE, text="")])
    expected = [(raw[part][0] - low) / (1 - low) for part, low in zip(raw, (0.2, 0.4, 0.5), strict=True)]
    assert [column[0] for column in scores.parts.values()] == pytest.approx(expected)
    assert scores.values[0] == scores.parts["recall"][0]
    assert scores.values[1] == pytest.approx(-0.4 / 0.6)
    assert scaled.bounds == (-math.inf, 1.0)
    with pytest.raises(DataError, match="no row for layer 2; name a baseline of this model"):
        replace(scaled, layer=2).score([WHOLE])
    path.write_text("LAYER,P,R,F\n6,0.2,1,0.5\n")
    with pytest.raises(DataError, match="not a baseline file"):
        scaled.score([WHOLE])


def test_signature_and_refusals(tmp_path):
    assert "bertscore|model:embed@" in sign(Bertscore())
    for options in ({"value": "g"}, {"layer": -1}, {"layer": True}, {"model": 3}, {"compat": "x"}):
        with pytest.raises(UsageError):
            Bertscore(**options)
    with pytest.raises(UsageError, match="no model 'embd'; did you mean 'embed'"):
        Bertscore(model="embd").score([WHOLE])
    folder = shutil.copytree(embedded_folder("embed"), tmp_path / "damaged")
    (folder / MODEL).write_bytes((folder / MODEL).read_bytes()[:-1])
    with pytest.raises(DataError, match="damaged"):
        Bertscore(model=str(folder)).score([WHOLE])
