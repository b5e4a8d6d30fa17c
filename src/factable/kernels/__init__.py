"""The hot loops: compiled where the extension was built, else their Python twins with equal results."""

from factable.kernels import keys, parent, records, tokens

try:
    from factable.kernels import _fast
except ImportError:
    COMPILED = False
    fingerprints = keys.fingerprints
    make_records = records.make_records
    tokenize = tokens.tokenize
    score_parent = parent.score_parent
else:
    COMPILED = True
    fingerprints = _fast.fingerprints
    make_records = _fast.make_records
    tokenize = _fast.tokenize
    score_parent = _fast.score_parent

__all__ = ["COMPILED", "fingerprints", "make_records", "score_parent", "tokenize"]
