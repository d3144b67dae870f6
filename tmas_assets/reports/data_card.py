"""The data card of a set as Markdown: what is in it, where it came from, what was dropped, by whom it was made, how far to trust it.

Same facts and plots, same text. What is missing, short or unfinished stands at the top. All text of sources, models and files is
escaped. Leaves out the facts (`card_facts.py`) and the fixed sentences (`card_notes.py`).
"""

import re
from collections.abc import Mapping, Sequence

from tmas_assets.reports.card_facts import CardFacts, StratumFacts, TeacherFacts
from tmas_assets.reports.card_loading import loading_markdown
from tmas_assets.reports.card_notes import known_limits, licence_notes
from tmas_assets.reports.card_yaml import front_matter
from tmas_assets.reports.data_counts import counts_markdown
from tmas_assets.reports.length_panels import lengths_markdown
from tmas_assets.reports.markdown_parts import cell, fenced, table
from tmas_assets.reports.notation import ABSENT, count, percent

PASS_RATES = "pass_rates"
"""Key of a plot that belongs to the pass rates; every other one is shown with the lengths."""
MOST_STRATA = 60
"""Lines of strata, the largest shortfalls first; the others are one line."""
_BAR = 30
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_LONG = 1000
_KINDS = {
    "cold_start": "cold-start data: prompts for reinforcement learning with and without memory banks, and conversations of five roles",
    "team_traces": "team traces: multi-agent solutions of chosen questions, filtered",
}


def hub_card_markdown(facts: CardFacts, plots: Mapping[str, str]) -> str:
    """The card with the block of YAML that a hub reads: a repository's README.md."""
    return f"{front_matter(facts)}\n{card_markdown(facts, plots)}"


def card_markdown(facts: CardFacts, plots: Mapping[str, str]) -> str:
    """`plots` are Markdown images by name, inlined or as relative files; they are not escaped."""
    lengths = [image for name, image in plots.items() if name != PASS_RATES]
    sections = (
        _head(facts),
        ("Sources", _sources(facts)),
        ("Licences", _licences(facts)),
        ("Screening", [counts_markdown(facts.screening)]),
        ("Decontamination", _compared(facts)),
        ("Pass rates", [*_pass_rates(facts), *[image for name, image in plots.items() if name == PASS_RATES]]),
        ("Rows", _targets(facts)),
        ("Domains", _domains(facts)),
        ("Filters", _filters(facts)),
        ("Teachers", _teachers(facts)),
        ("Models", _models(facts)),
        ("Lengths", [*lengths, lengths_markdown(facts.lengths)]),
        ("How to load", [loading_markdown(facts)]),
        ("Known limits", [_list(known_limits(facts))]),
        ("Reproducibility", _digests(facts)),
        ("Settings", [fenced(facts.settings.rstrip("\n"), "yaml")]),
    )
    blocks = [block for section in sections for block in (section if isinstance(section, list) else _section(*section))]
    return "\n\n".join(blocks) + "\n"


def _section(title: str, blocks: Sequence[str]) -> list[str]:
    return [f"## {title}", *blocks] if blocks else []


def _head(facts: CardFacts) -> list[str]:
    rows = f"{count(facts.rows)} rows, seed {facts.seed}"
    about = f"**About:** {cell(facts.description, _LONG)}"
    warnings = []
    if facts.partial is not None:
        warnings.append(f"**Partial build:** {cell(facts.partial, _LONG)}")
    if facts.short:
        said = "; ".join(f"{cell(one.set)} has {count(one.made)} of {count(one.asked)}" for one in facts.short)
        warnings.append(f"**Short of its targets:** {said}. Nothing was repeated to fill them.")
    if not facts.compared:
        warnings.append("**Not decontaminated:** no evaluation release was compared with.")
    elif facts.missing:
        said = ", ".join(cell(one.release) for one in facts.missing)
        warnings.append(f"**Not compared with {len(facts.missing)} of {len(facts.compared)} evaluation releases:** {said}")
    if care := licence_notes(facts):
        warnings.append(f"**Licences to heed:** {len(care)}, see below.")
    return [
        f"# Data set {cell(facts.name)}",
        f"Kind: {_KINDS[facts.kind]}. {rows}{f', {cell(facts.date)}' if facts.date else ''}.",
        *([about] if facts.description.strip() else []),
        *([_list(warnings)] if warnings else []),
    ]


def _sources(facts: CardFacts) -> list[str]:
    rows = [
        (cell(one.name), cell(one.benchmark), cell(one.licence), f"{one.weight:g}", count(one.problems), count(one.screened), count(one.rows))
        for one in facts.sources
    ]  # fmt: skip
    return [table(("source", "benchmark", "licence stated", "weight", "problems", "after screening", "rows"), rows)] if rows else []


def _licences(facts: CardFacts) -> list[str]:
    if not facts.licences:
        return ["There are no rows."]
    total = sum(one.rows for one in facts.licences)
    rows = [(cell(one.name) or "none stated", count(one.rows), percent(one.rows / total if total else None, 1)) for one in facts.licences]
    notes = licence_notes(facts)
    return [table(("licence", "final rows", "%"), rows), *([_list(notes)] if notes else [])]


def _compared(facts: CardFacts) -> list[str]:
    if not facts.compared:
        return ["**Nothing was compared.** The rows may hold problems that models are measured on."]
    rows = [
        (cell(one.release), ABSENT if one.missing is not None else count(one.problems), cell((one.digest or ABSENT)[:12]),
         "compared" if one.missing is None else f"**NOT COMPARED:** {cell(one.missing, 400)}")
        for one in sorted(facts.compared, key=lambda one: (one.missing is None, one.release))
    ]  # fmt: skip
    had = len(facts.compared) - len(facts.missing)
    said = f"Compared with {had} of {len(facts.compared)} evaluation releases."
    return [said, table(("release", "problems", "digest", ""), rows)]


