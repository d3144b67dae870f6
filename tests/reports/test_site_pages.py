"""What the pages below an experiment say: marks, the growth of banks, strategies tried, links, and text that is only text."""

import json
from typing import Any

import pytest

from tests.reports.test_experiment_page import HOSTILE, Reading
from tmas_assets.records import (
    Grade,
    MemoryEntry,
    MemorySnapshot,
    Problem,
    Rollout,
    Round,
    StrategyChoice,
    Trace,
    Turn,
    Verification,
    digest,
)
from tmas_assets.reports.notation import cut
from tmas_assets.reports.site.bank_maps import BankMap, bank_round, repeat_memories
from tmas_assets.reports.site.glance import glance, round_glance, short_score
from tmas_assets.reports.site.growth import HEIGHT, WIDTH, growth
from tmas_assets.reports.site.index_page import PageEntry, index_page
from tmas_assets.reports.site.iteration_page import CRITIQUE_CHARS, TEXT_CHARS, Files, iteration_page
from tmas_assets.reports.site.links import Link, grouped, rollout_link
from tmas_assets.reports.site.problem_page import Place, problem_page, seen
from tmas_assets.reports.site.solved import SolvedRound, solved
from tmas_assets.reports.standing import LeaderboardRow

TMAS = StrategyChoice(name="tmas", settings={"candidates": 2})
FILES = Files("rollouts.parquet", "checks.parquet", "summaries.parquet", "memory.parquet")
PROBLEM = Problem(benchmark="b", release="r", id="p/1", statement="What?", answer="4", grader="math")


def trace(role: str, call: str = "c", prompt: int | None = 10) -> Trace:
    return Trace.model_validate({
        "call": digest(call), "reply": digest(call), "role": role, "status": "complete", "repetitive": False, "prompt_tokens": prompt,
        "completion_tokens": 5, "failure": None,
    })  # fmt: skip


def rollout(t: int, c: int, **change: Any) -> Rollout:
    body = {
        "id": f"r0t{t:02d}c{c}", "problem": "p/1", "problem_digest": PROBLEM.digest, "repeat": 0, "iteration": t, "candidate": c,
        "branch": "plain", "parents": (), "memory_digest": None, "text": "so", "answer": "4", "strategy_digest": "s", "model": "m",
        "seed": 0, "trace": trace("solution", f"{t}/{c}"),
    }  # fmt: skip
    return Rollout.model_validate(body | change)


def check(of: Rollout, number: int, score: float | None, **change: Any) -> Verification:
    body = {
        "id": f"{of.id}v{number}", "problem": "p/1", "rollout": of.id, "repeat": 0, "iteration": of.iteration, "check": number,
        "score": score, "critique": "fine", "parse": "parsed" if score is not None else "parse_error", "parse_error": None,
        "strategy_digest": "s", "model": "m", "trace": trace("verification", f"{of.id}/{number}"),
    }  # fmt: skip
    return Verification.model_validate(body | change)


def entry(id_: str, born: int, **change: Any) -> MemoryEntry:
    bank = {"g": "guideline", "e": "experience"}[id_[0]]
    body = {
        "id": id_, "bank": bank, "polarity": "strategy" if bank == "guideline" else "pitfall", "text": f"line {id_}", "born": born,
        "sources": (f"r0t{born:02d}c0", f"r0t{born:02d}c1"), "last_seen": born,
    }  # fmt: skip
    return MemoryEntry.model_validate(body | change)


def snapshot(t: int, entries: tuple[MemoryEntry, ...] = (), before: MemorySnapshot | None = None, turns: tuple[Turn, ...] = ()) -> MemorySnapshot:
    return MemorySnapshot(
        problem="p/1", problem_digest=PROBLEM.digest, repeat=0, iteration=t, previous_digest=digest(before) if before else None,
        entries=entries, writes=(), turns=turns, strategy_digest="s",
    )  # fmt: skip


