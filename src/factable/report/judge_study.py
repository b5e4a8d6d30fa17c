"""A study of judges in every form: verdicts against people, cost and time, agreement with each other."""

from typing import cast

from factable.report.studies import Document, csv_cells
from factable.report.tables import Output, make_text_table, table_signature, to_json_object
from factable.report.verdict_study import verdicts_output
from factable.study.judges import JudgeStudy


def judges_output(study: JudgeStudy) -> Output:
    """What each costs and how far they agree, then all that a study of verdicts tells."""
    verdicts = verdicts_output(study.verdicts)
    signature = table_signature(
        "judges",
        bootstrap=study.verdicts.draws,
        seed=study.verdicts.seed,
        systems=len(study.verdicts.systems),
        examples=study.verdicts.examples,
    )
    costs = make_text_table(
        "what it takes",
        [
            "metric",
            "asked (0–1)",
            "tokens",
            "cost",
            "seconds of the model",
            "other seconds",
            "texts",
            "unscored",
        ],
        [
            [
                *(each.metric, each.asked, each.tokens, each.cost, each.model_seconds, each.own_seconds),
                *(each.texts, each.unscored),
            ]
            for each in study.costs
        ],
        signature,
        optional=["unscored"],
    )
    agreements = make_text_table(
        "agreement on OK or not",
        ["first", "second", "same label (0–1)", "kappa", "texts"],
        [[each.first, each.second, each.observed, each.kappa, each.texts] for each in study.agreements],
        signature,
    )
    document = {
        **cast(Document, verdicts.document),
        "costs": list(map(to_json_object, study.costs)),
        "agreements": list(map(to_json_object, study.agreements)),
    }
    columns = verdicts.csv_rows[0]
    more = [
        (each.metric, "", "", "", "", name, getattr(each, name), *[""] * (len(columns) - 7))
        for each in study.costs
        for name in ("asked", "tokens", "cost", "model_seconds", "own_seconds")
    ]
    pairs = [
        (each.first, each.second, "", "", "", name, *csv_cells(number))
        for each in study.agreements
        for name, number in (("same_label", each.observed), ("kappa", each.kappa))
    ]
    return Output(
        [costs, agreements, *verdicts.tables],
        verdicts.signatures,
        document,
        [*verdicts.csv_rows, *more, *pairs],
    )
