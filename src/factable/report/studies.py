"""Studies in every form: ratings, tuning, preferences, divergence, gold texts, agreement.

Each function gives the tables, the JSON document and the CSV rows of a result; `formats.render` prints them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from factable.report.tables import (
    MARK,
    NO_NUMBER,
    Cell,
    Output,
    TextTable,
    best_first,
    format_percent,
    make_text_table,
    table_signature,
    to_json_object,
)
from factable.stats.bootstrap import Interval
from factable.study.agreement import AgreementStudy, DimensionAgreement, SpanAgreement
from factable.study.divergence import Coverage, DivergenceCurves, DivergenceStudy
from factable.study.gold import GoldScore, GoldStudy
from factable.study.panel import Estimate
from factable.study.preferences import PreferenceStudy
from factable.study.ratings import COMPARED, RatingAgreement, RatingStudy
from factable.study.tuning import STATISTIC, Setting, TunedRating, Tuning

Document = dict[str, object]
CsvRow = tuple[str | float, ...]
ESTIMATE_COLUMNS = ("value", "mean", "low", "high", "deviation", "reason")
HEADS = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "kendall_b": "Kendall tau-b",
    "kendall_c": "Kendall tau-c",
    "pairwise_accuracy": "pairwise accuracy (0–1)",
    "observed_agreement": "observed agreement (0–1)",
    "fleiss_kappa": "Fleiss kappa",
    "alpha_nominal": "alpha nominal",
    "alpha_ordinal": "alpha ordinal",
    "alpha_interval": "alpha interval",
    "character_f1": "character F1 (0–1)",
    "exact_f1": "exact F1 (0–1)",
}
OVER = {"system": "systems", "example": "examples", "item": "the systems of each item"}
LEFT_OUT, ITEMS_LEFT_OUT = "examples left out", "items left out"
DEVIATION = "standard deviation of r"


def csv_cells(number: Estimate) -> CsvRow:
    """The cells of ESTIMATE_COLUMNS."""
    return number.value, number.mean, number.low, number.high, number.deviation, number.reason


def ratings_output(study: RatingStudy) -> Output:
    """Correlations with ratings, best first, and significant differences between metrics.

    Of several ratings there is one table for all of them first.
    """
    tables = [table for human in study.humans for table in _ratings_tables(study, human)]
    if len(study.humans) > 1:
        tables.insert(0, _ratings_overview(study))
    rows = [
        (agreement.metric, agreement.human, study.level, name, *csv_cells(number))
        for agreement in study.agreements
        for name, number in agreement.statistics.items()
    ]
    columns = ("metric", "human", "level", "statistic", *ESTIMATE_COLUMNS)
    return Output(tables, tuple(study.signatures.values()), _ratings_document(study), [columns, *rows])


def _ratings_overview(study: RatingStudy) -> TextTable:
    """Metrics and their correlation with every rating, in the order of the first."""
    columns = {human: _agreements(study, human) for human in study.humans}
    metrics = [row.metric for row in columns[study.humans[0]]]
    numbers = [
        {row.metric: row.statistics[COMPARED] for row in agreements} for agreements in columns.values()
    ]
    worse = [worse_metrics(study, human) for human in study.humans]
    return make_text_table(
        f"all ratings: {HEADS[COMPARED]} of metrics over {OVER[study.level]}, -1 to 1",
        ["metric", *study.humans],
        [[metric, *(column[metric] for column in numbers)] for metric in metrics],
        _ratings_signature(study, ",".join(study.humans)),
        best=study.humans,
        marked=[(metrics.index(metric), number) for number, found in enumerate(worse, 1) for metric in found],
        note=_ratings_note(study),
    )


def _agreements(study: RatingStudy, human: str) -> list[RatingAgreement]:
    """The agreements with one rating, best first."""
    agreements = [agreement for agreement in study.agreements if agreement.human == human]
    return best_first(agreements, lambda agreement: agreement.statistics[COMPARED])


def worse_metrics(study: RatingStudy, human: str) -> list[str]:
    """Metrics that correlate significantly less with a rating than the best one does."""
    best = _agreements(study, human)[0].metric
    return [
        pair.worse
        for pair in study.differences
        if pair.human == human and pair.better == best and pair.p_holm < study.alpha
    ]


def _ratings_note(study: RatingStudy) -> str:
    test = "bootstrap test" if study.draws else "Williams' test"
    how = f"p < {study.alpha:g}, {test} with Holm's correction"
    return f"{MARK} {HEADS[COMPARED]} significantly lower than that of the best metric ({how})."


def _ratings_signature(study: RatingStudy, human: str) -> str:
    return table_signature(
        "study",
        human=human,
        level=study.level,
        bootstrap=study.draws,
        seed=study.seed,
        systems=len(study.systems),
        examples=study.examples,
    )


def _ratings_tables(study: RatingStudy, human: str) -> Iterator[TextTable]:
    signature = _ratings_signature(study, human)
    agreements = _agreements(study, human)
    metrics, worse = [row.metric for row in agreements], worse_metrics(study, human)
    heads = [HEADS[name] for name in agreements[0].statistics]
    column = 1 + [*agreements[0].statistics].index(COMPARED)
    yield make_text_table(
        f"{human}: correlation with metrics over {OVER[study.level]}, -1 to 1",
        ["metric", *heads, DEVIATION, LEFT_OUT, ITEMS_LEFT_OUT],
        [
            [
                row.metric,
                *row.statistics.values(),
                *(row.statistics["pearson"].deviation, row.examples_left_out, row.items_left_out),
            ]
            for row in agreements
        ],
        signature,
        best=heads,
        optional=[LEFT_OUT, ITEMS_LEFT_OUT, *([] if study.draws > 1 else [DEVIATION])],
        marked=[(metrics.index(metric), column) for metric in worse],
        note=_ratings_note(study),
    )
    significant = [pair for pair in study.differences if pair.human == human and pair.p_holm < study.alpha]
    if significant:
        yield make_text_table(
            f"{human}: differences of {HEADS[significant[0].statistic]} with p < {study.alpha:g} "
            "after Holm's correction",
            ["better", "worse", "difference", "p Holm", "p bootstrap", "p Williams", "p permutation"],
            [
                [
                    pair.better,
                    pair.worse,
                    Estimate(pair.difference, low=pair.low, high=pair.high),
                    *(pair.p_holm, pair.p_bootstrap, pair.p_williams, pair.p_permutation),
                ]
                for pair in best_first(significant, lambda pair: pair.difference)
            ],
            signature,
        )


def _ratings_document(study: RatingStudy) -> Document:
    metrics = []
    left_out: dict[str, object] = {}
    for spec, signature in study.signatures.items():
        by_rating = {row.human: row for row in study.agreements if row.metric == spec}
        correlations = {human: estimate_objects(row.statistics) for human, row in by_rating.items()}
        metrics.append({"spec": spec, "signature": signature, "correlations": correlations})
        left_out[spec] = {
            human: {"examples": row.examples_left_out, "items": row.items_left_out}
            for human, row in by_rating.items()
        }
    return {
        "level": study.level,
        "bootstrap": study.draws,
        "seed": study.seed,
        "alpha": study.alpha,
        "systems": study.systems,
        "examples": study.examples,
        "metrics": metrics,
        "comparisons": list(map(to_json_object, study.differences)),
        "left_out": left_out,
    }


def estimate_objects(numbers: Mapping[str, Estimate]) -> Document:
    """The JSON objects of numbers by their names."""
    return {name: to_json_object(number) for name, number in numbers.items()}


def tuning_output(tuning: Tuning) -> Output:
    """The correlation of every value, and the gain over the default."""
    tables = [table for rating in tuning.tuned for table in _tuning_tables(tuning, rating)]
    specs = {rating.best.metric for rating in tuning.tuned if rating.best} | {tuning.default}
    signatures = [signature for spec, signature in tuning.signatures.items() if spec in specs]
    document = {
        "metric": tuning.metric,
        "parameter": tuning.parameter,
        "statistic": STATISTIC,
        "level": tuning.level,
        "bootstrap": tuning.draws,
        "seed": tuning.seed,
        "systems": tuning.systems,
        "examples": tuning.examples,
        "ratings": [_tuned_object(tuning, rating) for rating in tuning.tuned],
    }
    columns = (
        *("human", "level", "row", "value", "metric", STATISTIC),
        *("mean", "low", "high", "chosen", "p", "reason"),
    )
    rows = [row for rating in tuning.tuned for row in _tuned_csv_rows(tuning, rating)]
    return Output(tables, signatures, document, [columns, *rows])


def _tuning_tables(tuning: Tuning, rating: TunedRating) -> Iterator[TextTable]:
    signature = table_signature(
        "tune",
        metric=tuning.metric,
        human=rating.human,
        level=tuning.level,
        bootstrap=tuning.draws,
        seed=tuning.seed,
        systems=len(tuning.systems),
        examples=tuning.examples,
    )
    yield make_text_table(
        f"{rating.human}: {tuning.metric}, correlation over {OVER[tuning.level]}, -1 to 1",
        [tuning.parameter, HEADS[STATISTIC], "draws where best"],
        [
            [str(setting.value), setting.correlation, format_percent(setting.chosen)]
            for setting in rating.settings
        ],
        signature,
        bold=[(row, 1) for row, setting in enumerate(rating.settings) if setting is rating.best],
    )
    held_out = rating.out_of_bag
    best = rating.best.correlation if rating.best else Estimate(math.nan)
    rows: list[list[Cell]] = [
        [rating.best.metric if rating.best else NO_NUMBER, best, _estimate(held_out.tuned), ""],
        [f"{tuning.default} (default)", rating.default, _estimate(held_out.default), ""],
        ["gain", best.value - rating.default.value, _estimate(held_out.gain), held_out.p],
    ]
    header = ["setting", "chosen and measured on all items", "measured on items not drawn", "p"]
    yield make_text_table(f"{rating.human}: gain over the default", header, rows, signature)


def _estimate(interval: Interval) -> Estimate:
    return Estimate(interval.mean, low=interval.low, high=interval.high)


def _tuned_object(tuning: Tuning, rating: TunedRating) -> Document:
    held_out = rating.out_of_bag
    means: Document = {
        "tuned": held_out.tuned._asdict(),
        "default": held_out.default._asdict(),
        "gain": held_out.gain._asdict(),
        "p_gain": held_out.p,
    }
    return {
        "human": rating.human,
        "best": _setting_object(tuning, rating.best) if rating.best else None,
        "default": {
            "spec": tuning.default,
            "signature": tuning.signatures[tuning.default],
            **to_json_object(rating.default),
        },
        "settings": [_setting_object(tuning, setting) for setting in rating.settings],
        "out_of_bag": means | ({"reason": held_out.reason} if held_out.reason else {}),
        "left_out": rating.examples_left_out,
    }


def _setting_object(tuning: Tuning, setting: Setting) -> Document:
    return {
        "parameter": setting.value,
        "spec": setting.metric,
        "signature": tuning.signatures[setting.metric],
        **to_json_object(setting.correlation),
        "chosen": setting.chosen,
    }


def _tuned_csv_rows(tuning: Tuning, rating: TunedRating) -> Iterator[CsvRow]:
    start = (rating.human, tuning.level)
    for setting in rating.settings:
        *numbers, reason = csv_cells(setting.correlation)
        yield *start, "setting", str(setting.value), setting.metric, *numbers, setting.chosen, "", reason
    *numbers, reason = csv_cells(rating.default)
    yield *start, "default", "", tuning.default, *numbers, "", "", reason
    held_out = rating.out_of_bag
    for name in ("tuned", "default", "gain"):
        p = held_out.p if name == "gain" else ""
        yield *start, f"out_of_bag_{name}", "", "", "", *getattr(held_out, name), "", p, held_out.reason


def preferences_output(study: PreferenceStudy) -> Output:
    """Scores of systems, agreement of metrics with people, and significant differences between metrics."""
    document = {
        "bootstrap": study.draws,
        "seed": study.seed,
        "items": study.items,
        "preferences": study.preferences,
        "pairs": study.pairs,
        "undecided": study.undecided,
        "systems": list(map(to_json_object, study.systems)),
        "metrics": [
            {"spec": spec, "signature": study.signatures[spec], **numbers}
            for spec, numbers in _by_metric(list(map(to_json_object, study.agreements)))
        ],
        "comparisons": list(map(to_json_object, study.differences)),
    }
    rows: list[CsvRow] = [("kind", "name", "statistic", *ESTIMATE_COLUMNS)]
    rows += [("system", score.system, "thurstone", *csv_cells(score.score)) for score in study.systems]
    for agreement in study.agreements:
        rows.append(("metric", agreement.metric, "accuracy", *csv_cells(agreement.accuracy)))
        rows.append(("metric", agreement.metric, "pearson", *csv_cells(agreement.pearson)))
    return Output(list(_preference_tables(study)), tuple(study.signatures.values()), document, rows)


def _by_metric(objects: Sequence[Document]) -> Iterator[tuple[str, Document]]:
    for fields in objects:
        yield str(fields["metric"]), {name: value for name, value in fields.items() if name != "metric"}


def _preference_tables(study: PreferenceStudy) -> Iterator[TextTable]:
    signature = table_signature(
        "preferences",
        bootstrap=study.draws,
        seed=study.seed,
        systems=len(study.systems),
        items=study.items,
        preferences=study.preferences,
        pairs=study.pairs,
        undecided=study.undecided,
    )
    yield make_text_table(
        "systems, as people see them",
        ["system", "Thurstone score", "comparisons", "won", "tied"],
        [
            [system.system or "(unnamed)", system.score, system.compared, system.won, system.tied]
            for system in best_first(study.systems, lambda system: system.score)
        ],
        signature,
        best=["Thurstone score"],
    )
    accuracy, pearson = "accuracy on pairs (0–1)", "Pearson r over systems (-1 to 1)"
    yield make_text_table(
        "metrics against people",
        ["metric", accuracy, pearson, "pairs", "tied pairs", "unscored pairs"],
        [
            [
                *(agreement.metric, agreement.accuracy, agreement.pearson),
                *(agreement.pairs, agreement.tied, agreement.unscored),
            ]
            for agreement in best_first(study.agreements, lambda agreement: agreement.accuracy)
        ],
        signature,
        best=[accuracy, pearson],
        optional=["tied pairs", "unscored pairs"],
    )
    significant = [pair for pair in study.differences if pair.p_holm < study.alpha]
    if significant:
        header = ["better", "worse", "pairs", "only better right", "only worse right", "p McNemar", "p Holm"]
        rows: list[list[Cell]] = [
            [
                *(pair.better, pair.worse, pair.pairs),
                *(pair.only_better, pair.only_worse, pair.p_mcnemar, pair.p_holm),
            ]
            for pair in sorted(significant, key=lambda pair: pair.p_holm)
        ]
        yield make_text_table(f"differences of accuracy with p < {study.alpha:g}", header, rows, signature)


BINS = 20
DECILES = tuple(range(10, 100, 10))


def divergence_output(study: DivergenceStudy) -> Output:
    """The coverage of the data, and the curves where there are labels."""
    coverage, curves = study.coverage, study.divergence
    tables = [_coverage_table(coverage)]
    signatures = dict.fromkeys([coverage.signature])
    rows: list[CsvRow] = [("metric", "human", "level", "share", "mean", "low", "high", "reason")]
    if curves:
        tables += [_curve_table(curves, human) for human in curves.humans]
        signatures |= dict.fromkeys(curves.signatures.values())
        rows += [
            (
                curve.metric,
                curve.human,
                curves.level,
                point.share,
                point.mean,
                point.low,
                point.high,
                point.reason,
            )
            for curve in curves.curves
            for point in curve.points
        ]
    document = {
        "coverage": {
            "items": len(coverage.values),
            "left_out": coverage.items_left_out,
            "mean": _mean(coverage),
            "deciles": _deciles(coverage),
            "histogram": coverage_bins(coverage)[0],
            "signature": coverage.signature,
        },
        "divergence": _curves_object(curves) if curves else None,
    }
    return Output(tables, tuple(signatures), document, rows)


def coverage_bins(coverage: Coverage) -> tuple[list[int], list[float]]:
    """How many items are in each of the equal bins from 0 to 1, and the edges of the bins."""
    counts, edges = np.histogram(np.clip(coverage.values, 0, 1), bins=BINS, range=(0, 1))
    return counts.tolist(), edges.tolist()


def _deciles(coverage: Coverage) -> list[float]:
    if not len(coverage.values):
        return [math.nan] * len(DECILES)
    deciles: list[float] = np.percentile(coverage.values, DECILES).tolist()
    return deciles


def _mean(coverage: Coverage) -> float:
    return float(coverage.values.mean()) if len(coverage.values) else math.nan


def _coverage_table(coverage: Coverage) -> TextTable:
    items = len(coverage.values)
    return make_text_table(
        "share of the data that the references have (1 − λ of PARENT, 0–1): mean and percentiles",
        ["items", "mean", *(f"{decile} %" for decile in DECILES), ITEMS_LEFT_OUT],
        [[items, _mean(coverage), *_deciles(coverage), coverage.items_left_out]],
        table_signature("coverage", items=items),
        optional=[ITEMS_LEFT_OUT],
    )


def _curve_table(curves: DivergenceCurves, human: str) -> TextTable:
    """Means by share of entailed items, the best of each share in bold."""
    heads = [f"{share:.0%}".replace("%", " %") for share in curves.shares]
    return make_text_table(
        f"{human}: Pearson r (-1 to 1) by the share of items whose references are entailed",
        ["metric", *heads, LEFT_OUT],
        [
            [curve.metric, *(point.mean for point in curve.points), curve.examples_left_out]
            for curve in curves.curves
            if curve.human == human
        ],
        table_signature(
            "divergence",
            human=human,
            label=curves.label,
            level=curves.level,
            draws=curves.draws,
            seed=curves.seed,
            systems=len(curves.systems),
            entailed=curves.entailed,
            divergent=curves.divergent,
            sample=curves.sample,
        ),
        best=heads,
        optional=[LEFT_OUT],
    )


def _curves_object(curves: DivergenceCurves) -> Document:
    names = ("label", "level", "draws", "seed", "systems", "entailed", "divergent", "sample")
    metrics = []
    for spec, signature in curves.signatures.items():
        of_metric = [curve for curve in curves.curves if curve.metric == spec]
        metrics.append(
            {
                "spec": spec,
                "signature": signature,
                "curves": {curve.human: list(map(to_json_object, curve.points)) for curve in of_metric},
                "left_out": {curve.human: curve.examples_left_out for curve in of_metric},
            }
        )
    return {**{name: getattr(curves, name) for name in names}, "metrics": metrics}


def gold_output(study: GoldStudy) -> Output:
    """What metrics give to gold texts and to paraphrases; metrics with the same parts share a table."""
    settings = {name: getattr(study, name) for name in ("tables", "left_out", "texts", "pairs")}
    signature = table_signature("gold", **settings)
    groups: dict[tuple[str, ...], list[GoldScore]] = {}
    for score in study.scores:
        groups.setdefault(tuple(score.parts), []).append(score)
    tables = [
        make_text_table(
            "references against themselves (gold) and against paraphrases",
            ("metric", "reference", "value", *parts, "kept (paraphrase / gold)"),
            [row for score in scores for row in _gold_rows(score)],
            signature,
        )
        for parts, scores in groups.items()
    ]
    columns = ("metric", "gold", "paraphrase", "kept", "reason")
    document = {
        "signatures": study.signatures,
        **settings,
        "reached": list(map(to_json_object, study.scores)),
    }
    rows = [tuple(getattr(score, name) for name in columns) for score in study.scores]
    return Output(tables, tuple(study.signatures.values()), document, [columns, *rows])


def _gold_rows(score: GoldScore) -> list[tuple[str | float, ...]]:
    """A row for each kind of reference, with the parts of the metric."""
    gold, paraphrase = zip(*score.parts.values(), strict=True) if score.parts else ((), ())
    return [
        (score.metric, "itself", score.gold, *gold, 1.0),
        ("", "a paraphrase", score.paraphrase, *paraphrase, score.kept),
    ]


def agreement_output(study: AgreementStudy) -> Output:
    """Agreement of annotators; no metric is in it, and so no signature of one."""
    settings = {
        "bootstrap": study.draws,
        "seed": study.seed,
        "texts": study.texts,
        "annotators": study.annotators,
    }
    signature = table_signature("agreement", **settings)
    tables = []
    if study.dimensions:
        names = [agreement.dimension for agreement in study.dimensions]
        tables.append(_agreement_table("ratings and labels", "dimension", names, study.dimensions, signature))
    if study.spans:
        names = [agreement.kind or "(any)" for agreement in study.spans]
        tables.append(_agreement_table("spans", "kind", names, study.spans, signature))
    document = {
        **settings,
        "dimensions": list(map(to_json_object, study.dimensions)),
        "spans": list(map(to_json_object, study.spans)),
    }
    # Spans of any kind have no name.
    agreements: list[tuple[str, str, Mapping[str, Estimate]]] = [
        *(("dimension", agreement.dimension, agreement.statistics) for agreement in study.dimensions),
        *(("spans", agreement.kind or "", agreement.statistics) for agreement in study.spans),
    ]
    rows = [
        (kind, name, statistic, *csv_cells(number))
        for kind, name, statistics in agreements
        for statistic, number in statistics.items()
    ]
    return Output(tables, (), document, [("kind", "name", "statistic", *ESTIMATE_COLUMNS), *rows])


def _agreement_table(
    title: str,
    first: str,
    names: Sequence[str],
    agreements: Sequence[DimensionAgreement | SpanAgreement],
    signature: str,
) -> TextTable:
    heads = [HEADS[name] for name in agreements[0].statistics]
    return make_text_table(
        title,
        [first, *heads, "texts", "annotators", "texts left out"],
        [
            [name, *agreement.statistics.values(), agreement.texts, agreement.annotators, agreement.left_out]
            for name, agreement in zip(names, agreements, strict=True)
        ],
        signature,
        optional=["texts left out"],
    )
