"""What a data card warns of: known limits of its kind of set, and what the licences of its rows ask.

Fixed sentences with the set's own figures where they depend on them; nothing is left out because it sounds bad. Hints on
licences read their names only and are no legal advice.
"""

import re

from tmas_assets.reports.card_facts import CardFacts
from tmas_assets.reports.markdown_parts import cell
from tmas_assets.reports.notation import count

_LICENCE_HINTS = (
    (re.compile(r"(^|[\s_-])nc([\s_-]|$)|non-?\s?commercial", re.IGNORECASE), "non-commercial use only, whatever the rest of the set allows"),
    (re.compile(r"(^|[\s_-])nd([\s_-]|$)|no-?\s?deriv", re.IGNORECASE), "no derivatives: a changed copy may not be passed on"),
    (re.compile(r"(^|[\s_-])sa([\s_-]|$)|share-?\s?alike|(^|[^a-z])a?l?gpl", re.IGNORECASE), "share alike: what is derived goes under the same licence"),
    (re.compile(r"gated|not to (share|reveal)", re.IGNORECASE), "gated at its source: its owners decide who may pass it on"),
    (re.compile(r"^\s*(your own|unknown|other|none|)\s*$", re.IGNORECASE), "nothing is granted by name: ask whoever owns the source"),
)  # fmt: skip


def licence_notes(facts: CardFacts) -> tuple[str, ...]:
    """Markdown lines, one a licence that asks for care."""
    hints = ((one, "; ".join(said for like, said in _LICENCE_HINTS if like.search(one.name))) for one in facts.licences if one.rows)
    return tuple(f"Licence {cell(one.name) or '(none stated)'} ({count(one.rows)} rows): {hint}." for one, hint in hints if hint)


def known_limits(facts: CardFacts) -> tuple[str, ...]:
    own = _cold_start(facts) if facts.kind == "cold_start" else _team_traces(facts)
    return (*_missing(facts), *_teachers(facts), *_example(facts), *own, *_COMMON)


_COMMON = (
    "Decontamination compares words. It does not find a translation, a paraphrase that leaves no run of words standing, the same problem "
    "with other numbers, or one that is little more than a formula; short statements have few telling n-grams. It says nothing of what the "
    "teachers themselves were trained on.",
    "Golds that no rule can decide are dropped, and so are answers that stay undecided: proofs, open answers and unusual notations are "
    "rarer here than in the sources.",
    "Golds come from the sources. A wrong gold that parses is kept, and teaches that the wrong answer is right.",
    "Nobody read the texts for tone, persons or safety. Statements are those of the sources, everything else was written by models.",
    "The terms of the teacher models hold beside the licences of the sources.",
)


def _example(facts: CardFacts) -> tuple[str, ...]:
    if re.search(r"^\s*example: true$", facts.settings, re.MULTILINE) is None:
        return ()
    return (
        "Every prompt begins with a worked example (`limits.example`), whose assistant turn is the same in all rows: mask it where the "
        "loss is on all assistant turns.",
    )


def _missing(facts: CardFacts) -> tuple[str, ...]:
    if not facts.compared:
        return ("No evaluation release was compared with. Scores of a model trained on this set may be contaminated.",)
    if not facts.missing:
        return ()
    names = ", ".join(cell(one.release) for one in facts.missing)
    return (f"Problems of {names} were not looked for: scores on these, of a model trained on this set, may be contaminated.",)


def _teachers(facts: CardFacts) -> tuple[str, ...]:
    who, shared = "one teacher", "there is no second one to compare it with"
    if len(facts.teachers) > 1:
        who, shared = f"{count(len(facts.teachers))} teachers", "compare their shares of right answers above before mixing their rows"
    return (
        f"Teacher bias: {who} wrote all banks, solutions and replies; {shared}. "
        "A model trained on this set takes over a teacher's habits and mistakes.",
        "A small teacher (the bundled 135M model is one) shows that the pipeline works and keeps its formats; its mathematics is not worth imitating.",
    )


def _cold_start(facts: CardFacts) -> tuple[str, ...]:
    samples = facts.pass_rate_samples
    seen = (
        f" From {samples} samples a problem that is solved one time in twenty looks unsolvable {0.95**samples:.0%} of the time." if samples else ""
    )
    return (
        f"p_base is an estimate by one model.{seen} Another model has another difficulty band.",
        "Banks were written in rounds whose answers the row does not show; a guideline may come from a wrong solution (`right_before`, `wrong_before`).",
        "The paper (arXiv 2605.10344) leaves its problem sources, filters, difficulty band and decontamination open, and which size belongs to "
        "which of its three sets is inferred from their order. This set follows its description, not its files.",
        "`math_grm` rows need a model as judge of novelty; rewards on them are as good as that judge.",
    )


def _team_traces(facts: CardFacts) -> tuple[str, ...]:
    return (
        "Only traces whose team agreed and was right are kept, and a question may have been tried several times: failures, honest "
        "disagreement and the questions that cause them are rarer than in use.",
        "Difficulty and disciplines were judged by one model from the statement; domains are its words.",
        "The published layout (arXiv 2504.09772) has no column for the CEO or the executor; a model trained on it never sees either. The "
        "full record of turns has them.",
        "The generator, the source pool and the exact form filter of the published M500 are not public. M500 itself is under Apache-2.0 "
        "though part of its likely source is non-commercial; here every row keeps its own licence.",
    )
