"""Metrics by name: spec text -> metric. A new metric is one line here; nothing loads until asked for."""

import ast
import hashlib
import re
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from factable.core.metric import Metric
from factable.core.signature import FILE_MODULE, spec
from factable.errors import UsageError, describe_error, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


BUILT_IN = {
    "aligner": "factable.metrics.slots.aligner:Aligner",
    "bertscore": "factable.metrics.bertscore:Bertscore",
    "bleu": "factable.metrics.bleu:Bleu",
    "bleu_t": "factable.metrics.bleu_t:BleuT",
    "chrf": "factable.metrics.chrf:Chrf",
    "cider": "factable.metrics.cider:Cider",
    "cider_d": "factable.metrics.cider:CiderD",
    "co": "factable.metrics.extraction.metrics:Co",
    "cs": "factable.metrics.extraction.metrics:Cs",
    "fact_classifier": "factable.metrics.slots.fact_classifier:FactClassifierDistance",
    "judge": "factable.metrics.judge.metric:Judge",
    "ledger": "factable.metrics.ledger.metric:Ledger",
    "meteor": "factable.metrics.meteor.metric:Meteor",
    "nist": "factable.metrics.nist:Nist",
    "nli": "factable.metrics.nli.metric:NliCheck",
    "parent": "factable.metrics.parent.metric:Parent",
    "perplexity": "factable.metrics.perplexity:Perplexity",
    "questeval": "factable.metrics.questeval.metric:QuestEval",
    "ranking": "factable.metrics.ranking.metric:Ranking",
    "rg": "factable.metrics.extraction.metrics:Rg",
    "rg_f": "factable.metrics.extraction.metrics:RgF",
    "rouge": "factable.metrics.rouge:Rouge",
    "slot_error": "factable.metrics.slots.slot_error:SlotError",
    "ter": "factable.metrics.ter:Ter",
}
PLUG_IN_GROUP = "factable.metrics"
MAX_SHOWN = 200
# A class in a file: ./mine.py:WordShare.
FILE_METRIC = re.compile(r"[^()\"']+\.py:[A-Za-z_]\w*")


def names() -> list[str]:
    """All metric names, plug-ins included."""
    return sorted({*BUILT_IN, *(point.name for point in _plug_ins())})


@cache
def _plug_ins() -> "EntryPoints":
    """Looked for once: that takes longer than all the rest of reading a spec."""
    from importlib.metadata import entry_points

    return entry_points(group=PLUG_IN_GROUP)


@cache
def load(name: str) -> type[Metric]:
    """The class of a metric: one of ours, or a plug-in of the entry point group `factable.metrics`."""
    if FILE_METRIC.fullmatch(name):
        return _load_file(name)
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        built_in: type[Metric] = getattr(import_module(module), attribute)
        return built_in
    for point in _plug_ins().select(name=name):
        return _load_plug_in(point)
    known = names()
    raise UsageError(f"no metric {_shown(name)}; {did_you_mean(name, known)}metrics are {', '.join(known)}")


def _load_plug_in(point: "EntryPoint") -> type[Metric]:
    """The class behind an entry point; whatever goes wrong in there is told in one line."""
    try:
        plug_in = point.load()
    except Exception as error:
        raise UsageError(
            f"metric {point.name!r} cannot be loaded from {point.value} ({describe_error(error)})"
        ) from error
    return _require_metric(plug_in, f"metric {point.name!r} at {point.value}")


def _require_metric(found: object, where: str) -> type[Metric]:
    if not (isinstance(found, type) and issubclass(found, Metric) and found.name):
        remedy = "derive the class from factable.Metric and decorate it with @factable.metric"
        raise UsageError(f"{where} is no metric; {remedy}")
    return found


def _load_file(name: str) -> type[Metric]:
    """The class in a file of one's own, such as `./mine.py:WordShare`; its name becomes that text."""
    from importlib.util import module_from_spec, spec_from_file_location

    path, _, attribute = name.rpartition(":")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"metric {_shown(name)}: {error.strerror}; check the path") from None
    module_name = FILE_MODULE + hashlib.sha256(content).hexdigest()
    located = spec_from_file_location(module_name, path)
    assert located is not None
    assert located.loader is not None
    module = sys.modules[module_name] = module_from_spec(located)
    try:
        located.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"metric {_shown(name)} cannot be loaded ({describe_error(error)})") from error
    known = [
        each for each, value in vars(module).items() if isinstance(value, type) and issubclass(value, Metric)
    ]
    if attribute not in known:
        hint = did_you_mean(attribute, known)
        raise UsageError(f"{path} has no metric {attribute!r}; {hint}it has {', '.join(known) or 'none'}")
    metric = _require_metric(getattr(module, attribute), name)
    metric.name = name
    # By its text, because no other process has a module of that name.
    metric.__reduce__ = _reduce  # type: ignore[method-assign, assignment]
    return metric


def _reduce(metric: Metric) -> tuple[object, ...]:
    return parse, (spec(metric),)


def parse(text: str, *, defaults: Mapping[str, Mapping[str, object]] | None = None) -> Metric:
    """The metric that a spec such as `parent(mix=0.5)` stands for.

    `defaults` are parameters, by the name of a metric, for specs that do not give them.
    """
    name, given = _split(text)
    arguments = {**(defaults or {}).get(name, {}), **given}
    kind = load(name)
    parameters = [each.name for each in kind.params]
    for argument in arguments:
        if argument not in parameters:
            hint = did_you_mean(argument, parameters)
            known = ", ".join(parameters) or "none"
            raise UsageError(f"{name} has no parameter {_shown(argument)}; {hint}parameters are {known}")
    try:
        return kind(**arguments)
    except UsageError:
        raise
    except Exception as error:
        # A plug-in whose own checks fail.
        raise UsageError(
            f"cannot make the metric {_shown(text)} ({describe_error(error)}); check its parameters"
        ) from error


def _split(text: str) -> tuple[str, dict[str, object]]:
    """Name and arguments of a spec, read as literals and never run."""
    of_file = FILE_METRIC.match(text.strip())
    if of_file:
        # A path is no name in Python; what follows it reads like any other spec.
        return of_file[0], _split(f"file{text.strip()[of_file.end() :]}")[1]
    try:
        with warnings.catch_warnings():
            # Python murmurs about odd numbers and escapes in the text; what they mean is clear all the same.
            warnings.simplefilter("ignore")
            call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return call.id, {}
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        arguments: dict[str, object] = {}
        for word in call.keywords:
            if word.arg is None or word.arg in arguments:
                raise ValueError
            arguments[word.arg] = ast.literal_eval(word.value)
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        remedy = 'write name or name(parameter=value, …), such as parent or parent(mix=0.5, tokens="words")'
        raise UsageError(f"cannot read the metric {_shown(text)}; {remedy}") from None
    return call.func.id, arguments


def _shown(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…")
