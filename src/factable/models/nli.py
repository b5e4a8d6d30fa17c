"""Natural language inference: does one text entail another? Models by name, and their cached predictions."""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import (
    ModelLoader,
    hf_errors,
    hf_window,
    import_torch,
    load_hf_tokenizer,
    load_hf_weights,
    use_best_device,
)
from factable.models.runtime.manifest import MANIFEST, NLI, NLI_MODELS, model_fault
from factable.models.runtime.progress import Advance, no_progress
from factable.models.runtime.session import OnnxModel
from factable.text.sentences import sentence_spans
from factable.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(len(LABELS))
PAIRS_ON_A_GPU = 32
PAIRS_ENCODED = 4096
ANSWERS_REMEMBERED = 10_000
# How far a sum of probabilities may be from 1, in 32-bit numbers and less.
MAX_ROUNDING = 1e-3
_WORD = re.compile(r"(?<=\s)\S")


class TextPair(NamedTuple):
    """Two texts; the question is whether the premise entails the hypothesis."""

    premise: str
    hypothesis: str


class NliModel(Protocol):
    """A model of natural language inference, from ONNX or from Hugging Face."""

    @property
    def window(self) -> int:
        """How many tokens of a pair, special tokens included, it reads at once."""
        ...

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        ...

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair; no pair is longer than the window."""
        ...


class OnnxNli(OnnxModel):
    """A model in a folder with a manifest."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        super().__init__(folder, NLI, threads=threads)
        self._order = label_order(folder / MANIFEST, dict(enumerate(self._manifest.labels)))
        self.window = self._manifest.window
        # A pair is counted first and then read.
        self._encode = lru_cache(maxsize=PAIRS_ENCODED)(partial(_encode_pair, self._tokenizer))
        self._remembered: dict[bytes, bytes] = {}
        self._try()

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(self._encode(pair).ids) for pair in pairs]

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        rows = self._map(self._predict, pairs, advance)
        self._encode.cache_clear()
        return np.frombuffer(b"".join(rows)).reshape(len(pairs), len(LABELS))

    def _predict(self, pair: TextPair) -> bytes:
        """The model's answer, which is remembered: other case or white space make the same tokens."""
        ids, types = self._encode(pair)
        key = blake2b(
            len(ids).to_bytes(8, "little") + ids.tobytes() + types.tobytes(), digest_size=16
        ).digest()
        known = self._remembered.get(key)
        if known is None:
            if len(self._remembered) >= ANSWERS_REMEMBERED:
                self._remembered.clear()
            scores = self._logits(ids, types) / self._manifest.temperature
            known = softmax(scores)[self._order].tobytes()
            self._remembered[key] = known
        return known

    def _logits(self, ids: Sequence[int], types: Sequence[int]) -> NDArray[np.float64]:
        return self._run(input_ids=ids, attention_mask=[1] * len(ids), token_type_ids=types)

    def _try(self) -> None:
        """Refuse a model that does not take pairs or does not give three scores."""
        try:
            scores = self._logits(*self._encode(TextPair("", "")))
        except Exception as error:  # onnxruntime has no common base class
            raise self._not_loaded(error) from None
        if scores.shape != (len(LABELS),) or not np.isfinite(scores).all():
            raise self._not_loaded(f"it does not give {len(LABELS)} numbers")


class EncodedPair(NamedTuple):
    """The tokens of a pair, and to which of the two texts each belongs."""

    ids: "array[int]"
    types: "array[int]"


def _encode_pair(tokenizer: "Tokenizer", pair: TextPair) -> EncodedPair:
    # One by one: a batch starts threads of its own, which do not survive a fork.
    encoding = tokenizer.encode(pair.premise, pair.hypothesis)
    return EncodedPair(array("q", encoding.ids), array("q", encoding.type_ids))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of scores along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


class HfNli:
    """A sequence-classification model of Hugging Face; on a GPU if there is one.

    On a CPU each pair is run on its own, so that no prediction depends on its neighbours; on a GPU, where
    that would be slow, pairs of similar length are run together, and the last digits may differ.
    """

    def __init__(self, folder: Path) -> None:
        import_torch(str(folder))
        config, self._tokenizer, self._model = _load_hf(folder)
        self.window = hf_window(folder, self._tokenizer.model_max_length, config)
        self._order = label_order(folder, config.id2label)
        self._device = use_best_device(self._model)
        self._batch_size = PAIRS_ON_A_GPU if self._device == "cuda" else 1

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(tokens) for tokens in self._encode(pairs)["input_ids"]] if pairs else []

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        import torch

        sizes = self.count_tokens(pairs)
        # Long ones first: if they do not fit into memory, it shows at once.
        order = sorted(range(len(pairs)), key=lambda index: -sizes[index])
        rows = np.empty((len(pairs), len(LABELS)))
        for start in range(0, len(order), self._batch_size):
            indices = order[start : start + self._batch_size]
            inputs = self._encode([pairs[index] for index in indices], padding=True, return_tensors="pt")
            with torch.inference_mode():
                scores = self._model(**inputs.to(self._device)).logits.double().cpu().numpy()
            rows[indices] = softmax(scores)[:, self._order]
            advance(len(indices))
        return rows

    def _encode(self, pairs: Sequence[TextPair], **options: Any) -> Any:
        premises, hypotheses = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        return self._tokenizer(premises, hypotheses, verbose=False, **options)


