"""Data set formats: one module each, named here as text, so that a reader is imported when it is used."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import NamedTuple

from factable.errors import UsageError, did_you_mean
from factable.types import Example

Reader = Callable[..., Iterable[Example]]


class Format(NamedTuple):
    """A format: its sources, its reader (`module:function`), and whether it has texts to be checked.

    Of a table, each file tells.
    """

    sources: str
    about: str
    reader: str
    has_texts: bool = False


FORMATS: dict[str, Format] = {
    "csv": Format("one CSV or TSV file", "a table with a header line", "tables:read_csv"),
    "e2e": Format("CSV or TSV files", "E2E data and references, columns mr and ref", "e2e:read_e2e"),
    "e2e-outputs": Format(
        "one TSV or CSV file", "E2E outputs, columns system, MR and output", "e2e:read_e2e_outputs", True
    ),
    "gsml": Format(
        "GSML.csv GAMES FOLDER",
        "error marks of the accuracy shared task, with RotoWire games and a folder of texts",
        "gsml:read_gsml",
        True,
    ),
    "parallel": Format(
        "TEXTS [REFERENCES …]", "files that match line by line", "parallel:read_parallel", True
    ),
    "parent": Format("TEXTS REFERENCES TABLES", "the files of the PARENT paper", "parent:read_parent", True),
    "parquet": Format("one Parquet file", "a table, by the same rules as csv", "tables:read_parquet"),
    "rotowire": Format("one JSON or JSON lines file", "basketball box scores", "rotowire:read_rotowire"),
    "totto": Format("one JSON lines file", "Wikipedia tables with highlighted cells", "totto:read_totto"),
    "webnlg": Format("XML files or folders", "WebNLG triples and references", "webnlg:read_webnlg"),
    "webnlg-human": Format(
        "one folder", "the human ratings of WebNLG 2017", "webnlg:read_webnlg_human", True
    ),
    "wikibio": Format("BOX SUMMARY", "infoboxes and first sentences", "wikibio:read_wikibio"),
}


def open_format(name: str) -> Reader:
    """The reader of a format: a function of source paths that yields examples."""
    if name not in FORMATS:
        hint = did_you_mean(name, list(FORMATS))
        raise UsageError(f"no format {name!r}; {hint}formats are {', '.join(sorted(FORMATS))}")
    module, function = FORMATS[name].reader.split(":")
    reader: Reader = getattr(import_module(f"factable.io.formats.{module}"), function)
    return reader


def require_sources(
    format_name: str, sources: Sequence[str], min_sources: int, max_sources: int | None = None
) -> None:
    """Refuse a wrong number of source files, naming what the format takes."""
    if len(sources) < min_sources or (max_sources is not None and len(sources) > max_sources):
        raise UsageError(f"{format_name} takes {FORMATS[format_name].sources}; {len(sources)} given")
