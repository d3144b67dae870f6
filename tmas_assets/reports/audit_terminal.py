"""An audit as a tree in the terminal. No text of a model or a file is read as markup."""

from rich.text import Text
from rich.tree import Tree

from tmas_assets.records import Audit, AuditNode, Standing
from tmas_assets.reports import notation
from tmas_assets.reports.audit_tree import fault_lines, groups, headline

MOST_SHOWN = 5
"""Parts of one group that are opened unless all are asked for."""
_STYLES: dict[Standing, str] = {"intact": "green", "declared": "cyan", "missing": "yellow", "changed": "bold red"}


def audit_tree(audit: Audit, *, opened: bool) -> Tree:
    """`opened`: every node, intact ones as well with their digests."""
    tree = Tree(_line(headline(audit), audit.standing))
    for group in groups(audit.nodes):
        branch = tree.add(_line(f"{group.name}  {group.said}", group.standing))
        shown = group.nodes if opened else group.notable[:MOST_SHOWN]
        for node in shown:
            _add(branch, node)
        if (rest := len(group.notable) - len(shown)) > 0:
            branch.add(_line(f"and {notation.count(rest)} more; `--all` shows every part", group.standing))
    return tree


def _add(branch: Tree, node: AuditNode) -> None:
    label = node.id if node.standing != "intact" or node.digest is None else f"{node.id}  {node.digest[:12]}"
    leaf = branch.add(_line(f"{label}  {node.standing}" + (f": {node.said}" if node.said else ""), node.standing))
    for line in fault_lines(node):
        leaf.add(_line(line, node.standing, dim=True))
    if node.cure:
        leaf.add(_line(node.cure, "intact", plain=True))


def _line(text: str, standing: Standing, *, dim: bool = False, plain: bool = False) -> Text:
    style = "" if plain else f"{_STYLES[standing]}{' dim' if dim and standing != 'changed' else ''}"
    return Text(notation.printable(text), style=style, overflow="fold")