def grade(of: Rollout, outcome: str) -> Grade:
    return Grade.model_validate({
        "problem": "p/1", "problem_digest": PROBLEM.digest, "rollout": of.id, "repeat": 0, "iteration": of.iteration,
        "candidate": of.candidate, "outcome": outcome, "rule_outcome": outcome, "judgement": None, "unsandboxed": False,
        "extracted": "4", "gold": "4", "grader": "math", "grader_version": "3", "failure": None, "completion": "complete",
        "repetitive": False, "rollouts_digest": "d",
    })  # fmt: skip


def three_iterations() -> list[SolvedRound]:
    """Guideline g001 is born in 0, named again in 1, shown in 1 and 2, refuted in 2; e001 is born in 1 and evicted in 2."""
    first = snapshot(0, (entry("g001", 0),))
    second = snapshot(1, (entry("g001", 0, support=2, last_seen=1), entry("e001", 1)), first)
    ended = {"ended": 2, "reason": "no good"}
    third = snapshot(
        2, (entry("g001", 0, support=2, last_seen=1, state="refuted", **ended), entry("e001", 1, state="evicted", **ended), entry("g002", 2)), second
    )
    rounds = [
        Round(problem="p/1", repeat=0, iteration=0, rollouts=(rollout(0, 0), rollout(0, 1)), memory=first),
        *(
            Round(
                problem="p/1", repeat=0, iteration=t, memory=memory,
                rollouts=(
                    rollout(t, 0, branch="explore", memory_digest=digest(before)),
                    rollout(t, 1, branch="refine", parents=(f"r0t{t - 1:02d}c1",), memory_digest=digest(before) if t == 2 else None),
                ),
            )
            for t, memory, before in ((1, second, first), (2, third, second))
        ),
    ]  # fmt: skip
    memories = [None, first, second]
    return [solved(TMAS, one, (), before) for one, before in zip(rounds, memories, strict=True)]


def bank_map(bank: str) -> BankMap:
    (memory,) = repeat_memories([bank_round(one) for one in three_iterations()])
    return next(one for one in memory.maps if one.bank == bank)


def test_a_map_tells_new_from_named_again_and_says_when_a_line_ended_and_which_prompts_held_it() -> None:
    guideline = bank_map("guideline")
    assert (guideline.new, guideline.again, guideline.live) == ((1, 0, 1), (0, 1, 0), (1, 1, 1))
    first, second = guideline.lines
    assert [(part.sign, part.shown, part.span) for part in first.stretches] == [
        ("new", False, 1), ("again", True, 1), ("refuted", True, 1),
    ]  # fmt: skip
    assert first.shown_in == "t01, t02"
    assert [(part.sign, part.span) for part in second.stretches] == [("none", 2), ("new", 1)]
    assert guideline.seen_by == ("", "c0", "c0")
    experience = bank_map("experience")
    assert [(part.sign, part.shown) for part in experience.lines[0].stretches] == [
        ("none", False), ("new", False), ("evicted", True),
    ]  # fmt: skip
    assert experience.seen_by == ("", "", "c1")


def test_a_rollout_that_repeats_an_earlier_one_is_not_said_to_have_seen_the_bank_of_now() -> None:
    before = snapshot(1, (entry("e001", 0),), snapshot(0))
    kept = rollout(2, 0, branch="refine", memory_digest=digest(snapshot(0, (entry("e009", 0),))))
    made = Round(problem="p/1", repeat=0, iteration=2, rollouts=(kept,), memory=snapshot(2, before.entries, before))
    assert solved(TMAS, made, (), before).shown == ()


def test_lines_for_which_a_prompt_had_no_room_are_not_said_to_be_held() -> None:
    long = tuple(entry(f"e{n:03d}", 0, text="x" * 90, support=n) for n in range(1, 5))
    before = snapshot(0, long)
    choice = StrategyChoice(name="tmas", settings={"limits": {"bank_chars": 250}})
    saw = rollout(1, 0, branch="refine", memory_digest=digest(before))
    (shown,) = solved(choice, Round(problem="p/1", repeat=0, iteration=1, rollouts=(saw,), memory=snapshot(1, long, before)), (), before).shown
    assert (shown.entries, shown.left_out) == (("e003", "e004"), 2)


