"""Sentences: where they end, and where a full stop ends none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable.text.sentences import sentence_spans, split_sentences

SPLIT = {
    "plain": ("Ada was born in London. She liked poetry! Did she? Yes.", 4),
    "no mark at the end": ("Ada was born. She liked poetry", 2),
    "title": ("Dr. Watson met Mr. Holmes and Prof. Moriarty. They talked.", 2),
    "initial": ("J. Watson and J.R.R. Tolkien met. A. A. Milne did not.", 2),
    "place": ("St. Louis and Mt. Everest are far apart. So what.", 2),
    "abbreviated country before a name": ("He joined the U.S. Navy in 1914.", 1),
    "abbreviated country before a sentence": ("He moved to the U.S. He liked it there.", 2),
    "company before a sentence": ("It was bought by Acme Inc. The price was low.", 2),
    "company before a name": ("It was bought by Acme Inc. Berlin in May.", 1),
    "month": ("He came on Jan. 5 and left on Dec. 24. Nobody knew.", 2),
    "number": ("Symphony No. 5 was played. It was loud.", 2),
    "the word no": ("He said no. Then he left.", 2),
    "decimals": ("It rose by 2.5 % to 3.14. In 2010 it fell.", 2),
    "a digit begins": ("It was sold. 12 people saw it.", 2),
    "currency begins": ("It was sold. £12 was paid. $5 came back.", 3),
    "quotes": ('"Where is it?" he asked. "Here!" She laughed. “Good.” ‘So?’ (Yes.) No.', 7),
    "quoted sentence begins": ('He left. "Why?" nobody asked.', 2),
    "mark inside a name": ("Yahoo! is a company. Guess? sells clothes.", 2),
    "ellipsis": ("He waited ... and left... Nobody came.", 2),
    "runs of marks": ("What?! No!!! Yes.", 3),
    "address": ("See www.example.org for more. Version 1.2.3 is out.", 2),
    "lower case": ("ada was born in 1815. she liked poetry. see no. 5.", 3),
    "lower case in other text": ("Ada wrote approx. ten pages. e.g. this one.", 1),
    "other scripts": ("Ада родилась. Она пела. 愛 愛! 愛", 4),
    "spaces": ("  Ada was born.   She\tliked \n poetry.\n\nShe died.  ", 3),
    "lines without marks": ("A title\n\nAda was born.\r\n\r\nAnother title\n \nThe end", 4),
    "one line break": ("Ada was\nborn.", 1),
    "only marks": ("...", 1),
}


@pytest.mark.parametrize(("text", "number"), SPLIT.values(), ids=SPLIT)
def test_number_of_sentences(text, number):
    assert len(split_sentences(text)) == number, split_sentences(text)


def test_sentences_are_without_space_around_them():
    text = " Dr. Who  left. He\n slept.\n\n“So?” "
    assert split_sentences(text) == ["Dr. Who  left.", "He\n slept.", "“So?”"]


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n"])
def test_nothing_has_no_sentences(text):
    assert split_sentences(text) == []
    assert sentence_spans(text) == []


@given(st.text(alphabet="ab A.!?\"'(\n\r\t5é愛") | st.text())
def test_spans_lead_back_to_all_of_the_text(text):
    spans = sentence_spans(text)
    assert [text[start:end] for start, end in spans] == split_sentences(text)
    assert all(start < end for start, end in spans)
    indices = [index for span in spans for index in range(*span)]
    assert indices == sorted(set(indices))
    left_out = set(range(len(text))) - set(indices)
    assert all(text[index].isspace() for index in left_out)


@pytest.mark.parametrize("text", ["." * 200_000, "a." * 100_000, "\n" * 200_000, ". " + " " * 200_000])
def test_long_odd_texts_come_to_an_end(text):
    assert len(sentence_spans(text)) <= 1
