"""NLI models by name, one of each per process, asked without asking twice."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import ENTAILMENT, LABELS, NEUTRAL, Advance, Nli, TextPair, no_progress
from factable.models.runtime.cache import cached_inference, mend_surrogates
from factable.models.runtime.folders import (
    folder_identity,
    has_manifest,
    import_torch,
    load_hf_tokenizer,
    load_weights,
    loading,
    model_folder,
    window_of,
)
from factable.models.runtime.manifest import MODEL, NLI, NLI_MODELS, check_files, model_fault, read_manifest
from factable.models.runtime.session import load_session, load_tokenizer, not_loaded, per_process_cache
from factable.models.runtime.threads import thread_count
from factable.text.sentences import sentence_spans
from factable.types import Span

if TYPE_CHECKING:
    from tokenizers import Encoding


PAIRS_AT_ONCE = 512


class OnnxNli:
    """The model in a folder; `threads` pairs are run at a time, as FACTABLE_THREADS says if not given."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._manifest = read_manifest(folder, NLI)
        check_files(self._manifest)
        self.identity = self._manifest.identity
        self.window = self._manifest.window
        self._threads = threads or thread_count()
        self._order = [self._manifest.labels.index(label) for label in LABELS]
        self._tokenizer = load_tokenizer(self._manifest)
        self._session = load_session(self._manifest)
        self._try()

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(self._encode(pair).ids) for pair in pairs]

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        found = np.empty((len(pairs), len(LABELS)))
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(pairs), PAIRS_AT_ONCE):
                some = pairs[start : start + PAIRS_AT_ONCE]
                found[start : start + len(some)] = list(pool.map(self._answer, some))
                advance(len(some))
        return found

    def _encode(self, pair: TextPair) -> "Encoding":
        # One by one: a batch starts threads of its own, which do not live through a fork.
        return self._tokenizer.encode(pair.premise, pair.hypothesis)

    def _answer(self, pair: TextPair) -> NDArray[np.float64]:
        return softmax(self._scores(pair) / self._manifest.temperature)[self._order]

    def _scores(self, pair: TextPair) -> NDArray[np.float64]:
        encoding = self._encode(pair)
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        arrays = {name: np.array([numbers], dtype=np.int64) for name, numbers in inputs.items()}
        ((scores,),) = self._session.run(None, arrays)
        return np.asarray(scores, dtype=np.float64)

    def _try(self) -> None:
        """Refuse a model that takes something else than pairs, or gives something else than three scores."""
        try:
            scores = self._scores(TextPair("", ""))
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(self._manifest, MODEL, error) from None
        if scores.shape != (len(LABELS),) or not np.isfinite(scores).all():
            raise not_loaded(self._manifest, MODEL, f"it does not give {len(LABELS)} numbers")


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of scores along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


PAIRS_ON_A_GPU = 32


class HfNli:
    """A sequence-classification model in a folder; on a GPU where there is one.

    On a CPU each pair is run on its own, so that no answer depends on its neighbours; on a GPU, which is slow
    at that, pairs of like length are run together, and the last digits may differ.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        torch = import_torch(str(folder))
        config, self._tokenizer, self._model = _load_hf(folder)
        self.identity = identity
        self.window = window_of(folder, self._tokenizer.model_max_length, config)
        self._order = label_order(folder, config.id2label)
        on_gpu = torch.cuda.is_available()
        self._device = "cuda" if on_gpu else "cpu"
        self._pairs_at_once = PAIRS_ON_A_GPU if on_gpu else 1
        self._model.to(self._device)
        if not on_gpu:
            torch.set_num_threads(thread_count())

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(tokens) for tokens in self._encode(pairs)["input_ids"]] if pairs else []

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        import torch

        sizes = self.count_tokens(pairs)
        # Long ones first: what does not fit the memory shows at once.
        order = sorted(range(len(pairs)), key=lambda index: -sizes[index])
        found = np.empty((len(pairs), len(LABELS)))
        for start in range(0, len(order), self._pairs_at_once):
            indices = order[start : start + self._pairs_at_once]
            inputs = self._encode([pairs[index] for index in indices], padding=True, return_tensors="pt")
            with torch.inference_mode():
                scores = self._model(**inputs.to(self._device)).logits.double().cpu().numpy()
            found[indices] = softmax(scores)[:, self._order]
            advance(len(indices))
        return found

    def _encode(self, pairs: Sequence[TextPair], **options: Any) -> Any:
        premises, hypotheses = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        return self._tokenizer(premises, hypotheses, verbose=False, **options)


def _load_hf(folder: Path) -> tuple[Any, Any, Any]:
    """The configuration, tokeniser and weights in a folder, without running anything that is in it."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer = load_hf_tokenizer(folder)
    with loading(folder):
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    # Before the weights: they may take long.
    label_order(folder, config.id2label)
    return config, tokenizer, load_weights(folder, AutoModelForSequenceClassification)


def label_order(folder: Path, labels: Mapping[int, str]) -> list[int]:
    """The places of entailment, neutral and contradiction among a model's outputs."""
    position_of = {label.lower(): index for index, label in labels.items()}
    if sorted(position_of) != sorted(LABELS):
        remedy = "take a model that was trained on natural language inference"
        raise model_fault(folder, f"labels {', '.join(labels.values())}, not {', '.join(LABELS)}", remedy)
    return [position_of[label] for label in LABELS]


