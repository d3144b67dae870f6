"""Supervised fine-tuning as a plan states it, through TRL under DeepSpeed. Every process runs it.

Trainer-process module: imports torch and TRL. Leaves out which tokens and which order (`training/sft_layout.py`), and the loss
(`sft_trainer.py`).
"""

from pathlib import Path

from transformers import AutoConfig, AutoTokenizer, PreTrainedTokenizerBase
from trl.trainer.sft_config import SFTConfig

from resources.whole_file import whole_file
from tmas_assets.engine.training import planned_run, ranks
from tmas_assets.engine.training.arguments import arguments
from tmas_assets.engine.training.ending import AskedToEnd
from tmas_assets.engine.training.faults import TrainerRefusal
from tmas_assets.engine.training.figures import Report, StepLog
from tmas_assets.engine.training.figures_file import ORDER
from tmas_assets.engine.training.rows import planned_rows, require_known
from tmas_assets.engine.training.sft_trainer import LAID_OUT, StepMean, examples
from tmas_assets.records import Conversation, TrainerOutcome, TrainerPlan
from tmas_assets.training.sft_layout import Layout, lay_out


class PlannedSft(planned_run.PlannedRun, StepMean):
    """A step's mean, carried out as planned."""


def train(plan: TrainerPlan, report: Report) -> TrainerOutcome:
    """From the plan to the saved model. Which conversations are in which step is written before training, and who was left out is said.

    Raises TrainerRefusal (rows, roles, turns that cannot be told, groups or conversations that do not fit, a step that cannot be
    cut), TrainingStopped, StateNotWritten, ModelNotAsTrained.
    """
    asked = AskedToEnd()
    sft = plan.training.sft
    assert sft is not None, f"{plan.training.name} is no sft run"
    tokenizer = AutoTokenizer.from_pretrained(plan.model, local_files_only=True, trust_remote_code=False)
    layout = _layout(plan, tokenizer)
    last = len(layout.steps)
    settings = arguments(
        SFTConfig, plan, last=last, sequences=sft.batch, made_of="sft.batch", pad_to_multiple_of=plan.training.optimisation.pad_to,
        **LAID_OUT,
    )  # fmt: skip
    trainer = PlannedSft(
        model=plan.model, args=settings, train_dataset=examples(layout), processing_class=tokenizer, mean_over=sft.mean_over,
        callbacks=[StepLog(plan, report)],
    )  # fmt: skip
    trainer.plan_run(plan, first=0, scheduled=last)
    if ranks.rank() == 0:
        _tell(plan, layout)
    return planned_run.carry_out(trainer, plan, last=last, asked=asked)


def _layout(plan: TrainerPlan, tokenizer: PreTrainedTokenizerBase) -> Layout:
    name = plan.training.name
    if not tokenizer.chat_template:
        raise TrainerRefusal(
            f"{name}: the tokenizer of {plan.model} has no chat template, so a conversation has no tokens; give it one"
        )
    filler = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    try:
        layout = lay_out(plan.training, planned_rows(plan, Conversation), tokenizer, filler)
    except ValueError as error:
        raise TrainerRefusal(f"{name}: {error}") from error
    config = AutoConfig.from_pretrained(plan.model, local_files_only=True, trust_remote_code=False).get_text_config()
    require_known(plan, config, {filler, *(max(turns.input_ids) for turns in layout.turns.values())})
    takes = getattr(config, "max_position_embeddings", None)
    longest = max(len(turns.input_ids) for turns in layout.turns.values())
    if takes is not None and longest > takes:
        raise TrainerRefusal(
            f"{name}: sft.max_tokens: the longest conversation has {longest} tokens, and {plan.model} takes {takes}; set it to at most {takes}"
        )
    return layout


def _tell(plan: TrainerPlan, layout: Layout) -> None:
    left_out = layout.left_out_text()
    if left_out:
        print(f"{plan.training.name}: {left_out}", flush=True)
    file = Path(plan.figures).with_name(ORDER)
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as lines:
        lines.write("".join(step.model_dump_json() + "\n" for step in layout.table).encode())
