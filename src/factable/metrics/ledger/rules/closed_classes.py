"""Words of which a thing is one or the other: a walnut clock is no mahogany clock, a beginner no expert.

A text that leaves out the word of the data, and has another of its class that the data does not have, is
wrong there.
"""

import re
from collections.abc import Iterator, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.structure import Leaf
from factable.text.stems import beginning
from factable.text.templates import clean_value, split_identifier
from factable.text.values.words import split_words
from factable.types import Span

# Each class begins with the words of keys that it needs ("*" for any); members joined by "=" mean the same.
_CLASSES = """
* | black white grey=gray red blue green yellow orange purple=violet pink brown beige turquoise=teal navy
    maroon=burgundy ivory=cream charcoal
* | oak walnut mahogany pine beech birch maple cherry teak cedar spruce bamboo ebony rosewood elm larch
* | steel aluminium=aluminum brass copper iron titanium bronze zinc
* | cotton wool=woollen silk linen polyester leather suede denim cashmere nylon velvet
* | marble granite limestone sandstone slate concrete brick
* | petrol=gasoline diesel hydrogen
* | vegan pescatarian
* | hardcover=hardback paperback=softcover
difficulty level skill grade experience proficiency |
    beginner=beginners=novice=novices=easy=simple intermediate=moderate=medium
    advanced=expert=experts=hard=difficult=challenging=strenuous
transmission gearbox | manual automatic
frequency interval billing cycle schedule period recurrence |
    hourly daily weekly=week fortnightly=biweekly monthly=month quarterly=quarter yearly=annual=annually=year
season | spring summer autumn=fall winter
direction facing aspect orientation wind |
    north=northern=northerly south=southern=southerly east=eastern=easterly west=western=westerly
    northwest northeast southwest southeast
size | small medium large
fuel engine drive powertrain | petrol=gasoline diesel electric hybrid hydrogen
furnishing furnished | furnished unfurnished
employment contract | permanent temporary=fixed freelance
roast | light medium dark
priority severity urgency risk importance impact threat |
    low=minor medium=moderate=normal high=major=severe critical=urgent
class cabin fare | economy business premium first
delivery shipping | standard express overnight
heating | gas oil electric=electricity pellet=pellets wood district
species animal pet kind | dog=puppy cat=kitten rabbit hamster parrot horse pony
sex gender | male=man=boy female=woman=girl
property type kind category listing | apartment=flat house studio villa bungalow townhouse cottage
vessel ship type kind category | tanker ferry freighter=cargo trawler tug yacht bulk=bulker container
position role | goalkeeper defender midfielder forward=striker
side eye ear knee arm leg | left right
process processing method | washed natural honey
shape | round=circular square oval rectangular triangular
lens lenses | single progressive=varifocal bifocal
payment method paid | cash card=credit=debit paypal invoice transfer
spice heat spiciness | mild medium hot
texture | smooth crunchy
"""
# Words that may be said of anything in front of "to": "easy to reach".
_USED_OTHERWISE = re.compile(r"\s(?:to|enough|on|with|time|days?|light|wine|room|house)\b", re.IGNORECASE)


class _Class:
    """The members of a class, by what they mean, and the words of keys that the class needs."""

    def __init__(self, keys: str, members: str) -> None:
        self.keys = frozenset() if keys.strip() == "*" else frozenset(keys.split())
        self.meaning = {
            word: group.partition("=")[0] for group in members.split() for word in group.split("=")
        }


_ALL = [_Class(*line.split("|")) for line in re.split(r"\n(?! )", _CLASSES.strip())]


def closed_classes(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every word of a class of which the data has another, and the text does not."""
    if not matcher.is_plain:
        return []
    said = {word.folded for word in matcher.parsed.words}
    sentences = Spans(sentence_spans)
    found: list[Checked] = []
    for each in _ALL:
        words = [word for word in matcher.parsed.words if word.folded in each.meaning]
        if not words:
            continue
        for leaf in matcher.structure.leaves:
            own = _members(leaf, each)
            if not own or any(each.meaning.get(word) in own for word in said):
                continue
            spans = [(word.start, word.end) for word in words if _is_other(matcher, word.folded, each)]
            found += _wrong(matcher, leaf, spans, sentences)
            break
    return found


def _members(leaf: Leaf, each: _Class) -> frozenset[str]:
    """What a value is in a class; empty if it is in none, or its key does not speak of the class."""
    keys = set(split_identifier(" ".join(leaf.keys)).lower().split())
    if leaf.kind != "value" or (each.keys and not keys & each.keys):
        return frozenset()
    words = [word.folded for word in split_words(clean_value(leaf.value))]
    return frozenset(each.meaning[word] for word in words if word in each.meaning)


def _is_other(matcher: Matcher, word: str, each: _Class) -> bool:
    """Whether the data has none of the words that mean the same; where keys tell the class, no value."""
    same = [other for other, meaning in each.meaning.items() if meaning == each.meaning[word]]
    if each.keys:
        values = [leaf.value for leaf in matcher.structure.leaves]
        words = {folded.folded for value in values for folded in split_words(clean_value(value))}
        return words.isdisjoint(same)
    return not any(beginning(other) in matcher.data_words for other in same)


def _wrong(matcher: Matcher, leaf: Leaf, spans: Sequence[Span], sentences: Spans) -> Iterator[Checked]:
    for span in spans:
        inside = sentences.contain((span[0], span[0] + 1))
        is_meant = matcher.scope_score(leaf.index, matcher.scope(*span)) >= 0.5
        if inside and is_meant and not _USED_OTHERWISE.match(matcher.parsed.text, span[1]):
            yield Checked(span, "contradicted", (leaf.index,), f"{leaf.label}: {leaf.value}")
            return
