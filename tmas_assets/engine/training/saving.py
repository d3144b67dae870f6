"""The trained model as a Hugging Face folder: gathered by all processes, written by one, read back and compared with the live weights.

Saving is collective: a process that stays out makes the others wait for ever (deepspeedai/DeepSpeed#2993). Weights that the model
ties are written once and tied again on loading (deepspeedai/DeepSpeed#1896). Leaves out registering the folder as a checkpoint.
"""

import contextlib
import importlib.metadata
import math
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from resources.whole_file import whole_file
from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.faults import ModelNotAsTrained, StateNotWritten
from tmas_assets.records import MOST_DIFFERENT, OUTCOME, TrainerOutcome

_SHAPING = ("torch", "transformers", "trl", "deepspeed", "accelerate", "tokenizers", "safetensors")


def save_model(trainer: Any, folder: Path) -> float:
    """Weights, tokenizer and chat template to `folder`; the largest absolute difference to what is read back. Every process calls it.

    Raises StateNotWritten where the disk does not take it, ModelNotAsTrained where what is read back is another model.
    """
    weights: Mapping[str, torch.Tensor] | None = trainer.accelerator.get_state_dict(trainer.deepspeed)
    back, fault = None, None
    if ranks.rank() == 0:
        assert weights is not None
        try:
            _write(trainer, weights, folder)
            back = _read_back(folder, trainer.model)
        except (StateNotWritten, ModelNotAsTrained) as error:
            fault = error
    del weights
    for told in filter(None, ranks.gathered(fault)):  # the others would wait for the first one
        raise told
    difference = ranks.largest(_difference(trainer.model, back), trainer.args.device)
    if not difference <= MOST_DIFFERENT:
        raise ModelNotAsTrained(
            f"{folder}: weights read back differ from those in memory by {difference:g}, allowed are {MOST_DIFFERENT:g}; the model is not kept. "
            "Run again: training goes on from the last whole state."
        )
    return difference


def write_outcome(outcome: TrainerOutcome, folder: Path) -> None:
    """`outcome.json`, last of the folder. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / OUTCOME) as file:
        file.write(outcome.model_dump_json(indent=1).encode())


def parameters(trainer: Any) -> int:
    """Of the model, tied ones counted once."""
    return sum(int(getattr(weight, "ds_numel", weight.numel())) for weight in trainer.model.parameters())


def device_name(trainer: Any) -> str:
    if trainer.args.device.type == "cuda":
        return str(torch.cuda.get_device_name(trainer.args.device))
    named = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return named[0] if named else platform.machine()


def packages() -> tuple[tuple[str, str], ...]:
    return tuple((name, importlib.metadata.version(name)) for name in _SHAPING)


def _write(trainer: Any, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    tied = set(getattr(trainer.model, "all_tied_weights_keys", None) or ())
    own = {name: weight for name, weight in weights.items() if name not in tied}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / OUTCOME).unlink(missing_ok=True)
        trainer.model.config.use_cache = True  # which trainers turn off in the configuration they leave behind
        trainer.model.save_pretrained(folder, state_dict=own)
        trainer.processing_class.save_pretrained(folder)
    except (OSError, RuntimeError, SafetensorError) as error:
        raise StateNotWritten(
            f"the trained model could not be written to {folder}: {type(error).__name__}: {error}. Free space and run again: training goes on "
            "from the last whole state."
        ) from error


def _read_back(folder: Path, live: Any) -> Any:
    """The model of `folder`, loaded strictly into memory of this process. Raises ModelNotAsTrained."""
    from transformers import AutoTokenizer

    with _without_zero():
        model, told = type(live).from_pretrained(folder, dtype="auto", output_loading_info=True, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    wrong = {kind: sorted(map(str, names)) for kind, names in told.items() if names}
    if wrong:
        raise ModelNotAsTrained(f"{folder} does not load strictly: {wrong}")
    if not tokenizer.chat_template:
        raise ModelNotAsTrained(f"{folder}: its tokenizer has no chat template, so it cannot be asked anything; give the base model one")
    return model


def _difference(live: Any, back: Any) -> float:
    """Largest over all parameters, told in the first process; 0 in the others, which only help to gather."""
    import deepspeed

    found = {} if back is None else dict(back.named_parameters())
    worst = 0.0
    for name, weight in live.named_parameters():
        spread = [weight] if hasattr(weight, "ds_id") else []
        with deepspeed.zero.GatheredParameters(spread, enabled=bool(spread)):
            if back is None:
                continue
            if name not in found or found[name].shape != weight.shape:
                worst = math.inf
                continue
            gap = (weight.detach().to("cpu", torch.float32) - found[name].detach().to("cpu", torch.float32)).abs()
            worst = math.inf if torch.isnan(gap).any() else max(worst, float(gap.max()))
    return worst


@contextlib.contextmanager
def _without_zero() -> Iterator[None]:
    """Models loaded meanwhile are whole in this process, whatever stage the trainer's is spread by."""
    from transformers.integrations import deepspeed as integration

    kept = integration._hf_deepspeed_config_weak_ref
    integration._hf_deepspeed_config_weak_ref = None
    try:
        yield
    finally:
        integration._hf_deepspeed_config_weak_ref = kept


def _lines(file: str) -> list[str]:
    path = Path(file)
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
