"""The ledger: every fact of the data and every claim of the text accounted for, with spans."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypedDict

from factable.core.metric import Metric, metric, param
from factable.errors import UsageError, suggest_parameters
from factable.io.faults import kind_of
from factable.io.rows import table_of
from factable.metrics.ledger.audit import audit
from factable.metrics.ledger.decide import make_verdict
from factable.metrics.ledger.doubts import doubts_of
from factable.metrics.ledger.opinions import mean, phrase_scores
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.required import is_structured
from factable.metrics.ledger.second_opinion import load_judge, settle_doubts, with_rules_of
from factable.metrics.ledger.structured import NO_MARKS, StructuredReading
from factable.metrics.ledger.structured_verdict import structured_verdicts
from factable.metrics.ledger.verdict import JudgedVerdict, Rules, Verdict
from factable.metrics.ledger.verdict_metric import COUNTS, RATES, Unscored, VerdictMetric
from factable.metrics.ledger.weights import load_ledger_weights, load_structured_weights, weights_checksum
from factable.metrics.selection import FactNames, Selection, names_in
from factable.models.marks import MarkedSentence, mark_sentences, marks_identity
from factable.models.nli import entailment_of_groups, nli_identity
from factable.models.qa import answer_questions, qa_identity
from factable.models.templates import load_templates, templates_checksum
from factable.text.schema_hints import SchemaHints, units_by_name, words_by_name
from factable.types import Example


@metric
class Ledger(VerdictMetric):
    """Facts of the data that are missing and claims of the text that are made up, with their spans."""

    name = "ledger"

    model: str = param(
        "nli",
        '"nli", which is embedded, a folder made by `factable train nli`, or a Hugging Face model',
        file=True,
    )
    templates: str = param(
        "default",
        'how facts become sentences: "default", "webnlg", "e2e", "backoff" (one for all) or a JSON file',
        example="backoff",
    )
    required: str = param(
        "",
        "only these facts must be stated, such as food,area=riverside; default: see `small`",
        example="born",
    )
    optional: str = param("", "facts that may be left out, such as near,eatType=restaurant", example="born")
    small: int = param(
        12,
        "all facts of an object must be stated if there are at most so many; else those in `required`",
        range=(0, 10_000),
    )
    technical: str = param(
        "",
        "facts for programs, which no text need say, such as *.sku; ids and URLs are known",
        example="born",
    )
    labels: str = param(
        "", "what names in the data mean, such as PTS=points,stats.fg=field goals", example="born=birth date"
    )
    units: str = param(
        "", "units, currencies and scales of values, such as price=EUR,sales=USD million", example="born=EUR"
    )
    ignore: str = param("", "facts to leave out of the check, such as near", example="born")
    omission: float = param(0.5, "probability from which a fact counts as stated", range=(0.0, 1.0))
    hallucination: float = param(
        0.5, "probability from which a sentence counts as supported", range=(0.0, 1.0)
    )
    evidence: str = param(
        "best",
        '"best", or "fast": without the models that mark words and answer questions',
        choices=("best", "fast"),
    )
    value: str = param(
        "soft", '"soft", a score in degrees, or "ok": 1 for a text that is OK, else 0', choices=("soft", "ok")
    )
    weights: str = param(
        "", "a file made by `factable train ledger`; without one, the weights that ship", file=True
    )

    judge: str = param(
        "",
        "a language model that is asked where the ledger is in doubt: an address such as "
        "http://localhost:8080/v1, with the name of a model behind a #, or a spec of the metric judge",
        example="judge",
    )
    doubt_from: float = param(0.3, "lowest probability of OK at which the judge is asked", range=(0.0, 1.0))
    doubt_to: float = param(0.7, "highest probability of OK at which the judge is asked", range=(0.0, 1.0))

    @property
    def parts(self) -> tuple[str, ...]:
        """Rates; with a judge, also the share of texts that it was asked about, and what that took."""
        return (*RATES, "asked", "tokens", "cost") if self.judge else RATES

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the model, the templates, the weights and the prompts of a judge."""
        of_judge = self._judge.checksums() if self.judge else {}
        return {
            **{f"judge_{name}": checksum for name, checksum in of_judge.items()},
            "model": nli_identity(self.model),
            "templates": templates_checksum(self.templates),
            "weights": weights_checksum(self.weights),
            **(_checksums_of_best() if self.is_best else {}),
        }

    @property
    def is_best(self) -> bool:
        """Whether all models are asked."""
        return self.evidence == "best"

    @property
    def fact_names(self) -> Mapping[str, frozenset[str]]:
        """Those that must be stated, those that may, those that are not looked at, and those explained."""
        names = ("required", "optional", "ignore", "technical")
        hints = {"labels": frozenset(self.hints.labels), "units": frozenset(self.hints.units)}
        return {name: names_in(getattr(self, name)) for name in names} | hints

    def check(self) -> None:
        """Refuse labels and units that cannot be read, and a judge that is none."""
        _ = self.hints
        if self.doubt_from > self.doubt_to:
            raise self.bad("doubt_from", f"at most doubt_to, which is {self.doubt_to:g}")
        if self.judge:
            _ = self._judge

    @property
    def _judge(self) -> VerdictMetric:
        return with_rules_of(load_judge(self.judge), self)

    def signature_parts(self) -> list[str]:
        """The server and the model of a judge, where the environment names them."""
        return self._judge.signature_parts() if self.judge else []

    @property
    def hints(self) -> SchemaHints:
        """What the names in the data mean."""
        return SchemaHints(
            words_by_name(self.labels, "labels", "PTS=points"),
            units_by_name(self.units, "units"),
            names_in(self.technical),
        )

    @property
    def rules(self) -> Rules:
        """What counts as a fault."""
        selection = Selection(names_in(self.required), names_in(self.optional) | names_in(self.technical))
        return Rules(selection, names_in(self.ignore), self.omission, self.hallucination, self.small)

    def verdicts(self, examples: Sequence[Example]) -> list[Verdict]:
        """The ledger of each text, settled by the judge where there is one and the ledger is in doubt."""
        verdicts = self._own_verdicts(examples)
        if not self.judge:
            return verdicts
        return settle_doubts(self._judge, examples, verdicts, self.doubt_from, self.doubt_to)

    def _own_verdicts(self, examples: Sequence[Example]) -> list[Verdict]:
        structured = [is_structured(example.table) for example in examples]
        by_kind = {
            True: iter(
                self._structured([each for each, is_so in zip(examples, structured, strict=True) if is_so])
            ),
            False: iter(
                self._plain([each for each, is_so in zip(examples, structured, strict=True) if not is_so])
            ),
        }
        return [next(by_kind[is_so]) for is_so in structured]

    def _structured(self, examples: Sequence[Example]) -> list[Verdict]:
        """Verdicts on texts beside objects and rows."""
        if not examples:
            return []
        readings = [StructuredReading(example, self.hints) for example in examples]
        return structured_verdicts(
            readings,
            self._marks(readings),
            self.rules,
            load_structured_weights(self.evidence),
            load_templates(self.templates),
            partial(entailment_of_groups, self.model),
            partial(answer_questions, QA_MODEL) if self.is_best else None,
        )

    def _marks(self, readings: Sequence[StructuredReading]) -> list[list[MarkedSentence]]:
        if not self.is_best:
            return [[NO_MARKS] * len(reading.sentences) for reading in readings]
        marked = iter(mark_sentences(MARKS_MODEL, [pair for reading in readings for pair in reading.pairs]))
        return [[next(marked) for _ in reading.pairs] for reading in readings]

    def _plain(self, examples: Sequence[Example]) -> list[Verdict]:
        """Verdicts on texts beside triples and slots."""
        templates, weights = load_templates(self.templates), load_ledger_weights(self.weights, self.evidence)
        ask = partial(entailment_of_groups, self.model)
        ask_questions = partial(answer_questions, QA_MODEL) if self.is_best else None
        readings = [Reading.of(example, templates, self.hints) for example in examples]
        audits = audit(readings, weights, ask, ask_questions)
        doubts = [doubts_of(each, self.rules, templates) for each in audits]
        answers = ask([each.pairs for each in doubts])
        return [make_verdict(*each, self.rules) for each in zip(audits, doubts, answers, strict=True)]

    def more_counts(self, verdict: Verdict | Unscored) -> tuple[float, ...]:
        """Whether the judge was asked, and what that took."""
        if not self.judge:
            return ()
        if not isinstance(verdict, JudgedVerdict):
            return (0.0, 0.0, 0.0)
        return 1.0, verdict.tokens, verdict.cost

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Rates of one or many texts; with a judge, the share that it was asked about and what that took."""
        rates = VerdictMetric.finish(self, totals)
        if self.judge:
            names = ("asked", "tokens", "cost")
            rates |= {name: total / totals[0] for name, total in zip(names, totals[COUNTS:], strict=True)}
        return rates

    def values(self, examples: Sequence[Example], verdicts: Sequence[Verdict | Unscored]) -> list[float]:
        """The value of each text; beside triples and slots, the mean with what the models say of it."""
        if self.value == "ok":
            return [float(isinstance(verdict, Verdict) and verdict.is_ok) for verdict in verdicts]
        values = VerdictMetric.values(self, examples, verdicts)
        plain = {
            index: verdict
            for index, (example, verdict) in enumerate(zip(examples, verdicts, strict=True))
            if isinstance(verdict, Verdict) and self.is_best
            if not is_structured(example.table) and example.text.strip()
        }
        opinions = [verdict.opinions for verdict in plain.values()]
        ask = partial(answer_questions, QA_MODEL)
        of_phrases = phrase_scores([examples[index] for index in plain], opinions, ask)
        for index, opinion, phrases in zip(plain, opinions, of_phrases, strict=True):
            values[index] = mean([values[index], opinion.entailed, mean([opinion.answered, phrases])])
        return values


MARKS_MODEL, QA_MODEL = "marks", "qa-relations"


def _checksums_of_best() -> dict[str, str]:
    """Checksums of the models that only the best evidence needs."""
    return {
        "marks": marks_identity(MARKS_MODEL),
        "relations": qa_identity(QA_MODEL),
    }


class LedgerOptions(TypedDict, total=False):
    """The parameters of the ledger, for functions that pass them on."""

    model: str
    templates: str
    required: str
    optional: str
    small: int
    technical: str
    labels: str
    units: str
    ignore: str
    omission: float
    hallucination: float
    evidence: str
    value: str
    weights: str
    judge: str
    doubt_from: float
    doubt_to: float


@suggest_parameters
def check(
    data: object,
    text: str,
    *,
    subject: str = "",
    title: str = "",
    model: str = "nli",
    templates: str = "default",
    required: str = "",
    optional: str = "",
    small: int = 12,
    technical: str = "",
    labels: str = "",
    units: str = "",
    ignore: str = "",
    omission: float = 0.5,
    hallucination: float = 0.5,
    evidence: str = "best",
    value: str = "soft",
    weights: str = "",
    judge: str = "",
    doubt_from: float = 0.3,
    doubt_to: float = 0.7,
) -> Verdict:
    """The ledger of one text.

    `data` has any form that files may have, as JSON or as objects of Python: dicts, dataclasses, pydantic
    models, rows of data frames, with dates, decimals, enumerations, sets and NumPy scalars in them. The rest
    is as in the metric.
    """
    metric = Ledger(
        model=model,
        templates=templates,
        required=required,
        optional=optional,
        small=small,
        technical=technical,
        labels=labels,
        units=units,
        ignore=ignore,
        omission=omission,
        hallucination=hallucination,
        evidence=evidence,
        value=value,
        weights=weights,
        judge=judge,
        doubt_from=doubt_from,
        doubt_to=doubt_to,
    )
    return metric.verdicts([example_of(metric, data, text, subject=subject, title=title)])[0]


def example_of(metric: Metric, data: object, text: str, *, subject: str = "", title: str = "") -> Example:
    """What `check` is asked about as an example, with no fact misspelt in the parameters of the metric."""
    if not isinstance(text, str):
        raise UsageError(f"`text` is {kind_of(text)}; give the text as a string")
    table = table_of(data, subject=subject, title=title)
    FactNames.of([metric.fact_names]).without_known(table.records).refuse_misspelt(table.records)
    return Example("", "", text, table)
