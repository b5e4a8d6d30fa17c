"""Judge: a language model of one's own accounts for every fact and every claim, held to the ledger."""

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from factable.core.metric import metric, param
from factable.errors import UsageError
from factable.metrics.judge.answers import Sample, read_answer
from factable.metrics.judge.majority import empty_verdict, majority
from factable.metrics.judge.material import FORMS, Material
from factable.metrics.judge.prompts import DEFAULT_PROMPTS, load_prompts, prompts_checksum
from factable.metrics.ledger.verdict import JudgedVerdict, Rules, Verdict
from factable.metrics.ledger.verdict_metric import COUNTS, RATES, Unscored, VerdictMetric
from factable.metrics.selection import Selection, names_in
from factable.metrics.tables import NO_FACTS
from factable.models.llm.client import Answer, Failure, ask
from factable.models.llm.endpoint import (
    ANY_MODEL,
    APIS,
    KEY_VARIABLE,
    Endpoint,
    Sampling,
    is_variable,
    url_problem,
)
from factable.models.llm.usage import Prices, parse_prices
from factable.types import Example

URL_VARIABLE = "FACTABLE_JUDGE_URL"
MODEL_VARIABLE = "FACTABLE_JUDGE_MODEL"


@metric
class Judge(VerdictMetric):
    """A language model says which facts are stated and which claims are supported, with quotes."""

    name = "judge"
    parts = (*RATES, "agreement", "dropped", "tokens", "cost")
    scales = MappingProxyType({**VerdictMetric.scales, "dropped": "per 100 quotes"})

    url: str = param(
        "",
        "address of a server, such as http://localhost:8080/v1; if not given, the one in the environment "
        "variable FACTABLE_JUDGE_URL",
        example="http://localhost:8080/v1",
    )
    model: str = param(
        "",
        "the model's name on that server; if not given, FACTABLE_JUDGE_MODEL, or whatever the server has",
        example="llama-3.1-8b-instruct",
    )
    api: str = param(
        "auto",
        'format of requests: "openai" (also vLLM, llama.cpp, Ollama, TGI), "anthropic", or by the address',
        choices=("auto", *APIS),
    )
    key: str = param(
        KEY_VARIABLE,
        "name of the environment variable that holds the key; never the key itself",
        example="OPENAI_API_KEY",
    )
    prompts: str = param(DEFAULT_PROMPTS, '"judge-1", or a TOML file with prompts of your own', file=True)
    data: str = param(
        "auto",
        'how the data is shown: "json", "table", "triples", or whichever suits it',
        choices=FORMS,
    )
    structured: str = param(
        "auto",
        'how strictly JSON is asked for: by "schema", as "json", not at all ("none"), or as far as the '
        "server goes",
        choices=("auto", "schema", "json", "none"),
    )
    samples: int = param(1, "answers for each text, of which the majority counts", range=(1, 99))
    temperature: float = param(0.0, "of the answers; above 0 for several samples", range=(0.0, 2.0))
    seed: int = param(0, "random seed of the first sample, where the server takes one", range=(0, 2**31))
    max_tokens: int = param(2048, "the longest answer, in tokens", range=(1, 1_000_000))
    prices: str = param(
        "", "price of a million tokens, read and written, such as 0.15,0.60", example="0.15,0.60"
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
    ignore: str = param("", "facts to leave out of the check, such as near", example="born")

    def check(self) -> None:
        """Refuse addresses and names that cannot be used, without repeating what may be secret."""
        problem = url_problem(self.url) if self.url else ""
        if problem:
            raise UsageError(f"judge: url is {problem}; give one such as http://localhost:8080/v1")
        if not is_variable(self.key):
            remedy = f"put the key into an environment variable and name it, such as {KEY_VARIABLE}"
            raise UsageError(f"judge: key is no name of an environment variable; {remedy}")
        if self.samples > 1 and not self.temperature:
            raise self.bad("temperature", "above 0 where samples is above 1, or all samples are the same")
        if parse_prices(self.prices) is None:
            raise self.bad("prices", "two numbers, such as 0.15,0.60")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the prompts."""
        return {"prompts": prompts_checksum(self.prompts)}

    def signature_parts(self) -> list[str]:
        """The server and the model, where the environment names them."""
        url, model = self._asked
        return (
            [] if (url, model) == (self.url, self.model) else [f"asked:{url or 'none'}#{model or ANY_MODEL}"]
        )

    @property
    def _asked(self) -> tuple[str, str]:
        url = self.url or os.environ.get(URL_VARIABLE, "")
        return url, self.model or os.environ.get(MODEL_VARIABLE, "")

    @property
    def endpoint(self) -> Endpoint:
        """The served model."""
        url, model = self._asked
        if not url:
            raise UsageError(
                f"judge: no url; give one such as http://localhost:8080/v1, or set {URL_VARIABLE}"
            )
        problem = url_problem(url)
        if problem:
            raise UsageError(f"{URL_VARIABLE} is {problem}; set one such as http://localhost:8080/v1")
        return Endpoint.of(url, api=self.api, model=model, key_variable=self.key)

    @property
    def fact_names(self) -> Mapping[str, frozenset[str]]:
        """Those that must be stated, those that may, and those that are not looked at."""
        return {name: names_in(getattr(self, name)) for name in ("required", "optional", "ignore")}

    @property
    def rules(self) -> Rules:
        """Which facts count."""
        selection = Selection(names_in(self.required), names_in(self.optional))
        return Rules(selection, names_in(self.ignore), small=self.small)

    def verdicts(self, examples: Sequence[Example]) -> list[Verdict | Unscored]:
        """The model's ledger of each text; a text without words or facts is not asked about."""
        materials = [Material.of(example, self.rules, self.data) for example in examples]
        prompts = load_prompts(self.prompts)
        asked = [material for material in materials if _is_asked(material)]
        seeds = range(self.seed, self.seed + self.samples)
        questions = [prompts.question(material, seed) for material in asked for seed in seeds]
        sampling = Sampling(self.temperature, self.max_tokens, self.structured)
        answers = iter(ask(self.endpoint, sampling, self._prices, questions) if questions else ())
        return [
            self._verdict(material, list(islice(answers, self.samples)))
            if _is_asked(material)
            else _unasked(material)
            for material in materials
        ]

    @property
    def _prices(self) -> Prices:
        return parse_prices(self.prices) or Prices()

    def _verdict(self, material: Material, answers: Sequence[Answer | Failure]) -> Verdict | Unscored:
        """What most answers say; a text is unscored unless half of them can be used."""
        read = [read_answer(answer, material) for answer in answers]
        usable = [each for each in read if isinstance(each, Sample)]
        if not usable or 2 * len(usable) < len(read):
            return next(each for each in read if isinstance(each, Unscored))
        used = [answer.completion for answer in answers if isinstance(answer, Answer)]
        tokens_in, tokens_out = sum(each.tokens_in for each in used), sum(each.tokens_out for each in used)
        cost = self._prices.cost(tokens_in, tokens_out)
        return majority(material, usable, tokens=tokens_in + tokens_out, cost=cost)

    def more_counts(self, verdict: Verdict | Unscored) -> tuple[float, ...]:
        """Agreement, quotes, dropped quotes, tokens and cost."""
        if not isinstance(verdict, JudgedVerdict):
            return (0.0,) * 5
        return verdict.agreement, verdict.quotes, verdict.dropped, verdict.tokens, verdict.cost

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Rates of one or many texts, and what they took."""
        agreement, quotes, dropped, tokens, cost = totals[COUNTS:]
        texts = totals[0]
        return {
            **VerdictMetric.finish(self, totals),
            "agreement": agreement / texts,
            "dropped": 100 * dropped / quotes if quotes else 0.0,
            "tokens": tokens / texts,
            "cost": cost / texts,
        }


def _is_asked(material: Material) -> bool:
    return bool(material.example.text.strip()) and bool(material.facts or material.others)


def _unasked(material: Material) -> Verdict | Unscored:
    return empty_verdict(material) if material.facts or material.others else Unscored(NO_FACTS)
