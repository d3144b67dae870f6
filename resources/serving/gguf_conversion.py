"""Turn one GGUF file into a Hugging Face model folder; run as its own process: `python gguf_conversion.py FILE OUT`.

Weights are dequantised to bfloat16. Says nothing about where the file came from or where the folder belongs.
"""

import sys
from pathlib import Path

CONTEXT_TOKENS = 8192
"""Positions the default model was trained for; a GGUF tokenizer states none."""


def convert(source: Path, target: Path) -> None:
    """Write config, tokenizer and safetensors of `source` into the new folder `target`."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder, name = str(source.parent), source.name
    # Given here and not set afterwards, since only these are saved. Batched generation continues at the right end.
    tokenizer = AutoTokenizer.from_pretrained(
        folder, gguf_file=name, model_max_length=CONTEXT_TOKENS, padding_side="left"
    )
    # Without dequantize the weights stay packed and save_pretrained refuses them.
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=name, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    target.mkdir()
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


if __name__ == "__main__":
    # The script's own folder holds modules with everyday names; keep them from shadowing installed packages.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
