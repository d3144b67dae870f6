"""A study's members side by side: its tables and its page. Leaves out gathering them and the plot."""

from datetime import datetime

from tmas_assets.records import Record
from tmas_assets.reports import notation
from tmas_assets.reports.page import render_page
from tmas_assets.reports.paired_table import MEANING, PairedTable, paired_markdown, paired_table
from tmas_assets.reports.study_figures import study_picture
from tmas_assets.reports.study_rows import MemberRow, StudyReport


class MemberLine(Record):
    """One member as the text of a table."""

    label: str
    differs: tuple[str, ...]
    """Its value on each axis, empty where it is like the base."""
    value: str
    interval: str
    iteration: str
    answers: str
    calls: str
    tokens: str
    tokens_per_right: str


COLUMNS = (
    "Pass@1, %", "interval", "iteration", "problems × answers", "calls a problem", "tokens a problem", "tokens per right answer",
)  # fmt: skip


def member_lines(report: StudyReport) -> tuple[MemberLine, ...]:
    return tuple(_line(report, member) for member in report.members)


def _line(report: StudyReport, member: MemberRow) -> MemberLine:
    own = {point.axis: point.text for point in member.points}
    score = member.standing.score if member.standing else None
    end = member.standing.end if member.standing else None
    dear = member.standing.tokens_per_right_answer if member.standing else None
    return MemberLine(
        label=member.label + (" (reference)" if member.label == report.reference else ""),
        differs=tuple(own.get(axis, "") for axis in report.axes),
        value=notation.percent(score.value) if score else notation.ABSENT,
        interval=notation.bounds(score) if score else notation.ABSENT,
        iteration=str(score.iteration) if score else notation.ABSENT,
        answers=(notation.per_problem(score) + (f", {score.missing:,} missing" if score.missing else "")) if score else notation.ABSENT,
        calls=notation.short_count(end.calls) if end else notation.ABSENT,
        tokens=notation.tokens_spent(end) if end else notation.ABSENT,
        tokens_per_right=notation.short_count(dear) if dear is not None else notation.ABSENT,
    )


def study_paired(report: StudyReport) -> PairedTable | None:
    """None where nothing is compared yet."""
    found = {member.label: member.against for member in report.members if member.against}
    return paired_table(report.reference, found) if found else None


def study_markdown(report: StudyReport) -> str:
    """One GitHub table of the members; the text of every cell is escaped."""
    cell = notation.markdown_cell
    lines = [
        f"| member | {' | '.join((*map(cell, report.axes), *COLUMNS))} |",
        f"|---|{'--:|' * (len(report.axes) + len(COLUMNS))}",
    ]
    for line in member_lines(report):
        texts = (line.value, line.interval, line.iteration, line.answers, line.calls, line.tokens, line.tokens_per_right)
        lines.append(f"| {' | '.join(map(cell, (line.label, *line.differs, *texts)))} |")
    return "\n".join(lines)


def study_paired_markdown(report: StudyReport) -> str:
    paired = study_paired(report)
    if paired is None:
        return "Nothing is compared yet: the reference and another member need graded answers."
    return f"{paired_markdown(paired)}\n\n{notation.markdown_cell(MEANING)}"


def study_page(report: StudyReport, generated_at: datetime | None = None) -> str:
    """One self-contained page; an absent time leaves the same bytes for the same rows."""
    warnings = [
        warning
        for member in report.members
        if member.standing and member.standing.score and (warning := notation.untrusted(member.standing.score))
    ]
    return render_page(
        "study.html.jinja",
        report=report,
        picture_of_all=study_picture(report),
        columns=COLUMNS,
        lines=member_lines(report),
        table=study_paired(report),
        warnings=warnings,
        meaning=MEANING,
        generated_at=generated_at,
    )
