"""The audits of all experiments as one page, and as a table for run metadata. Leaves out making them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from tmas_assets.records import STANDINGS, Audit
from tmas_assets.reports.audit_tree import MEANINGS, fault_lines, groups, headline
from tmas_assets.reports.page import render_page

MOST_SHOWN = 100
"""Nodes of one group that the page lists; the stored rows have all."""


def audit_page(audits: Sequence[Audit], generated_at: datetime | None = None) -> str:
    """Worst first; an absent time leaves the same bytes for the same audits."""
    ordered = sorted(audits, key=lambda one: (-STANDINGS.index(one.standing), one.score))
    return render_page(
        "audit.html.jinja",
        audits=[(one, headline(one), groups(one.nodes)) for one in ordered],
        counts=[(standing, sum(one.standing == standing for one in audits)) for standing in reversed(STANDINGS)],
        meanings=MEANINGS,
        fault_lines=fault_lines,
        most=MOST_SHOWN,
        generated_at=generated_at,
    )


def audit_rows(audits: Sequence[Audit]) -> list[tuple[str, ...]]:
    """Score, standing, and how many parts stand how."""
    rows = []
    for one in audits:
        counts = Counter(node.standing for node in one.nodes)
        rows.append((one.score, one.standing, *(str(counts[standing]) for standing in STANDINGS)))
    return rows


def offences(audits: Sequence[Audit]) -> list[tuple[str, str, str]]:
    """(score, part, what) of everything that is missing or changed."""
    return [
        (one.score, node.id, f"{node.standing}: {node.said}".rstrip(": "))
        for one in audits
        for node in one.nodes
        if node.standing in ("missing", "changed")
    ]