def _pass_rates(facts: CardFacts) -> list[str]:
    if not facts.pass_rates:
        return []
    largest = max(max(one.problems for one in facts.pass_rates), 1)
    rows = [
        (cell(one.band), count(one.problems), count(one.kept), "█" * -(-_BAR * one.problems // largest)) for one in facts.pass_rates
    ]  # fmt: skip
    said = [f"{count(facts.pass_rate_samples)} plain samples asked for a problem."] if facts.pass_rate_samples is not None else []
    return [*said, table(("p", "problems", "kept", ""), rows)]


def _targets(facts: CardFacts) -> list[str]:
    rows = [(cell(one.set), count(one.asked), count(one.made), count(max(0, one.asked - one.made)), cell(one.why, 400)) for one in facts.targets]
    blocks = [table(("set", "target", "made", "short", "why"), rows)] if rows else []
    if facts.strata:
        blocks += _strata(facts.strata)
    return blocks


def _strata(strata: Sequence[StratumFacts]) -> list[str]:
    """Rows alone where each stratum has just what was asked of it, which is also how strata read that nothing was asked of."""
    if all(one.asked == one.made for one in strata):
        ordered = sorted(strata, key=lambda one: (-one.made, one.set, one.source, one.difficulty, one.topic))
        rows = [(cell(one.set), cell(one.source), cell(one.difficulty), cell(one.topic), count(one.made)) for one in ordered[:MOST_STRATA]]
        if rest := ordered[MOST_STRATA:]:
            rows.append((f"{count(len(rest))} more", "", "", "", count(sum(one.made for one in rest))))
        return ["By source, difficulty and topic, the most rows first:", table(("set", "source", "difficulty", "topic", "rows"), rows)]
    return ["By source, difficulty and topic, the largest shortfalls first:", _short_strata(strata)]


def _short_strata(strata: Sequence[StratumFacts]) -> str:
    ordered = sorted(strata, key=lambda one: (one.made - one.asked, one.set, one.source, one.difficulty, one.topic))
    rows = [
        (cell(one.set), cell(one.source), cell(one.difficulty), cell(one.topic), count(one.asked), count(one.made), count(max(0, one.asked - one.made)))
        for one in ordered[:MOST_STRATA]
    ]  # fmt: skip
    if rest := ordered[MOST_STRATA:]:
        asked, made, short = sum(r.asked for r in rest), sum(r.made for r in rest), sum(max(0, r.asked - r.made) for r in rest)
        rows.append((f"{count(len(rest))} more", "", "", "", count(asked), count(made), count(short)))
    return table(("set", "source", "difficulty", "topic", "asked", "made", "short"), rows)


def _domains(facts: CardFacts) -> list[str]:
    rows = [(cell(one.domain), count(one.questions), count(one.traces), count(one.kept)) for one in facts.domains]
    return [table(("domain", "questions", "traces", "kept"), rows)] if rows else []


def _filters(facts: CardFacts) -> list[str]:
    if not facts.filters:
        return []
    rows = [
        (one.filter, count(one.judged), count(one.judged - one.failed), count(one.failed), count(one.only), "yes" if one.on else "no, only counted")
        for one in facts.filters
    ]
    blocks = ["Each filter judges every trace, whatever the others say.", table(("filter", "traces", "pass", "fail", "fail this one alone", "demanded"), rows)]
    if facts.traces_kept is not None:
        blocks.append(f"{count(facts.traces_kept)} traces pass all that is demanded.")
    if facts.format_faults:
        faults = [(cell(one.name), count(one.rows)) for one in facts.format_faults[:20]]
        blocks.append(table(("first breach of form", "traces"), faults))
    return blocks


def _teachers(facts: CardFacts) -> list[str]:
    if not facts.teachers:
        return []
    weights = sum(one.weight for one in facts.teachers)
    rows = [
        (cell(one.name), cell(_named(one.model)), percent(one.weight / weights, 1), count(one.rows), count(one.right), count(one.wrong),
         count(one.ungraded), percent(right_share(one), 1))
        for one in facts.teachers
    ]  # fmt: skip
    head = ("teacher", "model", "weight, %", "rows", "right", "wrong", "undecided or failed", "right of decided, %")
    return ["Outcomes count all graded answers of a teacher, also in rounds that no row came from.", table(head, rows)]


def _named(models: str) -> str:
    """Digests by their beginning; the table of models has them whole."""
    return _DIGEST.sub(lambda found: found[0][:12], models)


def right_share(teacher: TeacherFacts) -> float | None:
    decided = teacher.right + teacher.wrong
    return teacher.right / decided if decided else None


def _models(facts: CardFacts) -> list[str]:
    rows = [(cell(one.model), cell(one.identity), cell(", ".join(one.roles), 400)) for one in facts.models]
    return [table(("model", "identity", "roles"), rows)] if rows else []


def _digests(facts: CardFacts) -> list[str]:
    rows = [(cell(one.name), cell(one.value)) for one in facts.digests]
    files = [(cell(one.config), cell(one.path), count(one.rows), count(one.size), cell(one.digest)) for one in facts.files]
    return [
        f"Seed {facts.seed}. With the same settings, models, code and replies, every file has the digest below.",
        *([table(("what", "digest"), rows)] if rows else []),
        *([table(("subset", "file", "rows", "bytes", "SHA-256"), files)] if files else []),
    ]


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
