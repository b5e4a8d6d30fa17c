"""Texts: statements joined to sentences, with pronouns, lists and Markdown, as people write."""

from dataclasses import dataclass
from random import Random

from factable.train.everyday.faults import Plan
from factable.train.everyday.records import Entity
from factable.train.everyday.statements import Piece, Statement, mention, possessive
from factable.train.everyday.values import capitalized
from factable.types import Span

PRONOUNS = {"it": ("it", "its", "it"), "he": ("he", "his", "him"), "she": ("she", "her", "her")}
JOINED_KINDS = frozenset({"fact", "yes_no", "zero", "hours", "series"})
SUBJECT_FORMS = ("subject", "possessive", "object")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text and the paths of the data that it is about."""

    span: Span
    paths: tuple[str, ...]


class Writer:
    """Writes statements down, and remembers where sentences and wrong words stand."""

    def __init__(self, plan: Plan, rng: Random) -> None:
        self.plan = plan
        self.rng = rng
        self.text = ""
        self.sentences: list[Sentence] = []
        self.wrong: list[Span] = []
        self.last_subject: Entity | None = None
        self.named: set[int] = set()

    def add(self, words: str, *, wrong: bool = False) -> None:
        """Append words; those that are wrong and follow one another are one span."""
        start = len(self.text)
        self.text += words
        if wrong and words.strip():
            start += len(words) - len(words.lstrip())
            end = len(self.text) - (len(words) - len(words.rstrip()))
            if self.wrong and start - self.wrong[-1][1] <= 1:
                start = self.wrong.pop()[0]
            self.wrong.append((start, end))

    def refer(self, piece: Piece) -> str:
        """The words for a subject: its name, a short name, its noun or a pronoun."""
        entity = piece.entity
        assert entity is not None
        form = SUBJECT_FORMS.index(piece.role)
        root = entity is self.plan.record.root
        # "It" after a preposition, as in "at it", is not how people write.
        clumsy = piece.role == "object" and entity.pronoun == "it"
        if entity is self.last_subject and not clumsy and self.rng.random() < 0.6:
            return PRONOUNS[entity.pronoun][form]
        words = mention(entity)
        if id(entity) in self.named:
            if root and entity.pronoun == "it" and self.rng.random() < 0.4:
                words = f"the {entity.type.noun}"
            elif self.rng.random() < 0.5:
                words = entity.type.called.replace("{name}", entity.short)
        self.named.add(id(entity))
        return possessive(words) if form == 1 else words

    def write(self, statement: Statement, *, skip_subject: bool = False) -> None:
        """Append a statement."""
        pieces = statement.pieces[1:] if skip_subject else statement.pieces
        referred = skip_subject
        for position, piece in enumerate(pieces):
            if piece.role in SUBJECT_FORMS:
                word = (
                    self.refer(piece)
                    if not referred
                    else PRONOUNS[statement_pronoun(piece)][SUBJECT_FORMS.index(piece.role)]
                )
                referred = True
                self.add(word, wrong=piece.wrong)
                self.last_subject = piece.entity
            else:
                text = piece.text.lstrip() if skip_subject and position == 0 else piece.text
                self.add(text, wrong=piece.wrong)
        if not referred or statement.subject is None:
            self.last_subject = None

    def sentence(self, statements: list[Statement]) -> None:
        """Append statements as one sentence."""
        start = len(self.text)
        for number, statement in enumerate(statements):
            if number == 0:
                self.write(statement)
                continue
            last = number == len(statements) - 1
            if statement.pieces[0].role == "subject" and statements[0].pieces[0].role == "subject":
                self.add(" and " if last else ", ")
                self.write(statement, skip_subject=True)
            else:
                self.add(self.rng.choice((", and ", ", and ", "; ")) if last else ", ")
                self.write(statement)
        self.text = self.text[:start] + self.text[start : start + 1].upper() + self.text[start + 1 :]
        if not self.text.endswith((".", ".”")):
            self.add(".")
        paths = tuple(dict.fromkeys(path for statement in statements for path in statement.paths))
        self.sentences.append(Sentence((start, len(self.text)), paths))

    def bullet(self, statement: Statement, mark: str) -> None:
        """Append a statement as an item of a list."""
        assert statement.said is not None
        before, after = mark.split("label")
        start = len(self.text)
        self.add(before)
        # Of something the data does not have, the label is as wrong as the value.
        self.add(capitalized(statement.facts[0].attribute.label) + after + " ", wrong=not statement.paths)
        self.add(statement.said.text, wrong=statement.said.wrong)
        self.sentences.append(Sentence((start, len(self.text)), statement.paths))
        self.add("\n")


def statement_pronoun(piece: Piece) -> str:
    """The pronoun of the entity of a piece."""
    assert piece.entity is not None
    return piece.entity.pronoun


def write_text(plan: Plan, rng: Random) -> tuple[str, list[Sentence], list[Span]]:
    """The text of a plan, its sentences and the spans of its wrong words."""
    writer = Writer(plan, rng)
    root = plan.record.root
    as_list = [each for each in plan.statements if each.subject is root and can_be_bullet(each)]
    rest = plan.statements
    if len(as_list) >= 3 and rng.random() < 0.18:
        rest = [each for each in plan.statements if each not in as_list]
        write_heading(writer, rng)
        mark = rng.choice(("- label:", "* label:", "- **label:**", "- **label**:", "• label:"))
        for statement in as_list:
            writer.bullet(statement, mark)
        writer.add("\n")
        writer.named.add(id(root))
    elif rng.random() < 0.12:
        writer.add(
            rng.choice(plan.shared.preambles).replace("{noun}", root.type.noun) + rng.choice((" ", "\n\n"))
        )
    write_sentences(writer, rest, rng)
    text = writer.text.rstrip()
    return text, writer.sentences, writer.wrong


def write_heading(writer: Writer, rng: Random) -> None:
    """Name the thing that a list is about."""
    name = capitalized(mention(writer.plan.record.root))
    writer.add(rng.choice((f"**{name}**\n\n", f"## {name}\n\n", f"{name}:\n\n")))


def can_be_bullet(statement: Statement) -> bool:
    """Whether nothing but the value of a statement would be lost in a list."""
    wrong = [piece for piece in statement.pieces if piece.wrong]
    plain = statement.kind in ("fact", "yes_no") and statement.said is not None
    return plain and (not wrong or (statement.said is not None and statement.said.wrong))


def write_sentences(writer: Writer, statements: list[Statement], rng: Random) -> None:
    """Append statements as sentences, two or three in one where they fit."""
    index = 0
    while index < len(statements):
        group = [statements[index]]
        most = rng.choices((1, 2, 3), (5, 5, 1))[0]
        while (
            len(group) < most
            and index + len(group) < len(statements)
            and fits(group, statements[index + len(group)])
        ):
            group.append(statements[index + len(group)])
        if writer.sentences and not writer.text.endswith("\n"):
            other = group[0].subject is not statements[index - 1].subject
            writer.add("\n\n" if other and rng.random() < 0.1 else " ")
        writer.sentence(group)
        index += len(group)


def fits(group: list[Statement], statement: Statement) -> bool:
    """Whether a statement can go on in the same sentence."""
    first = group[0]
    if statement.subject is None or statement.subject is not first.subject:
        return False
    if any(each.kind not in JOINED_KINDS for each in (first, statement)):
        return False
    lists = any(
        piece.value is not None and piece.value.kind == "list"
        for each in (*group, statement)
        for piece in each.pieces
    )
    starts = [each.pieces[0].role for each in (*group, statement)]
    if len(group) == 2 and starts != ["subject"] * 3:
        return False
    if any(piece.role == "object" for piece in statement.pieces):
        return False
    wrong_subject = any(piece.role == "entity" for each in (*group, statement) for piece in each.pieces)
    return not lists and not wrong_subject
