"""The SQLite file of annotations: opening, migrations, transactions, backup."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from factable.errors import DataError, Fault, MissingFileError

# What tells our files from other SQLite files: "fact" in ASCII.
APPLICATION = 0x66616374
# Each script leads from one version of the schema to the next; the version is how many have run. A script
# that was released is never changed: add another.
MIGRATIONS = (
    """
    CREATE TABLE campaign (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        instructions TEXT NOT NULL,
        categories TEXT NOT NULL,
        asks_facts INTEGER NOT NULL,
        overlap INTEGER NOT NULL,
        metric TEXT NOT NULL,
        signature TEXT NOT NULL,
        created TEXT NOT NULL
    );
    CREATE TABLE text (
        id INTEGER PRIMARY KEY,
        campaign INTEGER NOT NULL REFERENCES campaign ON DELETE CASCADE,
        position INTEGER NOT NULL,
        number INTEGER NOT NULL,
        item TEXT NOT NULL,
        system TEXT NOT NULL,
        example TEXT NOT NULL,
        suggestions TEXT NOT NULL,
        UNIQUE (campaign, item, system)
    );
    CREATE TABLE annotator (
        id INTEGER PRIMARY KEY,
        campaign INTEGER NOT NULL REFERENCES campaign ON DELETE CASCADE,
        name TEXT NOT NULL,
        token_hash BLOB,
        UNIQUE (campaign, name)
    );
    CREATE TABLE assignment (
        annotator INTEGER NOT NULL REFERENCES annotator ON DELETE CASCADE,
        text INTEGER NOT NULL REFERENCES text ON DELETE CASCADE,
        revision INTEGER REFERENCES revision,
        done INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (annotator, text)
    ) WITHOUT ROWID;
    CREATE INDEX assignment_of_text ON assignment (text);
    CREATE TABLE revision (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        annotator INTEGER NOT NULL REFERENCES annotator ON DELETE CASCADE,
        text INTEGER NOT NULL REFERENCES text ON DELETE CASCADE,
        parent INTEGER REFERENCES revision,
        state TEXT NOT NULL,
        saved TEXT NOT NULL
    );
    CREATE INDEX revision_of_text ON revision (annotator, text, parent);
    """,
)
BUSY_SECONDS = 30.0


class Database:
    """A connection that threads share, one at a time; every change is on disk when its block ends."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.RLock()
        self._connection = _connect(self.path)
        try:
            self._migrate()
        except sqlite3.DatabaseError as error:
            self.close()
            raise _unreadable(self.path, error) from None
        except DataError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; nothing is left to be written."""
        self._connection.close()

    def change(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction: what happens in the block happens whole, or not at all."""
        return self._transaction("BEGIN IMMEDIATE")

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction that sees one moment and changes nothing."""
        return self._transaction("BEGIN")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """All rows of a question."""
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy of a moment, whole or not at all, while others go on annotating."""
        temporary = Path(f"{os.fspath(path)}.unfinished")
        temporary.unlink(missing_ok=True)
        try:
            with self._lock, closing(sqlite3.connect(temporary)) as copy:
                self._connection.backup(copy)
                # One file, without a log beside it.
                copy.execute("PRAGMA journal_mode = DELETE")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)

    def _migrate(self) -> None:
        with self.change() as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and application != APPLICATION:
                problem = "an SQLite file, but not of annotations"
                raise DataError([Fault(self.path, None, problem, "name another file, or a new one")])
            if version > len(MIGRATIONS):
                problem = f"written by a newer factable (version {version} of the file format)"
                raise DataError([Fault(self.path, None, problem, "update factable")])
            for script in MIGRATIONS[version:]:
                # executescript would commit first, and a half-done migration would stay.
                for statement in filter(str.strip, script.split(";")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _connect(path: str) -> sqlite3.Connection:
    connection = None
    try:
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        # What has been acknowledged must survive a killed process and a power cut: FULL waits for the disk.
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.DatabaseError as error:
        if connection is not None:
            connection.close()
        raise _unreadable(path, error) from None
    return connection


def _unreadable(path: str, error: sqlite3.DatabaseError) -> DataError:
    if isinstance(error, sqlite3.OperationalError):
        fault = Fault(path, None, f"cannot be opened ({error})", "check the folder and its permissions")
        return MissingFileError([fault])
    return DataError([Fault(path, None, f"not readable as SQLite ({error})", "restore it from a backup")])


def require_file(path: str | os.PathLike[str]) -> None:
    """Refuse a database that does not exist, where a new one would be no help."""
    if not os.path.isfile(path):
        raise MissingFileError([Fault(os.fspath(path), None, "no such file", "create a campaign first")])
