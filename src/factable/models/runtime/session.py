"""What all ONNX models share: a tokenizer and a session, loaded from a folder or refused in one line."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from factable.errors import DataError
from factable.models.runtime.manifest import MODEL, REMEDY, TOKENIZER, Manifest, model_fault

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# An addition and a layer normalisation take a quarter of the time of what onnxruntime would make of the two.
SLOWER_FUSIONS = ["SkipLayerNormFusion"]


def load_tokenizer(manifest: Manifest) -> "Tokenizer":
    """The tokenizer of a model; it neither pads nor cuts off."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(manifest.folder / TOKENIZER))
    except Exception as error:  # tokenizers raises bare Exception
        raise not_loaded(manifest, TOKENIZER, error) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def load_session(manifest: Manifest, more: bytes = b"") -> Any:
    """The model, to be run in one thread at a time; `more` is read as if it stood at the end of its file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Threads run different texts; inside one they would wait for each other.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    path = manifest.folder / MODEL
    try:
        model = path.read_bytes() + more if more else str(path)
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER_FUSIONS
        )
    except Exception as error:  # onnxruntime has no common base class
        raise not_loaded(manifest, MODEL, error) from None


def not_loaded(manifest: Manifest, name: str, error: Exception | str) -> DataError:
    """Says which file of a model is of no use, and why."""
    reason = " ".join(str(error).split())[:200]
    return model_fault(manifest.folder / name, f"cannot be loaded ({reason})", REMEDY)


Given = ParamSpec("Given")
T = TypeVar("T")


def per_process_cache(make: Callable[Given, T]) -> Callable[Given, T]:
    """The same function, which makes one thing of each kind per process, and one at a time.

    A forked process must not use what its parent loaded. Give it the checksum of a folder as well: that may
    hold another model by now.
    """
    loading = threading.Lock()
    kept: dict[tuple[object, ...], T] = {}

    def load(*given: Given.args, **named: Given.kwargs) -> T:
        key = (os.getpid(), *given, *named.items())
        with loading:
            if key not in kept:
                kept[key] = make(*given, **named)
            return kept[key]

    return load
