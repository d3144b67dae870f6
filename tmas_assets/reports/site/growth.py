"""The growth of a repeat's banks as the points of two lines in a small drawing. Leaves out how they are painted."""

from tmas_assets.records import Bank, Record
from tmas_assets.reports.site.bank_maps import RepeatMemory

WIDTH, HEIGHT = 320, 130
LEFT, RIGHT, TOP, BOTTOM = 30, 78, 10, 24
_MOST_TICKS = 8


class Point(Record):
    x: float
    y: float
    said: str


class Line(Record):
    bank: Bank
    points: tuple[Point, ...]
    label_y: float
    """Where its name stands, clear of the other's."""


class Tick(Record):
    x: float
    text: str


class Growth(Record):
    """In a box of WIDTH x HEIGHT, y downwards."""

    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    top: int
    """Live lines at the upper edge."""
    said: str


def growth(memory: RepeatMemory) -> Growth:
    iterations = memory.maps[0].iterations
    top = max(1, *(count for one in memory.maps for count in one.live))
    span = max(1, iterations[-1] - iterations[0])
    x = {t: LEFT + (WIDTH - LEFT - RIGHT) * (t - iterations[0]) / span for t in iterations}

    def y(count: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - count / top)

    ends = sorted(((y(one.live[-1]), one.bank) for one in memory.maps), key=lambda end: end[0])
    labels = {bank: max(12.0, at) for at, bank in ends}
    if len(ends) == 2 and labels[ends[1][1]] - labels[ends[0][1]] < 14:
        labels[ends[1][1]] = labels[ends[0][1]] + 14
    step = -(-len(iterations) // _MOST_TICKS)
    return Growth(
        lines=tuple(
            Line(
                bank=one.bank,
                points=tuple(
                    Point(x=round(x[t], 1), y=round(y(count), 1), said=f"t{t:02d}: {count} live")
                    for t, count in zip(iterations, one.live, strict=True)
                ),
                label_y=round(labels[one.bank], 1),
            )
            for one in memory.maps
        ),
        ticks=tuple(Tick(x=round(x[t], 1), text=str(t)) for t in iterations[::step]),
        top=top,
        said=f"Live lines by iteration in repeat {memory.repeat}: "
        + "; ".join(f"{one.bank} {', '.join(map(str, one.live))}" for one in memory.maps),
    )
