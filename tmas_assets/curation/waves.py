"""Which questions a team tries next, until enough traces are kept and without running far more than needed.

First attempts go over the questions in waves, then second attempts over those that have no kept trace, and so on. A wave is
as large as what is still missing asks for at the yield seen, and never more than all waves before it together (or than what is
missing), so that a lucky guess cannot overshoot far. Pure: a build that was interrupted starts from no results and takes the
waves again in order, each with the results of the whole ones before it; finished cells are found there, so nothing is asked
twice and the same questions are tried as without the interruption.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tmas_assets.records import Question


class Wave(NamedTuple):
    attempt: int
    """From 0; all questions of a wave are tried the same time."""
    questions: tuple[Question, ...]
    """In order, at least one."""


def next_wave(
    questions: Sequence[Question], *, kept: Collection[str], attempted: Mapping[str, int], target: int, attempts: int
) -> Wave | None:
    """None once `target` questions have a kept trace, or none is left to try.

    `kept`: ids of problems with a kept trace; `attempted`: how often each was tried, whether or not that gave a trace;
    `attempts`: how often one may be tried.
    """
    ids = [one.candidate.problem.id for one in questions]
    done = {id_ for id_ in ids if id_ in kept}
    tried = {id_: attempted.get(id_, 0) for id_ in ids}
    missing = target - len(done)
    waiting = [id_ for id_ in ids if id_ not in done and tried[id_] < attempts]
    if missing <= 0 or not waiting:
        return None
    attempt = min(tried[id_] for id_ in waiting)
    size = wave_size(missing, kept=len(done), made=sum(tried.values()))
    chosen = {id_ for id_ in [id_ for id_ in waiting if tried[id_] == attempt][:size]}
    return Wave(attempt, tuple(one for one in questions if one.candidate.problem.id in chosen))


def wave_size(missing: int, *, kept: int, made: int) -> int:
    """Tries that bring `missing` kept traces at the yield of the `made` ones, one of them more for luck (Laplace's rule)."""
    if made == 0:
        return missing
    wanted = -(-missing * (made + 2) // (kept + 1))
    return min(wanted, max(missing, made))