def _load_hf(folder: Path) -> tuple[Any, Any, Any]:
    """Configuration, tokenizer and weights, without running any code in the folder."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer = load_hf_tokenizer(folder)
    with hf_errors(folder):
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    # Checked before the weights are loaded, which may take long.
    label_order(folder, config.id2label)
    return config, tokenizer, load_hf_weights(folder, AutoModelForSequenceClassification)


def label_order(path: Path, labels: Mapping[int, str]) -> list[int]:
    """The indices of entailment, neutral and contradiction among a model's outputs."""
    index_of = {label.lower(): index for index, label in labels.items()}
    if sorted(index_of) != sorted(LABELS) or len(labels) != len(LABELS):
        problem = f"labels {', '.join(labels.values()) or 'missing'}, not {', '.join(LABELS)}"
        raise model_fault(path, problem, "use a model that was trained on natural language inference")
    return [index_of[label] for label in LABELS]


_MODELS: ModelLoader[NliModel] = ModelLoader(
    embedded=NLI_MODELS, made_by="factable train nli", onnx={NLI: OnnxNli}, hf=HfNli
)
load_nli = _MODELS.load
nli_identity = _MODELS.identity


def entailment(name: str, pairs: Sequence[TextPair], advance: Advance = no_progress) -> NDArray[np.float64]:
    """Probabilities of entailment, neutral and contradiction, a row per pair; cached on disk."""
    pairs = [TextPair(*map(replace_surrogates, pair)) for pair in pairs]

    def predict_bytes(batch: Sequence[TextPair]) -> list[bytes]:
        return [row.tobytes() for row in predict(load_nli(name), batch, advance)]

    rows = cached_inference(
        "nli", nli_identity(name), pairs, predict_bytes, is_valid=_are_probabilities, advance=advance
    )
    return np.frombuffer(b"".join(rows)).reshape(len(pairs), len(LABELS))


def _are_probabilities(stored: bytes) -> bool:
    if len(stored) != 8 * len(LABELS):
        return False
    row = np.frombuffer(stored)
    return bool((row >= 0).all() and abs(row.sum() - 1) < MAX_ROUNDING)


def entailment_of_groups(name: str, groups: Sequence[Sequence[TextPair]]) -> list[list[NDArray[np.float64]]]:
    """`entailment` of all pairs together, returned group by group."""
    rows = iter(entailment(name, [pair for pairs in groups for pair in pairs]))
    return [list(islice(rows, len(pairs))) for pairs in groups]


def predict(model: NliModel, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
    """The model's probabilities for each pair; pairs that are too long for it are split."""
    sizes = model.count_tokens(pairs)
    short = [index for index, size in enumerate(sizes) if size <= model.window]
    rows = np.empty((len(pairs), len(LABELS)))
    rows[short] = model.probabilities([pairs[index] for index in short], advance)
    for index, size in enumerate(sizes):
        if size > model.window:
            rows[index] = _predict_long(model, pairs[index])
            advance(1)
    return rows


def _predict_long(model: NliModel, pair: TextPair) -> NDArray[np.float64]:
    grid = split_pair(model, pair)
    rows = model.probabilities([piece for row in grid for piece in row], no_progress)
    return combine(rows.reshape(len(grid), len(grid[0]), -1))


def combine(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """One row from those of all pieces (pieces of the hypothesis x pieces of the premise x labels).

    Each piece of the hypothesis counts with the piece of the premise that is least neutral about it; of
    these, the one that is entailed least decides.
    """
    least_neutral = probabilities[:, :, NEUTRAL].argmin(axis=1)
    best = probabilities[np.arange(len(probabilities)), least_neutral]
    decisive: NDArray[np.float64] = best[best[:, ENTAILMENT].argmin()]
    return decisive


def split_pair(model: NliModel, pair: TextPair) -> list[list[TextPair]]:
    """Pairs that fit the window: a row per piece of the hypothesis, a column per piece of the premise.

    The hypothesis gets what the premise leaves of the window, at least half of it; the premise gets the rest.
    """
    # Each text is counted with special tokens of its own, a few more than the pair has.
    room = max(model.window // 2, model.window - _length(model, pair.premise))
    hypotheses = _pack(model, pair.hypothesis, room)
    longest = max(_length(model, hypothesis) for hypothesis in hypotheses)
    premises = _pack(model, pair.premise, model.window - longest)
    return [[TextPair(premise, hypothesis) for premise in premises] for hypothesis in hypotheses]


def _pack(model: NliModel, text: str, max_tokens: int) -> list[str]:
    """Runs of sentences of at most so many tokens; a sentence that is too long is cut between words."""
    packed: list[Span] = []
    for sentence in sentence_spans(text):
        for start, end in _short_spans(model, text, sentence, max_tokens):
            if packed and _length(model, text[packed[-1][0] : end]) <= max_tokens:
                packed[-1] = packed[-1][0], end
            else:
                packed.append((start, end))
    return [text[start:end] for start, end in packed] or [""]


def _short_spans(model: NliModel, text: str, span: Span, max_tokens: int) -> Iterator[Span]:
    """A span halved between words until each part is short enough; words that are too long are cut, too."""
    start, end = span
    # One character fits any window, so the recursion ends.
    if end - start < 2 or _length(model, text[start:end]) <= max_tokens:
        yield span
        return
    middle = _near_the_middle(text, start, end)
    yield from _short_spans(model, text, (start, middle), max_tokens)
    yield from _short_spans(model, text, (middle, end), max_tokens)


def _near_the_middle(text: str, start: int, end: int) -> int:
    """The start of a word near the middle, or the very middle if no word starts."""
    middle = (start + end) // 2
    after = _WORD.search(text, middle, end)
    if after:
        return after.start()
    words = text[start:middle].rsplit(maxsplit=1)
    return middle - len(words[1]) if len(words) == 2 else middle


def _length(model: NliModel, text: str) -> int:
    """Tokens of a text beside an empty one, special tokens included."""
    return model.count_tokens([TextPair(text, "")])[0]
