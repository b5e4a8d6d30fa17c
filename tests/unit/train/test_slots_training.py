"""A draft of a pattern file has the values and frequent paraphrases, and can be used as it is."""

from factable.metrics.slots.patterns import load_patterns
from factable.train.slots import draft_patterns
from factable.types import Example, Record, Table


def example(number, price, text):
    table = Table((Record("", "name", f"Place {number}"), Record("", "price range", price)))
    return Example(str(number), "", "", table, (text.format(f"Place {number}"),))


def test_values_paraphrases_and_names(tmp_path):
    texts = [
        *(("low", "{} is cheap food."), ("low", "{} has low prices."), ("high", "{} is costly food.")) * 20,
        *[("high", "{} has high prices.")] * 3,
    ]
    examples = [example(number, *text) for number, text in enumerate(texts)]
    draft, slots = draft_patterns(examples)
    assert slots == 2
    path = tmp_path / "draft.toml"
    path.write_text(draft, encoding="utf-8")
    patterns = load_patterns(str(path))
    assert patterns.by_slot["price range"]["low"].search("It is cheap!")
    assert not patterns.by_slot["price range"]["low"].search("It is costly food.")
    assert patterns.by_slot["price range"]["high"].search("It is costly food.")
    assert patterns.by_slot["name"]["Place 7"].search("at Place 7")
    assert '"price range"' in draft
