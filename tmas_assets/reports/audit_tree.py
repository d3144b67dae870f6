"""An audit as people read it: groups in the order one looks, intact ones as a count, what something is to be said of opened. Leaves out where it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from tmas_assets.records import Audit, AuditNode, Standing, worst
from tmas_assets.reports import notation

_NOUNS = {"file": "file", "calls": "cell", "model": "model", "code": "part", "release": "release", "seal": "seal", "score": "score"}
MEANINGS: dict[Standing, str] = {
    "intact": "every byte is the one that was recorded",
    "declared": "nothing is changed; some of it was only declared and cannot be recomputed here",
    "missing": "something is gone",
    "changed": "something is not what it was",
}


@dataclass(frozen=True)
class AuditGroup:
    """Nodes that are shown together."""

    name: str
    nodes: tuple[AuditNode, ...]

    @property
    def standing(self) -> Standing:
        return worst([node.standing for node in self.nodes])

    @property
    def others(self) -> tuple[AuditNode, ...]:
        """Those that are not intact."""
        return tuple(node for node in self.nodes if node.standing != "intact")

    @property
    def notable(self) -> tuple[AuditNode, ...]:
        """Those that are not intact, and those of which something is to be said though they are."""
        return tuple(node for node in self.nodes if node.standing != "intact" or node.said)

    @property
    def said(self) -> str:
        """`8 files, 24 rows`, or how many of them are not intact."""
        noun = _NOUNS[self.nodes[0].kind]
        number = f"{notation.count(len(self.nodes))} {noun}{'' if len(self.nodes) == 1 else 's'}"
        units = sum(node.count for node in self.nodes)
        unit = {"file": "rows", "calls": "calls", "model": "files"}.get(self.nodes[0].kind)
        counted = f"{number}, {notation.count(units)} {unit}" if unit and units else number
        return f"{counted}: {notation.count(len(self.others))} not intact" if self.standing in ("missing", "changed") else f"{counted}, {self.standing}"


def groups(nodes: Iterable[AuditNode]) -> tuple[AuditGroup, ...]:
    """In the order of the nodes."""
    return tuple(AuditGroup(name, tuple(own)) for name, own in groupby(nodes, key=lambda node: node.group))


def headline(audit: Audit) -> str:
    """`demo@43c4e0ed056b, Pass@1 40.50 %: intact`."""
    at = f" up to t{audit.iteration:02d}" if audit.iteration is not None else ""
    value = f", Pass@1 {notation.percent(audit.value)} %" if audit.value is not None else ""
    return f"{audit.score}{at}{value}: {audit.standing}"


def fault_lines(node: AuditNode) -> tuple[str, ...]:
    """What is not as recorded, a line a fault."""
    lines = [f"{one.what}, {one.field}: recorded {_short(one.recorded)}, found {_short(one.found)}" if one.field else f"{one.what}: {one.found}" for one in node.faults]
    return (*lines, *([f"and {notation.count(node.more)} more"] if node.more else []))


def _short(text: str) -> str:
    """Digests by their first digits."""
    return " ".join(part[:12] if len(part) == 64 and all(char in "0123456789abcdef" for char in part) else part for part in text.split(" "))