def test_the_growth_stays_in_its_box_and_its_names_apart() -> None:
    (memory,) = repeat_memories([bank_round(one) for one in three_iterations()])
    drawn = growth(memory)
    assert all(0 <= point.x <= WIDTH and 0 <= point.y <= HEIGHT for line in drawn.lines for point in line.points)
    one, other = (line.label_y for line in drawn.lines)
    assert abs(one - other) >= 14
    assert growth(repeat_memories([bank_round(three_iterations()[0])])[0]).top == 1


def test_a_mark_says_branch_grade_verifiers_and_parents_and_ratings_of_checks_do_not_count() -> None:
    made = rollout(1, 0, branch="refine", parents=("r0t00c1",))
    checks = (check(made, 0, 1.0), check(made, 1, 0.5), check(made, 2, None), check(made, 3, 0.0, about="r0t01c0v0"))
    one = SolvedRound(Round(problem="p/1", repeat=0, iteration=1, rollouts=(made,), verifications=checks, memory=snapshot(1)), {made.id: grade(made, "wrong")}, ())
    (mark,) = round_glance(one).marks
    assert (mark.sign, mark.verifier) == ("✗", ".75")
    assert mark.said == "r0t01c0 (refine); wrong; read 4; verifiers 0.75 of 2; from r0t00c1"


def test_every_candidate_keeps_its_column_and_a_missing_one_leaves_a_gap() -> None:
    rounds = [
        Round(problem="p/1", repeat=0, iteration=0, rollouts=(rollout(0, 0), rollout(0, 2)), memory=snapshot(0)),
        Round(problem="p/1", repeat=0, iteration=1, rollouts=(rollout(1, 1),), memory=snapshot(1)),
    ]
    shown = glance([round_glance(SolvedRound(one, {}, ())) for one in rounds])
    assert shown.columns == ((0, 0), (0, 1), (0, 2))
    assert [[mark.rollout if mark else None for mark in row.marks] for row in shown.rows] == [
        ["r0t00c0", None, "r0t00c2"], [None, "r0t01c1", None],
    ]  # fmt: skip
    assert [row.right for row in shown.rows] == ["–", "–"]


def test_a_reply_that_many_records_are_made_of_counts_once_and_unknown_usage_makes_a_lower_bound() -> None:
    shared = trace("distiller", "same")
    turns = tuple(
        Turn(id=f"t{n}", role="distiller", kind="k", data=None, text="", parse="parsed", parse_error=None, model="m", trace=shared) for n in range(3)
    )
    unknown = rollout(0, 0, trace=trace("solution", "u", prompt=None))
    one = SolvedRound(Round(problem="p/1", repeat=0, iteration=0, rollouts=(unknown,), memory=snapshot(0, turns=turns)), {}, ())
    assert (round_glance(one).calls, round_glance(one).tokens, round_glance(one).unknown) == (2, 15, 1)
    assert glance([round_glance(one)]).rows[0].tokens == "≥ 15"


@pytest.mark.parametrize(("mean", "text"), [(None, ""), (0.0, "0"), (1.0, "1"), (0.5, ".5"), (0.75, ".75"), (2 / 3, ".67"), (0.001, "0")])
def test_scores_are_short(mean: float | None, text: str) -> None:
    assert short_score(mean) == text


def test_sources_are_grouped_by_iteration_and_runs_are_joined() -> None:
    ids = [f"r0t00c{n}" for n in (0, 1, 2, 3, 7)] + ["r0t02c1", "r0t02c2", "elsewhere"]
    assert [(one.iteration, one.candidates) for one in grouped(ids)] == [(0, "c0–c3, c7"), (2, "c1, c2")]


def test_a_rollout_whose_page_is_not_there_has_no_link() -> None:
    assert rollout_link("r0t01c3", 2, (0, 1, 2)).href == "t01.html#r0t01c3"
    assert rollout_link("r0t02c3", 2, (0, 1, 2)).href == "#r0t02c3"
    assert [rollout_link(id_, 2, (0, 2)).href for id_ in ("r0t01c3", "r0t02/ceo", "javascript:alert(1)")] == ["", "", ""]


