"""The simulated rounds of a set as training reads them: problem by problem, from the cells that the set names.

One problem's rounds are held at a time. Leaves out what rows are made of them.
"""

from collections.abc import Iterator, Mapping, Sequence

from tmas_assets.engine.building.simulation import played
from tmas_assets.engine.cells import CellStore
from tmas_assets.records import PassRate, SimulatedRound, SourceProblem
from tmas_assets.training.seen_round import SeenRound


def seen(
    candidates: Sequence[SourceProblem],
    rates: Mapping[str, PassRate],
    rounds: Sequence[SimulatedRound],
    cells: Mapping[str, CellStore],
) -> Iterator[tuple[SeenRound, ...]]:
    """The rounds of one problem and teacher after another, in the order of `candidates`; all repeats, oldest first.

    `rates` by problem id, `cells` by teacher. Raises ChangedCell, StoreFault.
    """
    named: dict[str, list[SimulatedRound]] = {}
    for one in rounds:
        named.setdefault(one.problem, []).append(one)
    for candidate in candidates:
        own = named.get(candidate.problem.id, [])
        for teacher in sorted({one.teacher for one in own}):
            yield tuple(
                SeenRound(
                    candidate=candidate,
                    rate=rates[candidate.problem.id],
                    teacher=teacher,
                    teacher_model=own[0].teacher_model,
                    round=round_,
                    grades=cell.grades_of(round_.repeat),
                    rollouts_digest=cell.files.rollouts.digest,
                    summaries_digest=cell.files.summaries.digest,
                    memory_digest=cell.files.memory_bank.digest,
                )
                for cell in played(cells[teacher], candidate.problem, [one for one in own if one.teacher == teacher])
                for round_ in cell.rounds
            )
