"""Making campaigns of a corpus in the background: a metric may have to read every text first."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from factable.errors import FactableError, UsageError, describe_error
from factable.serve.annotation.store import NewCampaign, NewText, Store, annotator_path, check_campaign
from factable.serve.annotation.suggestions import suggest
from factable.serve.corpus.corpus import Corpus, Query
from factable.serve.metrics import parse_metrics
from factable.types import Example

# A campaign copies its texts; nobody annotates more.
MAX_TEXTS = 100_000


class _Cancelled(Exception):  # noqa: N818 - no error: somebody wants it so
    """Raised inside a run to end it."""


@dataclass(slots=True)
class Creation:
    """A campaign that is being made; at the end it has the number and the tokens of annotators."""

    id: int
    total: int = 0
    done: int = 0
    state: Literal["running", "done", "cancelled", "failed"] = "running"
    problem: str = ""
    campaign: int = 0
    tokens: dict[str, str] = field(default_factory=dict)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def to_object(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "id": self.id,
            "total": self.total,
            "done": self.done,
            "state": self.state,
            "problem": self.problem,
            "campaign": self.campaign,
            "paths": {name: annotator_path(token) for name, token in self.tokens.items()},
        }


class Creations:
    """Makes one campaign after the other in a thread of its own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "campaigns")
        self._numbers = count(1)
        self._made: dict[int, Creation] = {}

    def get(self, number: int) -> Creation | None:
        """One of them by its number."""
        return self._made.get(number)

    def start(
        self, store: Store, corpus: Corpus, new: NewCampaign, query: Query, granted: Sequence[str]
    ) -> Creation:
        """Begin to make a campaign of what a query selects."""
        check_campaign(new)
        number = len(corpus.select(query))
        if not number:
            raise UsageError("the campaign has no texts; take a filter away")
        if number > MAX_TEXTS:
            raise UsageError(f"{number} texts are too many for a campaign; filter them to {MAX_TEXTS}")
        if any(campaign.name == new.name for campaign in store.campaigns()):
            raise UsageError(f"there is a campaign {new.name!r} already; give another name")
        creation = Creation(next(self._numbers), number)
        self._made[creation.id] = creation
        self._pool.submit(self._run, creation, store, corpus, new, query, granted)
        return creation

    def cancel(self, number: int) -> Creation | None:
        """Do not make a campaign after all."""
        found = self._made.get(number)
        if found is not None:
            found.cancelled.set()
        return found

    def close(self) -> None:
        """End all work."""
        for number in self._made:
            self.cancel(number)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(
        self,
        creation: Creation,
        store: Store,
        corpus: Corpus,
        new: NewCampaign,
        query: Query,
        granted: Sequence[str],
    ) -> None:
        try:
            new, texts = _with_suggestions(creation, new, list(corpus.examples(query)), granted)
            campaign, creation.tokens = store.create(new, texts)
            creation.campaign, creation.state = campaign.id, "done"
        except _Cancelled:
            creation.state = "cancelled"
        except FactableError as error:
            creation.state, creation.problem = "failed", str(error)
        except Exception as error:
            # A metric of another package may raise anything, and the page has to say so.
            creation.state, creation.problem = "failed", describe_error(error)


def _with_suggestions(
    creation: Creation, new: NewCampaign, examples: list[Example], granted: Sequence[str]
) -> tuple[NewCampaign, list[NewText]]:
    def listen(number: int) -> None:
        if creation.cancelled.is_set():
            raise _Cancelled
        creation.done += number

    listen(0)
    if not new.metric:
        return new, [NewText(example) for example in examples]
    texts, signature = suggest(
        examples,
        parse_metrics([new.metric], granted)[0],
        new.categories,
        asks_facts=new.asks_facts,
        listener=listen,
    )
    return replace(new, signature=signature), texts