def test_texts_are_cut_where_it_saves_something_and_say_how_much() -> None:
    assert cut("x" * 102, 100) == ("x" * 102, 0)
    assert cut("x" * 150, 100) == ("x" * 100, 50)
    made = rollout(0, 0, text="y" * (TEXT_CHARS + 5_000))
    long = check(made, 0, 1.0, critique="z" * (CRITIQUE_CHARS + 4_000))
    one = SolvedRound(Round(problem="p/1", repeat=0, iteration=0, rollouts=(made,), verifications=(long,), memory=snapshot(0)), {}, ())
    text = "".join(Reading(iteration_page(place((0,)), 0, [one], FILES, "0" * 64)).text)
    assert text.count("y" * TEXT_CHARS) == 1
    assert "5,000 characters left out here; the whole is in row r0t00c0 of rollouts.parquet." in text
    assert "4,000 characters left out here; the whole is in row r0t00c0v0 of checks.parquet." in text
    assert "y" * (TEXT_CHARS + 1) not in text


def place(iterations: tuple[int, ...], **change: Any) -> Place:
    problem = PROBLEM.model_copy(update=change)
    return Place("exp", "tmas", problem, iterations, None, Link(text="next", href="../p2/index.html"))


def test_hostile_text_in_every_field_is_shown_to_the_letter_and_adds_no_element() -> None:
    bad = f"{HOSTILE} \x00 \ud800 \u202e"
    lines = (entry("e001", 0, text=bad, state="refuted", ended=0, reason=bad), entry("g001", 0, text=bad))
    turn = Turn(id=bad, role=bad, kind=bad, data=json.dumps({"a": HOSTILE}), text=bad, about=(bad,), parse="parse_error", parse_error=bad, model=bad, trace=None)
    made = rollout(0, 0, text=bad, answer=bad)
    checks = (check(made, 0, None, critique=bad, parse_error=bad), check(made, 1, None, critique="", parse_error=bad))
    one = SolvedRound(
        Round(problem="p/1", repeat=0, iteration=0, rollouts=(made,), verifications=checks, memory=snapshot(0, lines, turns=(turn,))),
        {made.id: grade(made, "wrong").model_copy(update={"extracted": bad})}, (),
    )  # fmt: skip
    there = place((0,), id=bad, statement=bad, answer=bad)
    plain = place((0,))
    for page, tame in (
        (problem_page(there, [seen(one)], "0" * 64), problem_page(plain, [seen(one)], "0" * 64)),
        (iteration_page(there, 0, [one], FILES, "0" * 64), iteration_page(plain, 0, [one], FILES, "0" * 64)),
    ):
        page.encode("utf-8")
        reading = Reading(page)
        assert [tag for tag, _ in reading.elements] == [tag for tag, _ in Reading(tame).elements]
        assert not [name for _, attributes in reading.elements for name in attributes if name.startswith("on")]
        text = "".join(reading.text)
        assert text.count(HOSTILE) >= 5
        assert not {"\x00", "\ud800", "\u202e"} & set(text)


def test_the_index_lists_only_pages_that_are_there_and_the_leaderboard_first(score_of: Any, tokens_of: Any) -> None:
    def row(name: str) -> LeaderboardRow:
        return LeaderboardRow(
            experiment=name, benchmark="b", release="r", strategy="tmas", model="m", identity="i",
            score=score_of(1, [0.5, 1.0], 4, experiment=name), majority=None, curve=(), tokens_scratch=tokens_of(1), tokens_paid=(),
        )  # fmt: skip

    pages = [
        PageEntry(kind="experiment", title="here", href="here.html"),
        PageEntry(kind="experiment", title="unscored", href="unscored.html"),
        PageEntry(kind="audit", title="Lineage audit", href="audit.html"),
        PageEntry(kind="novel_kind", title=HOSTILE, href="x.html"),
        PageEntry(kind="leaderboard", title="Leaderboard", href="leaderboard.html"),
    ]
    reading = Reading(index_page([row("here"), row("gone")], pages))
    assert sorted(one["href"] or "" for one in reading.of("a")) == sorted(page.href for page in pages)
    assert "gone" not in "".join(reading.text)
    assert "No experiment has a score yet." in index_page([], [])
