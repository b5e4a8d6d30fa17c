"""Names: how they are written, abbreviated and reordered."""

from collections.abc import Iterator, Sequence

from factable.text.patterns import lazy_pattern
from factable.text.sentences import sentence_spans
from factable.text.values.kinds import Mention, Name, Relation
from factable.text.values.nations import country_named, country_of_people
from factable.text.values.words import Word, split_words

_ARTICLES = frozenset(("the", "a", "an"))
# A qualifier that distinguishes things of the same name, as in "Avatar (film)".
_QUALIFIER = lazy_pattern(r"(?<=\S)\s*\([^()]*\)\s*\Z")
# The same season as 2023/24, 2023–24 and 2023-24.
_SEASON = lazy_pattern(r"((?:19|20)\d\d)[/–-](\d\d)")
_PARTICLE_WORDS = (
    "of the de del della di da dos das du van der den von zu la le les el al bin ibn y e af av op ter for"
)
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
_PREPOSITIONS = frozenset(("of", "in", "at", "on", "for", "from", "near", "with"))
_MAX_PARTICLES = 2
# Words that are capitalised at the start of a sentence without being names.
_OPENING_WORDS = """
the a an this that these those it its he his him she her they their there then we our us you your i my me in
on at as and but or nor so if of by for from to with without into onto over under near about after before
during since until while when where which who whose what how why because although though however also both
each every all some any many most several one no not is are was were be been being has have had do does did
can could will would shall should may might must here now today yet still such other another same like
unlike despite between among within through throughout against along across behind beyond per than
"""
_OPENERS = frozenset(_OPENING_WORDS.split())
# What may stand between two words of a name.
_GAP = lazy_pattern(r"[ \u00a0\n]|-|–|/|\. ?| ?& ?|, (?=[JS]r\b)")
_ABBREVIATION = lazy_pattern(
    r"[A-Z]|St|Mt|Ft|Dr|Mr|Mrs|Ms|Jr|Sr|Prof|Gen|Col|Lt|Sgt|Capt|Rev|Hon|No|Inc|Ltd|Co|Corp"
)


def parse_name(text: str) -> Name:
    """A text as a name, without a leading article or a qualifier in parentheses; underscores are spaces."""
    season = _SEASON.fullmatch(text)
    if season and (int(season[1]) + 1) % 100 == int(season[2]):
        return Name((season[1], season[2]))
    plain = text.replace("_", " ")
    plain = _QUALIFIER.sub("", plain) or plain
    words = split_words(plain)
    comma = sum(word.end <= plain.find(",") for word in words)
    article = len(words) > 1 and words[0].folded in _ARTICLES
    return Name(tuple(word.folded for word in words[article:]), max(0, comma - article))


def word_orders(name: Name) -> list[tuple[str, ...]]:
    """The possible orders of the words of a name: as written, or the part after the comma first."""
    reordered = name.words[name.comma :] + name.words[: name.comma]
    return [name.words] if reordered == name.words else [name.words, reordered]


def compare_names(data: Name, text: Name) -> Relation:
    """How a name in a text compares with one in the data."""
    pairs = [(in_data, in_text) for in_data in word_orders(data) for in_text in word_orders(text)]
    if any(_joined(in_data) == _joined(in_text) for in_data, in_text in pairs):
        return Relation.EQUAL
    shorter = any(_shortens(in_text, in_data) for in_data, in_text in pairs) and _names_the_thing(text, data)
    longer = any(_shortens(in_data, in_text) for in_data, in_text in pairs) and _names_the_thing(data, text)
    shorter, longer = shorter or is_acronym(text, data), longer or is_acronym(data, text)
    if shorter != longer:
        return Relation.COARSER if shorter else Relation.FINER
    if shorter or any(_agree(in_data, in_text) for in_data, in_text in pairs):
        return Relation.INCOMPARABLE
    return _compare_nations(data, text)


def _compare_nations(data: Name, text: Name) -> Relation:
    """The relation of a country to its people, who say a little less: "Italian" may mean from Italy."""
    country, people = country_named(data.words), country_of_people(data.words)
    other_country, other_people = country_named(text.words), country_of_people(text.words)
    if country and country == other_people:
        return Relation.COARSER
    if people and people == other_country:
        return Relation.FINER
    if people and people == other_people:
        # "Italians" is "Italian"; "Spanish" and "Spaniards" are not quite the same.
        same_word = data.words[-1].removesuffix("s") == text.words[-1].removesuffix("s")
        return Relation.EQUAL if same_word else Relation.INCOMPARABLE
    return Relation.EQUAL if country and country == other_country else Relation.DIFFERENT


