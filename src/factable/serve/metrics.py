"""Which metrics a request may name: none that would open a file, load a model or run code of its choice."""

from collections.abc import Sequence
from functools import cache

from factable.core.metric import Metric
from factable.core.params import Param
from factable.core.registry import load, names, parse
from factable.core.signature import spec
from factable.engine.score import parse_all
from factable.errors import UsageError, did_you_mean

MAX_METRICS = 20
MAX_SPEC = 2000
# Ask a server whose answers may cost money.
REMOTE = frozenset({"judge"})


def parse_metrics(given: Sequence[str], allowed: Sequence[str] = ()) -> list[Metric]:
    """The metrics of a request; those in `allowed`, which the server was started with, may name anything."""
    if len(given) > MAX_METRICS:
        raise UsageError(f"{len(given)} metrics; give at most {MAX_METRICS}")
    return parse_all([_parse(each, allowed) for each in given])


def _parse(text: str, allowed: Sequence[str]) -> Metric:
    if len(text) > MAX_SPEC:
        raise UsageError(f"a metric of {len(text)} characters; give at most {MAX_SPEC}")
    if text in allowed:
        return parse(text)
    metric = parse_known(text)
    if spec(metric) in allowed:
        return metric
    if metric.name in REMOTE:
        raise UsageError(f"{metric.name} asks another server; start this one with it in --metric")
    for each in metric.params:
        if not is_open(metric, each) and getattr(metric, each.name) != each.default_for(metric):
            raise UsageError(
                f"{metric.name}: `{each.name}` may name a file or a model, and requests may not; "
                "start the server with this metric in --metric"
            )
    return metric


def parse_known(text: str) -> Metric:
    """The metric of a spec from outside, which may name a file of code: refused before anything is loaded."""
    name = text.partition("(")[0].strip()
    if name not in names():
        raise UsageError(f"no metric {name[:60]!r}; {did_you_mean(name, names())}GET /v1/metrics lists them")
    return parse(text)


def is_open(metric: Metric, each: Param) -> bool:
    """Whether a request may choose the value of a parameter: a number, a choice, or names of facts."""
    is_text = isinstance(each.default_for(metric), str) and not each.choices
    return not each.file and (not is_text or each.name in metric.fact_names)


@cache
def describe_metrics() -> list[dict[str, object]]:
    """What can be asked for, as JSON."""
    described = []
    for name in names():
        try:
            metric = load(name)()
        except UsageError:
            # A plug-in that cannot be loaded, or needs a parameter.
            continue
        described.append(
            {
                "name": name,
                "about": (type(metric).__doc__ or "").strip().partition("\n")[0],
                "needs": sorted(metric.needs),
                "bounds": [_finite(bound) for bound in metric.bounds],
                "higher_is_better": metric.higher_is_better,
                "slow": metric.slow,
                "corpus": metric.corpus,
                "parts": list(metric.parts),
                "parameters": [_describe(metric, each) for each in metric.params],
            }
        )
    return described


def _finite(bound: float) -> float | None:
    return bound if abs(bound) < float("inf") else None


def _describe(metric: Metric, each: Param) -> dict[str, object]:
    return {
        "name": each.name,
        "default": each.default_for(metric),
        "about": each.doc,
        "choices": list(each.choices),
        "range": list(each.range) if each.range else None,
        "open": is_open(metric, each),
    }
