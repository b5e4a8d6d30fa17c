"""The hot loops: compiled where the extension was built, else their Python twins with equal results."""

from factable.kernels import parent, tokens

try:
    from factable.kernels import _fast
except ImportError:
    COMPILED = False
    tokenize = tokens.tokenize
    score_parent = parent.score_parent
else:
    COMPILED = True
    tokenize = _fast.tokenize
    score_parent = _fast.score_parent

__all__ = ["COMPILED", "score_parent", "tokenize"]
