"""A tuned parameter as tables of text, as JSON and as CSV."""

import math

from factable.report.formats import NO_NUMBER, Output, show, show_with_interval, sign, to_object
from factable.report.terminal import SummaryTable
from factable.stats.bootstrap import Interval
from factable.study.panel import Measured
from factable.study.tuning import STATISTIC, Setting, Tuned, Tuning

CSV_COLUMNS = (
    *("human", "level", "row", "value", "metric", STATISTIC),
    *("mean", "low", "high", "chosen", "p", "reason"),
)


def tuning_output(tuning: Tuning) -> Output:
    """A tuned parameter in every form."""
    shown = {one.best.metric for one in tuning.tuned if one.best} | {tuning.default}
    signatures = [signature for spec, signature in tuning.signatures.items() if spec in shown]
    tables = [
        table
        for one in tuning.tuned
        for table in (_settings_table(tuning, one), _comparison_table(tuning, one))
    ]
    return Output(tables, signatures, _document(tuning), _csv_rows(tuning))


def _settings_table(tuning: Tuning, tuned: Tuned) -> SummaryTable:
    """Every value, the best in bold."""
    rows = tuple((str(one.value), _show(one.correlation), _percent(one.chosen)) for one in tuned.settings)
    best = [(row, 1) for row, one in enumerate(tuned.settings) if one is tuned.best]
    header = (tuning.parameter, STATISTIC, "best in")
    return SummaryTable(
        f"{tuned.human}: {tuning.metric}", header, rows, _sign(tuning, tuned.human), frozenset(best)
    )


def _comparison_table(tuning: Tuning, tuned: Tuned) -> SummaryTable:
    """The best value against the default, on all items and on those left out of the choice."""
    left = tuned.out_of_bag
    chosen = tuned.best.correlation if tuned.best else Measured(math.nan)
    gain = Measured(chosen.value - tuned.default.value)
    rows = (
        (tuned.best.metric if tuned.best else NO_NUMBER, _show(chosen), _show_mean(left.tuned), ""),
        (f"{tuning.default} (default)", _show(tuned.default), _show_mean(left.default), ""),
        ("gain", _show(gain), _show_mean(left.gain), show(left.p)),
    )
    header = ("setting", "chosen and measured on all items", "measured on items not drawn", "p")
    return SummaryTable(f"{tuned.human}: gain", header, rows, _sign(tuning, tuned.human))


def _show(measured: Measured) -> str:
    return show_with_interval(measured.value, measured.low, measured.high)


def _show_mean(found: Interval) -> str:
    return show_with_interval(*found)


def _percent(share: float) -> str:
    return NO_NUMBER if math.isnan(share) else f"{100 * share:.1f} %"


def _sign(tuning: Tuning, human: str) -> str:
    """What the value was chosen by."""
    pieces = {
        "metric": tuning.metric,
        "human": human,
        "level": tuning.level,
        "bootstrap": tuning.draws,
        "seed": tuning.seed,
        "systems": len(tuning.systems),
        "examples": tuning.examples,
    }
    return sign("tune", pieces)


def _document(tuning: Tuning) -> dict[str, object]:
    """One JSON document; a number that is not there is null, with a reason."""
    return {
        "metric": tuning.metric,
        "parameter": tuning.parameter,
        "statistic": STATISTIC,
        "level": tuning.level,
        "bootstrap": tuning.draws,
        "seed": tuning.seed,
        "systems": tuning.systems,
        "examples": tuning.examples,
        "ratings": [_rating(tuning, one) for one in tuning.tuned],
    }


def _rating(tuning: Tuning, tuned: Tuned) -> dict[str, object]:
    left = tuned.out_of_bag
    means: dict[str, object] = {
        name: found._asdict()
        for name, found in (("tuned", left.tuned), ("default", left.default), ("gain", left.gain))
    }
    return {
        "human": tuned.human,
        "best": _setting(tuning, tuned.best) if tuned.best else None,
        "default": {
            "spec": tuning.default,
            "signature": tuning.signatures[tuning.default],
            **to_object(tuned.default),
        },
        "settings": [_setting(tuning, one) for one in tuned.settings],
        "out_of_bag": means | {"p_gain": left.p} | ({"reason": left.reason} if left.reason else {}),
        "left_out": tuned.examples_left_out,
    }


def _setting(tuning: Tuning, setting: Setting) -> dict[str, object]:
    return {
        "parameter": setting.value,
        "spec": setting.metric,
        "signature": tuning.signatures[setting.metric],
        **to_object(setting.correlation),
        "chosen": setting.chosen,
    }


def _csv_rows(tuning: Tuning) -> list[tuple[str | float, ...]]:
    """A row per rating and value, and those of the default and of items not drawn."""
    rows: list[tuple[str | float, ...]] = [CSV_COLUMNS]
    for tuned in tuning.tuned:
        where = (tuned.human, tuning.level)
        for one in tuned.settings:
            it = one.correlation
            numbers = (it.value, it.mean, it.low, it.high)
            rows.append((*where, "setting", str(one.value), one.metric, *numbers, one.chosen, "", it.reason))
        it = tuned.default
        numbers = (it.value, it.mean, it.low, it.high)
        rows.append((*where, "default", "", tuning.default, *numbers, "", "", it.reason))
        left = tuned.out_of_bag
        for name, found in (("tuned", left.tuned), ("default", left.default), ("gain", left.gain)):
            p = left.p if name == "gain" else ""
            rows.append((*where, f"out_of_bag_{name}", "", "", "", *found, "", p, left.reason))
    return rows
