"""What is wrong with the rewards that a training run states, as lines `grpo.rewards.1.settings.beta: ...`.

Pure. Leaves out the shape of the record (`records/training.py`), files, and asking a judge.
"""

from collections.abc import Iterator, Sequence

from tmas_assets.records import RewardChoice, RowSource, Training
from tmas_assets.rewards import Novelty, RewardFault, novelty, of_source, reward, rewards, settings_of

JUDGED = "__novelty"
"""Behind the name of a run: the name under which its judge's calls are paid."""
_LONGEST_NAME = 64 - len(JUDGED)


def faults_of(training: Training) -> list[str]:
    """One line a fault, the path of its field first; none for a run without rewards (sft)."""
    if training.grpo is None:
        return []
    choices = training.grpo.rewards
    found = [*_each(choices), *_twice(choices)]
    return found or [*_by_source(training, choices), *_idle(training, choices)]  # which need known rewards


def _each(choices: Sequence[RewardChoice]) -> Iterator[str]:
    for number, choice in enumerate(choices):
        try:
            settings_of(choice)
        except RewardFault as fault:
            yield from (f"grpo.rewards.{number}.{line}" for line in fault.args)


def _twice(choices: Sequence[RewardChoice]) -> Iterator[str]:
    names = [choice.name for choice in choices]
    for number, name in enumerate(names):
        if (first := names.index(name)) < number:
            yield f"grpo.rewards.{number}.name: {name} stands at grpo.rewards.{first} already; give a reward once, with one weight"


def _by_source(training: Training, choices: Sequence[RewardChoice]) -> Iterator[str]:
    asks_judge: dict[str, None] = {}
    for source in training.prompted.sources:
        own = of_source(source, choices)
        if not own:
            known = ", ".join(name for name, one in rewards().items() if source in one.sources)
            yield f"prompts.sources: no reward applies to {source} rows; add one of {known}, or leave {source} out"
        try:
            way: Novelty | None = novelty(source, choices)
        except RewardFault as fault:
            yield from (f"grpo.rewards.{line}" for line in fault.args)
            continue
        if way is not None and way.by == "judge":
            asks_judge |= {choice.name: None for choice in own if reward(choice.name).novelty(settings_of(choice)) is not None}
    if not asks_judge:
        return
    if training.judge is None:
        yield f"judge: {', '.join(asks_judge)} asks a judge for novelty and none is given; give an endpoint, or `novelty: similarity`"
    if len(training.name) > _LONGEST_NAME:
        yield f"name: a run that asks a judge has at most {_LONGEST_NAME} characters (found {len(training.name)}): its calls are paid as NAME{JUDGED}"


def _idle(training: Training, choices: Sequence[RewardChoice]) -> Iterator[str]:
    if not any(choice.weight for choice in choices):
        yield "grpo.rewards: the weight of each is 0, so nothing would be learned; give one another weight"
    counted: set[str] = set()
    sources: tuple[RowSource, ...] = training.prompted.sources
    for source in sources:
        counted |= {choice.name for choice in of_source(source, choices)}
    for number, choice in enumerate(choices):
        if choice.name not in counted:
            yield (
                f"grpo.rewards.{number}.name: {choice.name} counts for no row: it applies to "
                f"{', '.join(sorted(reward(choice.name).sources))} rows and prompts.sources has {', '.join(sources)}, or another reward "
                "replaces it there; leave it out or add a source"
            )
