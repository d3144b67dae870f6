"""GRPO by TRL: rows laid out in the planned order, one combined reward, one iteration from its first step to its last.

All iterations are one run of the optimizer: iteration k goes on from the state after k * steps, and the learning rate's schedule is
laid over all of them. With `kl`, the reference is the model that the iteration starts from. Leaves out rewards, saving and states.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from jinja2.exceptions import TemplateError
from transformers import AutoConfig, AutoTokenizer
from trl.trainer import grpo_trainer
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from resources.deployment import Deployment
from resources.sandbox.bubblewrap import SandboxFault
from tmas_assets.engine.training.arguments import arguments
from tmas_assets.engine.training.deadline import NoAnswer, deadline
from tmas_assets.engine.training.ending import AskedToEnd
from tmas_assets.engine.training.faults import TrainerRefusal, TrainingStopped, diverged
from tmas_assets.engine.training.figures import Report, StepLog
from tmas_assets.engine.training.planned_run import PlannedRun, carry_out
from tmas_assets.engine.training.rows import planned_rows, require_known
from tmas_assets.engine.training.samples import WATCHED, FirstSteps, Samples
from tmas_assets.engine.training.scoring import Scorer, ScoringFault
from tmas_assets.engine.training.states import look
from tmas_assets.records import Grpo, RlRow, Rollouts, TrainerOutcome, TrainerPlan
from tmas_assets.training.order import of_sources, order


class PlannedGrpo(PlannedRun, GRPOTrainer):
    """GRPO of TRL with whole states and one schedule over all iterations."""

    def _generate(self, prompts: list[Any]) -> Any:
        """Raises TrainingStopped where the model's weights have grown past all numbers: sampling is the first to see it."""
        try:
            return super()._generate(prompts)
        except RuntimeError as error:
            if "probability tensor contains" not in str(error):
                raise
            raise diverged(self.run_plan.training.name, int(self.state.global_step) + 1, f"samples cannot be drawn, {error}") from error


def train(plan: TrainerPlan, report: Report) -> TrainerOutcome:
    """Every process calls it. Raises TrainerRefusal, TrainingStopped, StateNotWritten, ModelNotAsTrained; of the rewards what
    `Scorer` raises."""
    training, grpo = plan.training, plan.training.grpo
    assert grpo is not None, f"{training.name} is no grpo run"
    asked = AskedToEnd()
    logging.getLogger(grpo_trainer.__name__).addFilter(_without_samples)
    rows = of_sources(planned_rows(plan, RlRow), training.prompted.sources)
    first, last = plan.iteration * grpo.steps, (plan.iteration + 1) * grpo.steps
    try:
        laid = order(rows, steps=last, prompts=grpo.prompts, mix=grpo.mix, seed=training.prompted.seed)
    except ValueError as error:
        raise TrainerRefusal(f"{training.name}: {error}") from error
    tokenizer = AutoTokenizer.from_pretrained(plan.model, padding_side="left", local_files_only=True, trust_remote_code=False)
    longest = _require_room(plan, rows, tokenizer, grpo)
    with Scorer(training, Deployment.from_environment(), run=f"{training.name}/{plan.iteration}") as scorer:
        try:
            scorer.require(rows)
        except (ScoringFault, SandboxFault) as fault:
            raise TrainerRefusal(f"{training.name}: {fault}") from fault
        samples = Samples(scorer, rows, tokenizer, grpo.samples)
        trainer = PlannedGrpo(
            model=plan.model,
            reward_funcs=samples.reward,
            args=grpo_arguments(plan, grpo, last, longest + grpo.rollouts.max_tokens),
            train_dataset=_laid_out(rows, [at for step in laid for at in step]),
            processing_class=tokenizer,
            callbacks=[StepLog(plan, report, samples.figures)],
        )
        if trainer.use_vllm:
            watch_syncs(trainer, training.name, grpo.rollouts)
        samples.ends = {*trainer.eos_token_ids, tokenizer.pad_token_id}
        begun = look(Path(plan.state)).step if plan.state else first
        trainer.add_callback(
            FirstSteps(training.name, samples, most=grpo.most_truncated, steps=min(WATCHED, last - begun), budget=grpo.rollouts.max_tokens)
        )
        trainer.plan_run(plan, first=first, scheduled=grpo.iterations * grpo.steps)
        return carry_out(trainer, plan, last=last, asked=asked)


