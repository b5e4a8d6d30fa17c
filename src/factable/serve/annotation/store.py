"""Campaigns, annotators, assignments and everything that annotators said, in one SQLite file."""

import hashlib
import hmac
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from random import Random
from typing import NamedTuple

import orjson

from factable.errors import FactableError, UsageError
from factable.io.examples import make_example, to_object
from factable.io.faults import Malformed, shorten
from factable.serve.annotation.assignment import assign
from factable.serve.annotation.categories import Category
from factable.serve.annotation.database import Database
from factable.serve.annotation.state import AnnotationState, Frame, Suggestion, make_state, restore_state
from factable.types import Example

MAX_NAME = 100
TOKEN_BYTES = 24
# The page of annotators.
ANNOTATE = "/annotate"


class UnknownError(UsageError):
    """There is no such campaign, annotator or text, or it is none of this annotator's."""


class StaleError(FactableError):
    """The text was changed since it was read: in another window, or by undo."""


class NewText(NamedTuple):
    """A text for a campaign, and what a metric suggests for it."""

    example: Example
    suggestions: Sequence[Suggestion] = ()


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """What a campaign is made of; each text goes to `overlap` of the annotators."""

    name: str
    categories: Sequence[Category]
    annotators: Sequence[str]
    overlap: int = 1
    instructions: str = ""
    asks_facts: bool = True
    metric: str = ""
    signature: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign without its texts."""

    id: int
    name: str
    instructions: str
    categories: tuple[Category, ...]
    asks_facts: bool
    overlap: int
    metric: str
    signature: str
    created: str


class Annotator(NamedTuple):
    """Somebody who annotates for one campaign."""

    id: int
    campaign: int
    name: str


class Progress(NamedTuple):
    """How far an annotator is; `has_link` tells whether a link was made for them."""

    id: int
    name: str
    has_link: bool
    assigned: int
    started: int
    done: int


class Assigned(NamedTuple):
    """A text in the list of an annotator."""

    id: int
    item: str
    excerpt: str
    started: bool
    done: bool


@dataclass(frozen=True, slots=True)
class TextToAnnotate:
    """A text as its annotator finds it; `revision` is 0 where nothing was said yet."""

    id: int
    example: Example
    suggestions: tuple[Suggestion, ...]
    state: AnnotationState
    revision: int
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True, slots=True)
class Annotated:
    """What all annotators said about one text, by name; only texts they are done with, unless asked."""

    number: int
    example: Example
    suggestions: tuple[Suggestion, ...]
    states: dict[str, AnnotationState] = field(default_factory=dict)


class Imported(NamedTuple):
    """What somebody said about a text elsewhere."""

    annotator: str
    item: str
    system: str
    state: AnnotationState


# The texts of a campaign by item and system.
Texts = Mapping[tuple[str, str], Annotated]


def make_imported(
    texts: Texts, campaign: Campaign, key: tuple[str, str], annotator: str, fields: Mapping[str, object]
) -> Imported:
    """Check what somebody said elsewhere against the text that it is about; raises Malformed."""
    if key not in texts:
        of_system = f" of system {shorten(key[1])}" if key[1] else ""
        raise Malformed(f"the campaign has no text with id {shorten(key[0])}{of_system}", "leave it out")
    example = texts[key].example
    frame = Frame(len(example.text), len(example.table.records), 0, campaign.categories)
    return Imported(annotator, *key, make_state(fields, frame))


class Store:
    """Everything in one file; methods may be called from any thread."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.database = Database(path)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *raised: object) -> None:
        self.database.close()

    def create(self, new: NewCampaign, texts: Sequence[NewText]) -> tuple[Campaign, dict[str, str]]:
        """Add a campaign, assign its texts, and return it with the token of each annotator."""
        check_campaign(new)
        if not texts:
            raise UsageError("the campaign has no texts; give at least one")
        order = list(range(len(texts)))
        # Texts of one system must not come one after the other.
        Random(new.seed).shuffle(order)  # noqa: S311 - an order, no secret
        items = {item: number for number, item in enumerate(dict.fromkeys(t.example.item for t in texts))}
        categories = orjson.dumps([category._asdict() for category in new.categories]).decode()
        with self.database.change() as connection:
            if connection.execute("SELECT 1 FROM campaign WHERE name = ?", (new.name,)).fetchone():
                raise UsageError(f"there is a campaign {new.name!r} already; give another name")
            campaign = connection.execute(
                "INSERT INTO campaign"
                " (name, instructions, categories, asks_facts, overlap, metric, signature, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(new.name, new.instructions, categories, new.asks_facts, new.overlap),
                    *(new.metric, new.signature, _now()),
                ),
            ).lastrowid
            assert campaign is not None
            connection.executemany(
                "INSERT INTO text (campaign, position, number, item, system, example, suggestions)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (_text_row(campaign, texts[i], p, items[texts[i].example.item]) for p, i in enumerate(order)),
            )
            tokens = {name: _add_annotator(connection, campaign, name) for name in new.annotators}
            _assign_texts(connection, campaign, new.overlap)
        return self.campaign(campaign), tokens

    def campaigns(self) -> list[Campaign]:
        """All campaigns, in the order in which they were made."""
        return [_campaign(row) for row in self.database.query("SELECT * FROM campaign ORDER BY id")]

    def campaign(self, number: int) -> Campaign:
        """One campaign by its number."""
        rows = self.database.query("SELECT * FROM campaign WHERE id = ?", (number,))
        if not rows:
            raise UnknownError(f"no campaign {number}")
        return _campaign(rows[0])

    def find_campaign(self, name: str = "") -> Campaign:
        """One campaign by its name; without a name the only one."""
        campaigns = self.campaigns()
        if not campaigns:
            raise UnknownError(f"{self.database.path}: holds no campaign; create one first")
        found = [each for each in campaigns if each.name == name] if name else campaigns
        if len(found) == 1:
            return found[0]
        names = ", ".join(each.name for each in campaigns)
        problem = f"no campaign {name!r}" if name else "several campaigns"
        raise UnknownError(f"{self.database.path}: {problem}; name one of {names}")

    def delete_campaign(self, number: int) -> None:
        """Delete a campaign with everything that was said in it."""
        self.campaign(number)
        with self.database.change() as connection:
            texts = "SELECT id FROM text WHERE campaign = ?"
            # Revisions point at each other, so the order in which a cascade takes them is not free.
            connection.execute(f"DELETE FROM assignment WHERE text IN ({texts})", (number,))  # noqa: S608
            connection.execute(
                f"UPDATE revision SET parent = NULL WHERE text IN ({texts})",  # noqa: S608
                (number,),
            )
            connection.execute("DELETE FROM campaign WHERE id = ?", (number,))

    def add_annotator(self, campaign: int, name: str) -> str:
        """Add an annotator, who takes over texts that nobody has begun; return their token."""
        overlap = self.campaign(campaign).overlap
        _check_name("an annotator", name)
        with self.database.change() as connection:
            known = "SELECT 1 FROM annotator WHERE campaign = ? AND name = ?"
            if connection.execute(known, (campaign, name)).fetchone():
                raise UsageError(f"there is an annotator {name!r} already; give another name")
            token = _add_annotator(connection, campaign, name)
            _assign_texts(connection, campaign, overlap)
        return token

    def renew_token(self, campaign: int, annotator: int) -> str:
        """Make a new token for an annotator; the old one is worth nothing from now on."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self.database.change() as connection:
            changed = connection.execute(
                "UPDATE annotator SET token_hash = ? WHERE id = ? AND campaign = ?",
                (_hash(token), annotator, campaign),
            )
            if not changed.rowcount:
                raise UnknownError(f"no annotator {annotator}")
        return token

    def annotator_with(self, token: str) -> Annotator | None:
        """Whose token this is; the time it takes does not depend on how much of it is right."""
        wanted = _hash(token)
        found = None
        for row in self.database.query("SELECT * FROM annotator WHERE token_hash IS NOT NULL"):
            if hmac.compare_digest(row["token_hash"], wanted):
                found = Annotator(row["id"], row["campaign"], row["name"])
        return found

    def progress(self, campaign: int) -> list[Progress]:
        """How far each annotator is."""
        rows = self.database.query(
            "SELECT a.id, a.name, a.token_hash IS NOT NULL AS linked, count(s.text) AS assigned,"
            " count(s.revision) AS started, coalesce(sum(s.done), 0) AS done"
            " FROM annotator a LEFT JOIN assignment s ON s.annotator = a.id"
            " WHERE a.campaign = ? GROUP BY a.id ORDER BY a.id",
            (campaign,),
        )
        return [
            Progress(
                row["id"], row["name"], bool(row["linked"]), row["assigned"], row["started"], row["done"]
            )
            for row in rows
        ]

    def version(self, campaign: int) -> tuple[object, ...]:
        """Something that changes whenever somebody says something in a campaign."""
        (row,) = self.database.query(
            "SELECT count(*), total(s.revision), max(s.revision), total(s.done)"
            " FROM assignment s JOIN text t ON t.id = s.text WHERE t.campaign = ?",
            (campaign,),
        )
        return tuple(row)

    def assigned(self, annotator: Annotator) -> list[Assigned]:
        """The texts of an annotator, in the order to annotate them."""
        rows = self.database.query(
            "SELECT t.id, t.item, substr(json_extract(t.example, '$.text'), 1, 120) AS excerpt,"
            " s.revision IS NOT NULL AS started, s.done"
            " FROM assignment s JOIN text t ON t.id = s.text WHERE s.annotator = ? ORDER BY t.position",
            (annotator.id,),
        )
        return [
            Assigned(row["id"], row["item"], row["excerpt"], bool(row["started"]), bool(row["done"]))
            for row in rows
        ]

    def text(self, annotator: Annotator, number: int) -> TextToAnnotate:
        """A text of an annotator, with what they said so far."""
        with self.database.read() as connection:
            return self._text(connection, annotator, number)

    def save(self, annotator: Annotator, number: int, base: int, fields: object) -> TextToAnnotate:
        """Keep a new state of a text; it is on disk when this returns.

        `base` is the revision that it changes. Saving the same state again, as after a lost answer, is fine.
        """
        with self.database.change() as connection:
            text = self._text(connection, annotator, number)
            state = make_state(fields, self._frame(text, annotator.campaign))
            if state == text.state and text.revision:
                return text
            if base != text.revision:
                raise StaleError("the text was changed elsewhere; reload it")
            revision = _add_revision(connection, annotator.id, number, base or None, state)
            _set_revision(connection, annotator.id, number, revision, state)
            return self._text(connection, annotator, number)

    def undo(self, annotator: Annotator, number: int, base: int) -> TextToAnnotate:
        """Go back by one revision."""
        return self._step(
            annotator, number, base, "SELECT parent AS id FROM revision WHERE id = :revision", "undo"
        )

    def redo(self, annotator: Annotator, number: int, base: int) -> TextToAnnotate:
        """Go forward again after undo."""
        return self._step(annotator, number, base, NEXT_REVISION, "redo")

    def _step(self, annotator: Annotator, number: int, base: int, where_to: str, name: str) -> TextToAnnotate:
        with self.database.change() as connection:
            text = self._text(connection, annotator, number)
            if base != text.revision:
                raise StaleError("the text was changed elsewhere; reload it")
            values = {"annotator": annotator.id, "text": number, "revision": text.revision or None}
            row = connection.execute(where_to, values).fetchone()
            if row is None:
                raise StaleError(f"there is nothing to {name}")
            state = AnnotationState()
            if row["id"] is not None:
                saved = connection.execute("SELECT state FROM revision WHERE id = ?", (row["id"],)).fetchone()
                state = _load_state(saved["state"])
            _set_revision(connection, annotator.id, number, row["id"], state)
            return self._text(connection, annotator, number)

    def annotated(self, campaign: int, *, done_only: bool = True) -> Iterator[Annotated]:
        """Every text of a campaign, in the order of its file, with what annotators said."""
        names = {row.id: row.name for row in self.progress(campaign)}
        states: dict[int, dict[str, AnnotationState]] = {}
        for row in self.database.query(
            "SELECT s.annotator, s.text, r.state FROM assignment s JOIN revision r ON r.id = s.revision"
            " WHERE s.done >= ? AND s.text IN (SELECT id FROM text WHERE campaign = ?) ORDER BY s.annotator",
            (int(done_only), campaign),
        ):
            states.setdefault(row["text"], {})[names[row["annotator"]]] = _load_state(row["state"])
        for row in self.database.query(
            "SELECT * FROM text WHERE campaign = ? ORDER BY number, system", (campaign,)
        ):
            example, suggestions = _load_example(row), _load_suggestions(row)
            yield Annotated(row["number"], example, suggestions, states.get(row["id"], {}))

    def import_states(self, campaign: int, rows: Sequence[Imported]) -> int:
        """Add what others said; return how many rows that were.

        An annotator who is new gets no link; a text they said something about already gets a new revision.
        """
        with self.database.change() as connection:
            for row in rows:
                _check_name("an annotator", row.annotator)
                annotator = _find_annotator(connection, campaign, row.annotator)
                found = connection.execute(
                    "SELECT id FROM text WHERE campaign = ? AND item = ? AND system = ?",
                    (campaign, row.item, row.system),
                ).fetchone()
                key = annotator, found["id"]
                connection.execute("INSERT OR IGNORE INTO assignment (annotator, text) VALUES (?, ?)", key)
                before = connection.execute(
                    "SELECT revision FROM assignment WHERE annotator = ? AND text = ?", key
                ).fetchone()["revision"]
                revision = _add_revision(connection, *key, before, row.state)
                _set_revision(connection, *key, revision, row.state)
        return len(rows)

    def _text(self, connection: sqlite3.Connection, annotator: Annotator, number: int) -> TextToAnnotate:
        row = connection.execute(
            "SELECT t.*, s.revision, r.state FROM assignment s JOIN text t ON t.id = s.text"
            " LEFT JOIN revision r ON r.id = s.revision WHERE s.annotator = ? AND s.text = ?",
            (annotator.id, number),
        ).fetchone()
        if row is None:
            raise UnknownError(f"no text {number} for {annotator.name}")
        values = {"annotator": annotator.id, "text": number, "revision": row["revision"]}
        return TextToAnnotate(
            id=number,
            example=_load_example(row),
            suggestions=_load_suggestions(row),
            state=_load_state(row["state"]) if row["state"] else AnnotationState(),
            revision=row["revision"] or 0,
            can_undo=row["revision"] is not None,
            can_redo=connection.execute(NEXT_REVISION, values).fetchone() is not None,
        )

    def _frame(self, text: TextToAnnotate, campaign: int) -> Frame:
        return Frame(
            len(text.example.text),
            len(text.example.table.records),
            len(text.suggestions),
            self.campaign(campaign).categories,
        )


# The newest of those that follow the current revision.
NEXT_REVISION = (
    "SELECT id FROM revision WHERE annotator = :annotator AND text = :text AND parent IS :revision"
    " ORDER BY id DESC LIMIT 1"
)


def check_campaign(new: NewCampaign) -> None:
    """Refuse a campaign that cannot work, before a metric reads all its texts."""
    _check_name("a campaign", new.name)
    for name in new.annotators:
        _check_name("an annotator", name)
    if len({*new.annotators}) < len(new.annotators):
        raise UsageError("`annotators` names somebody twice; give each a name of their own")
    if not new.annotators:
        raise UsageError("`annotators` is empty; name at least one")
    if not 1 <= new.overlap <= len(new.annotators):
        raise UsageError(
            f"`overlap` is {new.overlap}, and there are {len(new.annotators)} annotators; give 1 to that many"
        )


def _check_name(kind: str, name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(
            f"{name[:MAX_NAME]!r} cannot be the name of {kind}; give up to {MAX_NAME} characters"
        )


def _text_row(campaign: int, text: NewText, position: int, number: int) -> tuple[object, ...]:
    example = text.example
    suggestions = orjson.dumps([suggestion._asdict() for suggestion in text.suggestions]).decode()
    fields = orjson.dumps(to_object(example)).decode()
    return campaign, position, number, example.item, example.system, fields, suggestions


def _add_annotator(connection: sqlite3.Connection, campaign: int, name: str) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        "INSERT INTO annotator (campaign, name, token_hash) VALUES (?, ?, ?)", (campaign, name, _hash(token))
    )
    return token


def _find_annotator(connection: sqlite3.Connection, campaign: int, name: str) -> int:
    values = campaign, name
    connection.execute("INSERT OR IGNORE INTO annotator (campaign, name) VALUES (?, ?)", values)
    row = connection.execute("SELECT id FROM annotator WHERE campaign = ? AND name = ?", values).fetchone()
    number: int = row["id"]
    return number


def _assign_texts(connection: sqlite3.Connection, campaign: int, overlap: int) -> None:
    """Distribute the texts that nobody has begun among the annotators who have a link."""
    texts = "SELECT id FROM text WHERE campaign = ?"
    connection.execute(
        f"DELETE FROM assignment WHERE revision IS NULL AND text IN ({texts})",  # noqa: S608
        (campaign,),
    )
    annotators = connection.execute(
        "SELECT id FROM annotator WHERE campaign = ? AND token_hash IS NOT NULL ORDER BY id", (campaign,)
    )
    kept: dict[int, list[int]] = {
        row["id"]: [] for row in connection.execute(f"{texts} ORDER BY position", (campaign,))
    }
    for row in connection.execute(
        f"SELECT annotator, text FROM assignment WHERE text IN ({texts})",  # noqa: S608
        (campaign,),
    ):
        kept[row["text"]].append(row["annotator"])
    connection.executemany(
        "INSERT INTO assignment (annotator, text) VALUES (?, ?)",
        assign(kept, [row["id"] for row in annotators], overlap),
    )


def _add_revision(
    connection: sqlite3.Connection, annotator: int, text: int, parent: int | None, state: AnnotationState
) -> int:
    number = connection.execute(
        "INSERT INTO revision (annotator, text, parent, state, saved) VALUES (?, ?, ?, ?, ?)",
        (annotator, text, parent, orjson.dumps(state.to_object()).decode(), _now()),
    ).lastrowid
    assert number is not None
    return number


def _set_revision(
    connection: sqlite3.Connection, annotator: int, text: int, revision: int | None, state: AnnotationState
) -> None:
    connection.execute(
        "UPDATE assignment SET revision = ?, done = ? WHERE annotator = ? AND text = ?",
        (revision, state.done, annotator, text),
    )


def _campaign(row: sqlite3.Row) -> Campaign:
    return Campaign(
        row["id"],
        row["name"],
        row["instructions"],
        tuple(Category(**fields) for fields in orjson.loads(row["categories"])),
        bool(row["asks_facts"]),
        row["overlap"],
        row["metric"],
        row["signature"],
        row["created"],
    )


def _load_example(row: sqlite3.Row) -> Example:
    return make_example(orjson.loads(row["example"]), row["id"])


def _load_suggestions(row: sqlite3.Row) -> tuple[Suggestion, ...]:
    made = [Suggestion(**fields) for fields in orjson.loads(row["suggestions"])]
    return tuple(each._replace(span=(each.span[0], each.span[1])) if each.span else each for each in made)


def _load_state(saved: str) -> AnnotationState:
    return restore_state(orjson.loads(saved))


def annotator_path(token: str) -> str:
    """The path of an annotator's page; what stands behind the # is sent to nobody."""
    return f"{ANNOTATE}#{token}"


def _hash(token: str) -> bytes:
    """What the file keeps of a token: who reads the file cannot annotate in another's name."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
