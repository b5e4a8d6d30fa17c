"""Metrics by name: spec text -> metric. A new metric is one line here; nothing loads until asked for."""

import ast
import warnings
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from factable.core.metric import Metric
from factable.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


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
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        built_in: type[Metric] = getattr(import_module(module), attribute)
        return built_in
    for point in _plug_ins().select(name=name):
        try:
            plug_in: type[Metric] = point.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(f"metric {name!r} cannot be loaded from {point.value} ({error})") from None
        return plug_in
    known = names()
    raise UsageError(f"no metric {_shown(name)}; {did_you_mean(name, known)}metrics are {', '.join(known)}")


def parse(text: str) -> Metric:
    """The metric that a spec such as `parent(mix=0.5)` stands for."""
    name, arguments = _split(text)
    metric = load(name)
    parameters = [field.name for field in fields(metric)]  # type: ignore[arg-type]
    for argument in arguments:
        if argument not in parameters:
            hint = did_you_mean(argument, parameters)
            known = ", ".join(parameters)
            raise UsageError(f"{name} has no parameter {_shown(argument)}; {hint}parameters are {known}")
    try:
        return metric(**arguments)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        # A value of a kind that the metric did not think of, such as a list for a name.
        raise UsageError(f"cannot make the metric {_shown(text)} ({error}); check its parameters") from None


def _split(text: str) -> tuple[str, dict[str, object]]:
    """Name and arguments of a spec, read as literals and never run."""
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