def _without_samples(record: logging.LogRecord) -> bool:
    """TRL prints a sample without a reward in full, of any length, in every step; the figures count them."""
    return "All reward functions returned None" not in record.getMessage()


def grpo_arguments(plan: TrainerPlan, grpo: Grpo, last: int, longest: int) -> GRPOConfig:
    """`longest`: tokens of the longest prompt with a whole sample. Raises TrainerRefusal as `arguments`."""
    rollouts = grpo.rollouts
    vllm: dict[str, Any] = {}
    if rollouts.engine != "transformers":
        vllm = {
            "use_vllm": True,
            "vllm_mode": "colocate" if rollouts.engine == "vllm_colocate" else "server",
            "vllm_server_base_url": rollouts.server_url,
            "vllm_server_timeout": rollouts.sync_seconds,
            "vllm_gpu_memory_utilization": rollouts.gpu_memory,
            # else vLLM reserves room for the longest text that the model takes, which may be many times more
            "vllm_max_model_length": longest,
        }
    return arguments(
        GRPOConfig,
        plan,
        last=last,
        sequences=grpo.prompts * grpo.samples,
        made_of=f"prompts {grpo.prompts} x samples {grpo.samples}",
        num_generations=grpo.samples,
        shuffle_dataset=False,  # the rows lie in the order they are trained on
        max_completion_length=rollouts.max_tokens,
        temperature=rollouts.temperature,
        top_p=rollouts.top_p,
        beta=grpo.kl,
        epsilon=grpo.clip,
        epsilon_high=grpo.clip_high,
        loss_type=grpo.loss,
        scale_rewards=grpo.scale_rewards,
        pad_to_multiple_of=plan.training.optimisation.pad_to,
        **vllm,
    )


def watch_syncs(trainer: Any, name: str, rollouts: Rollouts) -> None:
    """From now on weights that vLLM does not take in `sync_seconds` end the run with TrainingStopped, which names the step."""
    sync, where = trainer.vllm_generation.sync_weights, rollouts.server_url or "in this process"

    def in_time() -> None:
        words = (
            f"{name}: vLLM ({where}) did not take the weights of step {int(trainer.state.global_step)} within {rollouts.sync_seconds:g} s "
            "(grpo.rollouts.sync_seconds). Look at its log and start it again, then run again: training goes on from the last whole state."
        )
        try:
            with deadline(rollouts.sync_seconds, words):
                sync()
        except NoAnswer as fault:
            raise TrainingStopped(words) from fault

    trainer.vllm_generation.sync_weights = in_time


def _laid_out(rows: Sequence[RlRow], indices: Sequence[int]) -> Dataset:
    """Each row once on the heap, however often it is trained on."""
    own = [{"prompt": [message.model_dump(include={"role", "content"}) for message in row.prompt], "row": at} for at, row in enumerate(rows)]
    return Dataset.from_list(own).select(indices)


def _require_room(plan: TrainerPlan, rows: Sequence[RlRow], tokenizer: Any, grpo: Grpo) -> int:
    """Tokens of the longest prompt. A prompt and a whole sample have to fit the model's context; beyond it a model writes noise.
    Raises TrainerRefusal, for a chat template that takes no such prompt too."""
    if not tokenizer.chat_template:
        raise TrainerRefusal(f"{plan.training.name}: the tokenizer of {plan.model} has no chat template, so no prompt can be posed; give it one")
    config = AutoConfig.from_pretrained(plan.model, local_files_only=True, trust_remote_code=False).get_text_config()
    room, longest = getattr(config, "max_position_embeddings", None), 0
    for row in rows:
        chat = [message.model_dump(include={"role", "content"}) for message in row.prompt]
        try:
            tokens = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=False)
        except TemplateError as error:
            raise TrainerRefusal(
                f"{plan.training.name}: the chat template of {plan.model} refuses the prompt of row {row.extra_info.index} ({row.source}), turns of "
                f"{', '.join(message.role for message in row.prompt)}: {error}. Start from a base model whose template takes them."
            ) from error
        require_known(plan, config, tokens)
        longest = max(longest, len(tokens))
        if room is not None and len(tokens) + grpo.rollouts.max_tokens > room:
            raise TrainerRefusal(
                f"{plan.training.name}: the prompt of row {row.extra_info.index} ({row.source}) has {len(tokens)} tokens; with grpo.rollouts.max_tokens "
                f"{grpo.rollouts.max_tokens} that is more than the model's {room}. Lower max_tokens, or shorten prompts in the data set (settings.limits)."
            )
    return longest