_WORD = re.compile(r"(?<=\s)\S")


def ask(model: Nli, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
    """The model's answer to each pair, long ones in pieces."""
    sizes = model.count_tokens(pairs)
    short = [index for index, size in enumerate(sizes) if size <= model.window]
    found = np.empty((len(pairs), len(LABELS)))
    found[short] = model.probabilities([pairs[index] for index in short], advance)
    for index, size in enumerate(sizes):
        if size > model.window:
            found[index] = _ask_in_pieces(model, pairs[index])
            advance(1)
    return found


def _ask_in_pieces(model: Nli, pair: TextPair) -> NDArray[np.float64]:
    grid = split_pair(model, pair)
    answers = model.probabilities([piece for row in grid for piece in row], no_progress)
    return combine(answers.reshape(len(grid), len(grid[0]), -1))


def combine(answers: NDArray[np.float64]) -> NDArray[np.float64]:
    """One answer from those to all pieces (pieces of the hypothesis x pieces of the premise x labels)."""
    best = answers[np.arange(len(answers)), answers[:, :, NEUTRAL].argmin(axis=1)]
    decisive: NDArray[np.float64] = best[best[:, ENTAILMENT].argmin()]
    return decisive


def split_pair(model: Nli, pair: TextPair) -> list[list[TextPair]]:
    """Pairs that fit the window: a row per piece of the hypothesis, a column per piece of the premise.

    The hypothesis gets what the premise leaves of the window, at least half of it; the premise gets the rest.
    """
    # Each text is counted with marks of its own, a few more than the pair has.
    room = max(model.window // 2, model.window - _length(model, pair.premise))
    hypotheses = _pack(model, pair.hypothesis, room)
    longest = max(_length(model, hypothesis) for hypothesis in hypotheses)
    premises = _pack(model, pair.premise, model.window - longest)
    return [[TextPair(premise, hypothesis) for premise in premises] for hypothesis in hypotheses]


def _pack(model: Nli, text: str, most: int) -> list[str]:
    """Runs of sentences of at most so many tokens; a sentence that is too long is cut between words."""
    packed: list[Span] = []
    for whole in sentence_spans(text):
        for start, end in _short_spans(model, text, whole, most):
            if packed and _length(model, text[packed[-1][0] : end]) <= most:
                packed[-1] = packed[-1][0], end
            else:
                packed.append((start, end))
    return [text[start:end] for start, end in packed] or [""]


def _short_spans(model: Nli, text: str, span: Span, most: int) -> Iterator[Span]:
    """A span halved between words until each part is short enough; a word that is too long in itself too."""
    start, end = span
    # One character fits any window, so this comes to an end.
    if end - start < 2 or _length(model, text[start:end]) <= most:
        yield span
        return
    middle = _near_the_middle(text, start, end)
    yield from _short_spans(model, text, (start, middle), most)
    yield from _short_spans(model, text, (middle, end), most)


def _near_the_middle(text: str, start: int, end: int) -> int:
    """Where a word begins, or the very middle where none does."""
    middle = (start + end) // 2
    after = _WORD.search(text, middle, end)
    if after:
        return after.start()
    words = text[start:middle].rsplit(maxsplit=1)
    return middle - len(words[1]) if len(words) == 2 else middle


def _length(model: Nli, text: str) -> int:
    """Tokens of a text beside an empty one, marks between them included."""
    return model.count_tokens([TextPair(text, "")])[0]


def load_nli(name: str) -> Nli:
    """The model of that name: an embedded one, a folder made by `factable train nli`, or Hugging Face's.

    With the extra `hf` any sequence-classification model works: a local folder, or a name on the hub.
    """
    folder = _folder(name)
    return _load(folder, _identity(folder))


@per_process_cache
def _load(folder: Path, identity: str) -> Nli:
    return OnnxNli(folder) if has_manifest(folder) else HfNli(folder, identity)


def identity_of(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    return _identity(_folder(name))


def _identity(folder: Path) -> str:
    return read_manifest(folder, NLI).identity if has_manifest(folder) else folder_identity(folder)


def _folder(name: str) -> Path:
    return model_folder(name, embedded=NLI_MODELS, made_by="factable train nli")


def entailment(name: str, pairs: Sequence[TextPair], advance: Advance = no_progress) -> NDArray[np.float64]:
    """Probabilities of entailment, neutral and contradiction, a row per pair.

    Equal pairs are asked once, and answers that are on disk not at all.
    """
    pairs = [TextPair(*map(mend_surrogates, pair)) for pair in pairs]

    def answer(some: Sequence[TextPair]) -> list[bytes]:
        return [row.tobytes() for row in ask(load_nli(name), some, advance)]

    rows = cached_inference("nli", identity_of(name), pairs, answer, size=8 * len(LABELS), advance=advance)
    return np.frombuffer(b"".join(rows)).reshape(len(pairs), len(LABELS))


def ask_in_groups(name: str, groups: Sequence[Sequence[TextPair]]) -> list[list[NDArray[np.float64]]]:
    """The answers to all pairs, asked together, group by group."""
    answers = iter(entailment(name, [pair for pairs in groups for pair in pairs]))
    return [list(islice(answers, len(pairs))) for pairs in groups]
