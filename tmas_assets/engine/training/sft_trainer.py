"""TRL's SFT trainer on examples already laid out: their order is kept, and the loss is the mean of the whole step that was asked for.

Trainer-process module: imports torch and TRL. Leaves out which examples there are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from datasets import Dataset
from trl.trainer.sft_trainer import SFTTrainer

from tmas_assets.training.masked_turns import MASKED, MaskedTurns
from tmas_assets.training.sft_layout import Layout

LAID_OUT: Mapping[str, Any] = {
    "dataset_kwargs": {"skip_prepare_dataset": True},  # its preparation drops fully masked examples, our fillers
    "train_sampling_strategy": "sequential",
    "shuffle_dataset": False,
    "packing": False,
    "max_length": None,
    "num_train_epochs": 1,  # the layout holds all epochs
    "dataloader_drop_last": False,
    "average_tokens_across_devices": True,
}
"""`SFTConfig` settings that the layout needs: entries are trained one after another, each `batch` of them in one step."""


def examples(layout: Layout) -> Dataset:
    """One entry a place, in order: `input_ids`, `labels`. Each conversation is held once, however many epochs there are."""
    kept = [*layout.turns]
    at = {who: number for number, who in enumerate(kept)}
    held = [*(layout.turns[who] for who in kept), layout.filler]
    return Dataset.from_list([_example(turns) for turns in held]).select(
        [len(kept) if who is None else at[who] for who in layout.places]
    )


class StepMean(SFTTrainer):
    """Loss of a step: the mean over all its trained tokens, or over all its conversations of each one's own mean.

    TRL sums the loss per token, divides by the count that the Trainer took over the whole step (every micro-batch of every
    process) and leaves the rest to the averaging of gradients. Over conversations, each token is weighed by 1/|y|
    of its conversation, and the count is of conversations with anything trained. Fillers count nothing either way.
    """

    loss_is_scaled_for_ga = True  # type: ignore[assignment]

    def __init__(self, *args: Any, mean_over: Literal["tokens", "conversations"], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.model_accepts_loss_kwargs = True  # so that the step is counted whatever the model's own forward takes
        self.mean_over = mean_over
        self._ranked = torch.zeros(2, dtype=torch.int64, device=self.args.device)
        """Since the last log, on this process: trained tokens that the model ranks first, trained tokens."""

    def _get_num_items_in_batch(self, batch_samples: list[Any], device: torch.device) -> Any:
        if self.mean_over == "tokens":
            return super()._get_num_items_in_batch(batch_samples, device)
        trained = [(batch["labels"][:, 1:] != MASKED).any(dim=1).sum() for batch in batch_samples]
        return self.accelerator.reduce(torch.stack(trained).sum().to(device), "sum")

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        return super().compute_loss(self._weighed(model), inputs, return_outputs, num_items_in_batch)  # type: ignore[no-untyped-call]

    def _weighed(self, model: Any) -> Callable[..., Any]:
        def forward(**inputs: Any) -> Any:
            outputs = model(**inputs)
            self._ranked += torch.stack([outputs.is_top1.sum(), outputs.label_mask.sum()]).to(torch.int64)
            if self.mean_over == "conversations":
                outputs.log_probs = outputs.log_probs / outputs.label_mask.sum(dim=1, keepdim=True).clamp(min=1)
            return outputs

        return forward

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """The accuracy over all tokens since the last log; TRL's is a mean over micro-batches, in which fillers count as wrong."""
        first, trained = self.accelerator.reduce(self._ranked, "sum").tolist()
        self._ranked.zero_()
        if trained:
            self._metrics["train"]["mean_token_accuracy"] = [first / trained]
        super().log(logs, start_time)


def _example(turns: MaskedTurns) -> dict[str, list[int]]:
    return {"input_ids": list(turns.input_ids), "labels": list(turns.labels)}
