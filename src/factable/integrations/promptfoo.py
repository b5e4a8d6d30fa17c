"""An assertion for promptfoo: `type: python`, `value: file://…/promptfoo.py`.

The data is the variable `data`, or the one that `config.data` names; other keys of `config` are options of
`factable.check`.
"""

from collections.abc import Mapping
from typing import Any

from factable.errors import FactableError
from factable.metrics.ledger.metric import check


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, object]:
    """Whether a model's output says all, and only, what the data says; called by promptfoo."""
    config = dict(context.get("config") or {})
    name = config.pop("data", "data")
    variables = context.get("vars") or {}
    if name not in variables:
        return _failure(f"no variable {name!r}; give the data under that name, or name it in config.data")
    try:
        verdict = check(variables[name], output, **config)
    except FactableError as error:
        return _failure(str(error))
    return {
        "pass": verdict.is_ok,
        "score": verdict.probability,
        "reason": str(verdict),
        "namedScores": {"ok": float(verdict.is_ok), "correct": verdict.correct},
    }


def _failure(reason: str) -> dict[str, object]:
    return {"pass": False, "score": 0.0, "reason": reason}
