"""Metrics against human judgements: one module per study, each with a function and its result.

Every study takes files, examples or a `Panel` (examples that are scored already) and gives a frozen result;
`factable.report.render` prints it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factable.study.agreement import study_agreement
    from factable.study.divergence import study_divergence
    from factable.study.gold import study_gold
    from factable.study.judges import judge_metrics, study_judges
    from factable.study.panel import Panel, score_panel
    from factable.study.preferences import study_preferences
    from factable.study.ratings import study_ratings
    from factable.study.spans import study_spans
    from factable.study.tuning import tune
    from factable.study.verdicts import study_verdicts

__all__ = [
    "Panel",
    "judge_metrics",
    "score_panel",
    "study_agreement",
    "study_divergence",
    "study_gold",
    "study_judges",
    "study_preferences",
    "study_ratings",
    "study_spans",
    "study_verdicts",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'factable.study' has no attribute {name!r}")
    module = {"Panel": "panel", "judge_metrics": "judges", "score_panel": "panel", "tune": "tuning"}.get(
        name, name.removeprefix("study_")
    )
    return getattr(import_module(f"factable.study.{module}"), name)
