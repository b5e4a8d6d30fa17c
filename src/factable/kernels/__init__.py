"""The hot loops: compiled where the extensions were built, else their Python twins with equal results."""

from factable.kernels import keys, parent, records, tokens

try:
    # All or none: a half-compiled install would be hard to see and to explain.
    from factable.kernels import _parent, _reading, _tokens
except ImportError:
    COMPILED = False
    fingerprints = keys.fingerprints
    make_records = records.make_records
    tokenize = tokens.tokenize
    score_parent = parent.score_parent
else:
    COMPILED = True
    fingerprints = _reading.fingerprints
    make_records = _reading.make_records
    tokenize = _tokens.tokenize
    score_parent = _parent.score_parent

__all__ = ["COMPILED", "fingerprints", "make_records", "score_parent", "tokenize"]
