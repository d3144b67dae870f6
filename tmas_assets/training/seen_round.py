"""A simulated round with all that training data is made of: its problem, how hard that is, its grades, the digests of its files.

Parts that do not belong together are refused here, so that no row is made from one round and labelled with another.
Leaves out reading them from the store.
"""

from dataclasses import dataclass

from tmas_assets.records import Grade, Outcome, PassRate, Round, SourceProblem


@dataclass(frozen=True)
class SeenRound:
    """Raises ValueError where grades are missing or anything is of another problem or file."""

    candidate: SourceProblem
    rate: PassRate
    teacher: str
    teacher_model: str
    """Identity of the model behind the teacher's solution agent."""
    round: Round
    grades: tuple[Grade, ...]
    """Of its rollouts; those of the cell's other repeats may be among them."""
    rollouts_digest: str
    summaries_digest: str
    memory_digest: str
    """Of the files that the round was read from."""

    def __post_init__(self) -> None:
        known = self.candidate.problem.digest
        others = {
            "round": self.round.memory.problem_digest,
            "pass rate": self.rate.problem_digest,
            **{f"grade of {grade.rollout}": grade.problem_digest for grade in self.grades},
        }
        if strangers := sorted(name for name, digest in others.items() if digest != known):
            raise ValueError(f"{self}: {strangers[0]} is of another problem or wording than {known[:12]}; make it again from this one")
        graded = {grade.rollout: grade.rollouts_digest for grade in self.grades}
        for rollout in self.round.rollouts:
            if graded.get(rollout.id) != self.rollouts_digest:
                found = f"is of the file {graded[rollout.id][:12]}" if rollout.id in graded else "is not there"
                raise ValueError(
                    f"{self}: the grade of rollout {rollout.id} {found}, the rollouts are of {self.rollouts_digest[:12]}; grade the cell again"
                )

    def __str__(self) -> str:
        """`source/p1 by teacher, r0t01`."""
        return f"{self.candidate.problem.id} by {self.teacher}, {self.place}"

    @property
    def place(self) -> str:
        """`r0t01`: repeat and iteration."""
        return f"r{self.round.repeat}t{self.round.iteration:02d}"

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """By id of each rollout, in their order."""
        said = {grade.rollout: grade.outcome for grade in self.grades}
        return {rollout.id: said[rollout.id] for rollout in self.round.rollouts}

    def count(self, outcome: Outcome) -> int:
        return list(self.outcomes.values()).count(outcome)
