"""Rewards of GRPO samples as TRL asks for them, and the figures of a step's samples over all processes.

TRL gets one reward a sample, or None; the parts are told in the figures alone. Leaves out what a sample is worth: `scoring.py`.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from resources.chat.client import EndpointUnavailable, MissingApiKey
from tmas_assets.engine.team import EndpointRefuses, TooManyFailures
from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.faults import TrainingStopped
from tmas_assets.engine.training.figures import SampleFigures
from tmas_assets.engine.training.scoring import Scorer
from tmas_assets.records import RewardPart, RlRow
from tmas_assets.rewards import Scored
from tmas_assets.rewards.advantages import zero_variance

WATCHED = 3
"""Steps over which the share of cut samples is judged."""


class _Taken(NamedTuple):
    scored: tuple[Scored, ...]
    truncated: tuple[bool, ...]


class Samples:
    """Of the step that is being trained on."""

    def __init__(self, scorer: Scorer, rows: Sequence[RlRow], tokenizer: Any, group: int) -> None:
        """`rows`: those that the data set's column `row` counts; `group`: samples of one prompt."""
        self._scorer, self._rows, self._tokenizer, self._group = scorer, rows, tokenizer, group
        self.ends: Collection[int] = ()
        """Tokens that a sample ends with where it is not cut."""
        self._taken = _Taken((), ())
        self.truncated: list[float] = []
        """Share of cut samples, by step of this launch."""
        self.rewarded: list[int] = []
        """Samples that have a reward, by step of this launch."""

    def reward(
        self, *, completion_ids: Sequence[Sequence[int]], row: Sequence[int], trainer_state: TrainerState, **_: Any
    ) -> list[float | None]:
        """TRL's reward function: this process's samples. Raises TrainingStopped where the judge cannot be asked."""
        replies = [self._tokenizer.decode(ids, skip_special_tokens=True) for ids in completion_ids]
        cut = tuple(bool(ids) and ids[-1] not in self.ends for ids in completion_ids)
        try:
            scored = self._scorer.score([self._rows[at] for at in row], replies, cut)
        except (EndpointUnavailable, EndpointRefuses, MissingApiKey, TooManyFailures) as fault:
            raise TrainingStopped(f"step {trainer_state.global_step + 1} is not judged: {fault}") from fault
        self._taken = _Taken(scored, cut)
        return [one.total for one in scored]

    def unrewarded_text(self) -> str:
        """Why samples of this process have no reward so far."""
        return ", ".join(f"{count} x {why}" for why, count in self._scorer.unrewarded.most_common()) or "no sample"

    def figures(self) -> SampleFigures:
        """Over all processes; every one of them calls it."""
        everyone = ranks.gathered(self._taken)
        scored = [one for taken in everyone for one in taken.scored]
        cut = [one for taken in everyone for one in taken.truncated]
        told = [one.outcome == "right" for one in scored if one.outcome in ("right", "wrong")]
        parts: dict[str, list[float]] = defaultdict(list)
        for one in scored:
            for name, value in one.parts:
                parts[name].append(value)
        self.truncated.append(sum(cut) / len(cut))
        self.rewarded.append(sum(one.total is not None for one in scored))
        return SampleFigures(
            parts=tuple(RewardPart(name=name, mean=sum(all_) / len(all_), samples=len(all_)) for name, all_ in sorted(parts.items())),
            unrewarded=sum(one.total is None for one in scored),
            zero_variance=zero_variance([one.total for one in scored], self._group),
            truncated=self.truncated[-1],
            accuracy=sum(told) / len(told) if told else None,
        )


class FirstSteps(TrainerCallback):
    """Ends a run whose samples are mostly cut, since their rewards say nothing (huggingface/trl#5697), or have no reward at all. Goes after
    `StepLog`."""

    def __init__(self, name: str, samples: Samples, *, most: float, steps: int, budget: int) -> None:
        """`most`: share that is allowed over the first `steps` steps of this launch, `budget` the tokens of a sample."""
        self._name, self._samples, self._most, self._steps, self._budget = name, samples, most, steps, budget

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Raises TrainingStopped."""
        shares = self._samples.truncated
        if not self._steps or len(shares) != self._steps:
            return
        self._steps = 0
        if not any(self._samples.rewarded):
            raise TrainingStopped(
                f"{self._name}: no sample of {len(shares)} steps up to step {state.global_step} has a reward, so nothing is learned: "
                f"{self._samples.unrewarded_text()}. Look at the golds of the rows (the checks of the data set list those that cannot be graded) and at "
                "the judge."
            )
        if (share := sum(shares) / len(shares)) > self._most:
            raise TrainingStopped(
                f"{self._name}: {share:.0%} of the samples of {len(shares)} steps up to step {state.global_step} are cut at {self._budget} tokens, "
                f"allowed are {self._most:.0%} (grpo.most_truncated). Raise grpo.rollouts.max_tokens, train the model to be brief first, or "
                "allow more."
            )