def is_acronym(short: Name, name: Name) -> bool:
    """Whether a word, or letters with full stops, consist of the first letters of a name or of its head."""
    letters = _joined(short.words)
    if len(letters) < 2 or " " in letters:
        return False
    forms = (name.words, name.words[: name.comma], _head(name))
    return letters in ("".join(word[0] for word in words if word not in _PARTICLES) for words in forms)


def _joined(words: Sequence[str]) -> str:
    """The words, with neighbouring initials joined: U.S. is US, B.M. is B. M."""
    parts: list[str] = []
    last = ""
    for word in words:
        if len(word) == len(last) == 1 and word.isalpha():
            parts[-1] += word
        else:
            parts.append(word)
        last = word if word.isalpha() else ""
    return " ".join(parts)


def _stands_for(short: str, word: str) -> bool:
    return short == word or (len(short) == 1 and short.isalpha() and word.startswith(short))


def _shortens(short: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words, in order and perhaps as initials, are a shorter form of others."""
    if not any(len(word) > 1 and word.isalpha() and word not in _PARTICLES for word in short):
        return False
    rest = iter(words)
    # Each search continues where the previous one stopped.
    return all(any(_stands_for(word, other) for other in rest) for word in short)


def _names_the_thing(short: Name, name: Name) -> bool:
    """Whether a shorter form keeps the identifying part: a word of its head, and not only a middle name.

    "Dallas" is short for "Dallas, Texas", and "Texas" is not.
    """
    head = _head(name)
    if not any(_stands_for(word, other) for word in short.words for other in head):
        return False
    return len(short.words) > 1 or short.words[0] in (head[0], head[-1])


def _head(name: Name) -> tuple[str, ...]:
    """The words of a name before its comma or first preposition."""
    words = name.words[: name.comma] or name.words
    ends = [index for index, word in enumerate(words) if word in _PREPOSITIONS and index]
    return words[: ends[0]] if ends else words


def _agree(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two names differ only in what they abbreviate to initials."""
    if len(first) != len(second):
        return False
    return all(_stands_for(a, b) or _stands_for(b, a) for a, b in zip(first, second, strict=True))


def find_names(text: str, excluded: bytearray) -> Iterator[Mention]:
    """Runs of capitalised words; nothing in a text without lower-case letters.

    Characters marked in `excluded` (numbers and dates in digits) end a run.
    """
    if text == text.upper():
        return
    words = split_words(text)
    starts = {_first_word(text, start) for start, _ in sentence_spans(text)}
    index = 0
    while index < len(words):
        word = words[index]
        if not _is_capitalised(text, word) or excluded[word.start]:
            index += 1
            continue
        if word.folded in _OPENERS and (word.start in starts or word.end - word.start == 1):
            index += 1
            continue
        last = _end_of_run(text, words, index, excluded, starts)
        end = end_of_word(text, words[last])
        sure = last > index or word.start not in starts
        yield Mention(parse_name(text[word.start : end]), word.start, end, sure)
        index = last + 1


def _first_word(text: str, start: int) -> int:
    """The index of the first letter of a sentence, after quotes and brackets."""
    while start < len(text) and not text[start].isalnum():
        start += 1
    return start


def _is_capitalised(text: str, word: Word) -> bool:
    return text[word.start].isupper()


def end_of_word(text: str, word: Word) -> int:
    """The end of a word, without a possessive ending."""
    return word.end - 2 if text[word.end - 2 : word.end] in ("'s", "’s") else word.end


def _end_of_run(text: str, words: Sequence[Word], first: int, excluded: bytearray, starts: set[int]) -> int:
    """The last word of a run; words such as "of" and "van" are only allowed between capitalised ones."""
    last = first
    while True:
        after = last + 1
        while after < len(words) and after <= last + _MAX_PARTICLES and words[after].folded in _PARTICLES:
            if _is_capitalised(text, words[after]):
                break
            after += 1
        if after >= len(words) or excluded[words[after].start] or words[after].start in starts:
            return last
        # A number after a hyphen belongs to the name, as in C-17.
        number = text[words[last].end] == "-" and text[words[after].start].isdecimal()
        if not (_is_capitalised(text, words[after]) or number):
            return last
        if not all(_joins(text, words[at], words[at + 1]) for at in range(last, after)):
            return last
        last = after


def _joins(text: str, first: Word, second: Word) -> bool:
    """Whether two words can belong to one name: no possessive, and nothing between them that ends a name."""
    gap = text[first.end : second.start]
    if end_of_word(text, first) < first.end:
        return False
    if gap.startswith("."):
        return bool(_GAP.fullmatch(gap) and _ABBREVIATION.fullmatch(text[first.start : first.end]))
    return bool(_GAP.fullmatch(gap))
