"""Where the pages of the site lie to each other, as relative links. Leaves out whether they are there.

`<experiment>.html` and `index.html` lie at the top, `<experiment>/<problem key>/index.html` and `t03.html` two folders below.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import quote

from tmas_assets.records import Record

INDEX = "index.html"
TOP = "../../"
"""From a problem's folder to the folder of the index."""
ROLLOUT = re.compile(r"r(\d+)t(\d+)c(\d+)\Z")
"""Ids that `strategies.step.Step` gives: repeat, iteration, candidate."""


class Link(Record):
    text: str
    href: str


class Sources(Record):
    """Rollouts of one iteration in few letters: `c0–c3, c7`."""

    iteration: int
    candidates: str


def problem_folder(experiment: str, key: str) -> str:
    """From the top; a key holds percent signs of its own."""
    return f"{quote(experiment)}/{quote(key)}"


def iteration_file(iteration: int) -> str:
    return f"t{iteration:02d}.html"


def rollout_link(id_: str, here: int | None, there: Iterable[int]) -> Link:
    """To a rollout on the page of its iteration; `here` is the page's own iteration. Without an href where that has none."""
    found = ROLLOUT.match(id_)
    iteration = int(found[2]) if found else None
    if iteration is None or iteration not in there:
        return Link(text=id_, href="")
    return Link(text=id_, href=f"{'' if iteration == here else iteration_file(iteration)}#{id_}")


def grouped(ids: Sequence[str]) -> tuple[Sources, ...]:
    """By iteration, in order. Ids of another form are left out."""
    places = sorted({(int(found[2]), int(found[3])) for id_ in ids if (found := ROLLOUT.match(id_))})
    return tuple(
        Sources(iteration=t, candidates=candidates([number for _, number in own]))
        for t, own in groupby(places, key=lambda place: place[0])
    )


def candidates(numbers: Sequence[int]) -> str:
    return spans([f"c{number}" for number in numbers], numbers)


def spans(names: Sequence[str], numbers: Sequence[int]) -> str:
    """`numbers` ascending, each called as in `names`: runs of three and more as their ends."""
    runs: list[list[int]] = []
    for at, number in enumerate(numbers):
        if runs and numbers[runs[-1][-1]] == number - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    parts = [
        f"{names[run[0]]}–{names[run[-1]]}" if len(run) > 2 else ", ".join(names[at] for at in run) for run in runs
    ]
    return ", ".join(parts)
