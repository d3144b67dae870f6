"""Several experiments against one: differences in points on each basis, as the text of a table. Leaves out the markup."""

from collections.abc import Mapping, Sequence

from tmas_assets.records import Record
from tmas_assets.reports import notation
from tmas_assets.reports.comparison import doubts, points
from tmas_assets.statistics import Basis, PairedComparison, holm

COLUMNS: dict[Basis, str] = {
    "last": "at their ends",
    "iterations": "at equal iterations",
    "calls": "at equal calls",
    "tokens": "at equal tokens",
}
BASES = tuple(COLUMNS)
_LEVEL = 0.05
MEANING = (
    "Points above or below the reference, paired over the problems that both answered, with the interval; * where the interval "
    "leaves out 0 and the sign-flip test, adjusted for all comparisons of the column (Holm), has p below 0.05. Then the iterations "
    "that are compared, and what one run has spent up to there as a multiple of what the reference has. Equal calls and equal tokens are within the "
    "smaller of the two totals; where the dearer one's first iteration is already beyond it, within the larger one, in which "
    "the cheaper one comes to its end."
)


class PairedCell(Record):
    difference: str
    """In points, with its sign; `*` where a difference can be told."""
    interval: str
    iterations: str
    """`t03 : t01`: of the experiment and of the reference."""
    ratio: str
    """`1.1`: what one run has spent up to there, as a multiple of the reference; empty where that is unknown."""
    unit: str
    """`tokens` or `calls`: of the ratio."""
    hint: str
    told: bool

    @property
    def at(self) -> str:
        """`t03 : t01, 1.1 × tokens`."""
        return self.iterations + (f", {self.ratio} × {self.unit}" if self.ratio else "")


class PairedLine(Record):
    experiment: str
    cells: tuple[PairedCell | None, ...]
    """By column; None where there is nothing to compare."""


class PairedTable(Record):
    reference: str
    columns: tuple[str, ...]
    lines: tuple[PairedLine, ...]
    doubts: tuple[str, ...]


def paired_table(reference: str, found: Mapping[str, Sequence[PairedComparison]]) -> PairedTable:
    """`found`: by experiment, its comparisons with `reference` as B, on any of the bases above."""
    by_basis = {name: {one.basis: one for one in comparisons} for name, comparisons in found.items()}
    bases = [basis for basis in BASES if any(basis in own for own in by_basis.values())]
    adjusted = {basis: _adjusted(basis, by_basis) for basis in bases}
    lines = [
        PairedLine(experiment=name, cells=tuple(_cell(own.get(basis), adjusted[basis].get(name)) for basis in bases))
        for name, own in by_basis.items()
    ]
    return PairedTable(
        reference=reference,
        columns=tuple(COLUMNS[basis] for basis in bases),
        lines=tuple(lines),
        doubts=doubts([one for comparisons in found.values() for one in comparisons]),
    )


def _adjusted(basis: Basis, found: Mapping[str, Mapping[Basis, PairedComparison]]) -> dict[str, float]:
    ps = {
        name: difference.p
        for name, own in found.items()
        if basis in own and (difference := own[basis].difference) is not None
    }
    return dict(zip(ps, holm(list(ps.values())), strict=True))


def _cell(one: PairedComparison | None, p: float | None) -> PairedCell | None:
    if one is None or one.a is None or one.b is None or one.difference is None or p is None:
        return None
    found = one.difference
    told = (found.low > 0 or found.high < 0) and p < _LEVEL
    calls = one.basis == "calls"
    mine, theirs = (one.a.calls, one.b.calls) if calls else (one.a.tokens, one.b.tokens)
    return PairedCell(
        difference=points(found.value, 1) + ("*" if told else ""),
        interval=f"{points(found.low, 1)} … {points(found.high, 1)}",
        iterations=f"t{one.a.iteration:02d} : t{one.b.iteration:02d}",
        ratio=_ratio(mine / theirs) if theirs else "",
        unit="calls" if calls else "tokens",
        hint=f"p {found.p:.3f}, adjusted {p:.3f}; {found.wins} better, {found.ties} equal, {found.losses} worse of {found.problems} problems",
        told=told,
    )


def _ratio(value: float) -> str:
    return f"{value:.2g}" if value < 10 else notation.short_count(value)


def paired_markdown(table: PairedTable) -> str:
    """One GitHub table; names are escaped."""
    cell = notation.markdown_cell
    lines = [
        f"| against {cell(table.reference)} | {' | '.join(table.columns)} |",
        f"|---|{'--:|' * len(table.columns)}",
    ]
    for line in table.lines:
        shown = [notation.ABSENT if one is None else cell(f"{one.difference} [{one.interval}] {one.at}") for one in line.cells]
        lines.append(f"| {cell(line.experiment)} | {' | '.join(shown)} |")
    return "\n".join([*lines, "", *(f"{cell(doubt)}\n" for doubt in table.doubts)])
