"""Extractors by name."""

import hashlib
from functools import cache

import numpy as np
import orjson

from factable.errors import DataError, Fault
from factable.extract.box_scores import BoxScoreExtractor
from factable.extract.matching import ValueExtractor
from factable.extract.pointer import PointerExtractor
from factable.extract.protocol import Extractor
from factable.extract.slots import SlotExtractor
from factable.io.files import read_whole
from factable.models.embedded import read_shipped
from factable.models.patterns import SHIPPED, load_patterns, patterns_checksum
from factable.models.tensors import read_tensors

VALUES, ROTOWIRE, WEBNLG = "values", "rotowire", "webnlg"
FORMAT, VOCABULARY = "factable extractor 1", "vocabulary"
PATTERN_FILE = ".toml"


def load_extractor(name: str) -> Extractor:
    """The extractor of that name, or of a pattern file, or of a file made by `factable train extractor`."""
    if name == VALUES:
        return ValueExtractor()
    if name == ROTOWIRE:
        return BoxScoreExtractor(load_patterns(ROTOWIRE))
    if _has_patterns(name):
        return SlotExtractor(load_patterns(name))
    return _trained(name, _content(name))


def extractor_checksum(name: str) -> str:
    """A checksum of the file behind an extractor; empty where there is none."""
    if name == VALUES:
        return ""
    return patterns_checksum(name) if _has_patterns(name) else hashlib.sha256(_content(name)).hexdigest()


def _has_patterns(name: str) -> bool:
    return name in SHIPPED or name.endswith(PATTERN_FILE)


def _content(name: str) -> bytes:
    if name == WEBNLG:
        return read_shipped(f"data/extractor/{WEBNLG}.safetensors")
    return read_whole(name)


@cache
def _trained(name: str, content: bytes) -> PointerExtractor:
    remedy = "make the file with: factable train extractor TRAIN.jsonl OUT.safetensors"
    try:
        weights, metadata = read_tensors(content)
        if metadata.get("format") != FORMAT:
            raise ValueError(f"format {metadata.get('format')!r}")
        extractor = PointerExtractor(weights, orjson.loads(metadata[VOCABULARY]))
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise ValueError("numbers that are not finite")
        # Arrays that are missing, or do not fit together, show at the first text.
        with np.errstate(all="ignore"):
            extractor.write("a text")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError([Fault(name, None, f"no trained extractor ({error})", remedy)]) from None
    return extractor
