"""Rows of built sets against what was sent and graded: read from the raw files and the call log, past the code that made the rows."""

import json
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pytest

from tests.whole.built_sets import Built

pytestmark = pytest.mark.xdist_group("data_sets")
Row = dict[str, Any]


def rows(built: Built, path: str) -> list[Row]:
    return pl.read_parquet(built.folder / "store" / f"{path}.parquet").to_dicts()


def cell(built: Built, experiment: str, part: str, iteration: int, problem: str) -> list[Row]:
    [path] = (built.folder / "store" / experiment / part).glob(f"*/t{iteration:02d}/{quote(problem, safe='')}.parquet")
    return pl.read_parquet(path).to_dicts()


def logged(built: Built) -> dict[str, Row]:
    with sqlite3.connect(built.folder / "calls.sqlite") as log:
        return {key: json.loads(body) for key, body in log.execute("select key, body from calls")}


def spoken(messages: list[Row]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def sent(calls: dict[str, Row], key: str) -> list[tuple[str, str]]:
    return spoken(calls[key]["request"]["messages"])


def stated(built: Built) -> dict[str, Row]:
    """The rows of the file that problems come from, by the ids that the set gives them."""
    return {f"words/{row['id']}": row for row in map(json.loads, Path(built.folder, "problems.jsonl").read_text().splitlines())}


def test_pass_rates_are_those_of_the_stored_grades_and_the_band_follows_from_them(built: Built) -> None:
    band = {row["problem"]["id"] for row in rows(built, "cold/difficulty_band/rows")}
    measured = rows(built, "cold/baseline_pass_rates/rows")
    for rate in measured:
        outcomes = Counter(grade["outcome"] for grade in cell(built, "cold__pass_rates", "benchmark_scores", 0, rate["problem"]))
        assert sum(outcomes.values()) == 4
        assert (rate["right"], rate["samples"]) == (outcomes["right"], outcomes["right"] + outcomes["wrong"])
        assert (rate["problem"] in band) == (0 < outcomes["right"] < rate["samples"])
    assert 0 < len(band) < len(measured)


@pytest.mark.parametrize("source", ["normal", "experience", "guideline"])
def test_every_row_has_the_prompt_that_was_sent_where_one_was_sent_at_its_place(built: Built, source: str) -> None:
    calls, problems = logged(built), stated(built)
    rates = {rate["problem"]: rate for rate in rows(built, "cold/baseline_pass_rates/rows")}
    found = 0
    for row in rows(built, f"cold/{source}/rows"):
        info = row["extra_info"]
        own = problems[info["problem"]]
        assert (row["reward_model"]["ground_truth"], info["licence"], info["topic"]) == (own["answer"], own["licence"], own["subject"])
        assert (info["p_base"], info["p_base_samples"]) == (rates[info["problem"]]["p"], rates[info["problem"]]["samples"])
        experiment = "cold__pass_rates" if source == "normal" else f"cold__teacher_{info['teacher']}"
        if info["iteration"] == 2:  # after the last round: the teachers were not asked any more
            continue
        # an exploration has the same prompt whatever the number of its candidate, and so has a plain one
        there = [
            one
            for one in cell(built, experiment, "rollouts", info["iteration"], info["problem"])
            if one["branch"] == info["branch"] and (source != "experience" or one["candidate"] == info["candidate"])
        ]
        for one in there:
            assert spoken(row["prompt"]) == sent(calls, one["trace"]["call"])
        found += bool(there)
    assert found > 0


@pytest.mark.parametrize("source", ["experience", "guideline"])
def test_rows_show_live_entries_of_their_bank_and_count_the_grades_of_the_round_before(built: Built, source: str) -> None:
    for row in rows(built, f"cold/{source}/rows"):
        info, prompt = row["extra_info"], row["prompt"][-1]["content"]
        place = (f"cold__teacher_{info['teacher']}", info["iteration"] - 1, info["problem"])
        [memory] = cell(built, place[0], "memory_bank", *place[1:])
        live = {entry["id"]: entry["text"] for entry in memory["entries"] if entry["bank"] == source and entry["state"] == "live"}
        shown = {entry["id"]: entry["text"] for entry in info[source]}
        assert shown
        assert shown.items() <= live.items()
        assert all(text in prompt for text in shown.values())
        assert not info["guideline" if source == "experience" else "experience"]
        outcomes = Counter(grade["outcome"] for grade in cell(built, place[0], "benchmark_scores", *place[1:]))
        assert (info["right_before"], info["wrong_before"]) == (outcomes["right"], outcomes["wrong"])
        texts = {one["id"]: one["text"] for one in cell(built, place[0], "rollouts", *place[1:])}
        assert all(texts[parent] in prompt for parent in info["parents"])
        assert bool(info["parents"]) == (source == "experience")


def test_conversations_are_the_logged_calls_of_just_the_rounds_whose_vote_is_right(built: Built) -> None:
    calls, problems, groups = logged(built), stated(built), defaultdict(list)
    for talk in rows(built, "cold/sft/rows"):
        call = calls[talk["call"]]
        groups[talk["group"]].append(talk["order"])
        assert spoken(talk["messages"])[:-1] == sent(calls, talk["call"])
        assert talk["messages"][-1]["role"] == "assistant"
        assert talk["messages"][-1]["content"].endswith(call["answer"])
        assert (talk["role"], talk["licence"]) == (call["request"]["role"], problems[talk["problem"]]["licence"])
        assert (talk["prompt_tokens"], talk["completion_tokens"]) == (call["usage"]["prompt_tokens"], call["usage"]["completion_tokens"])
    assert all(orders == list(range(len(orders))) for orders in groups.values())
    wanted = set()
    for one in rows(built, "cold/teacher_rounds/rows"):
        grades = cell(built, one["experiment"], "benchmark_scores", one["iteration"], one["problem"])
        votes = Counter(grade["extracted"] for grade in grades if grade["extracted"]).most_common(2)
        won = [grade["outcome"] for grade in grades if votes and grade["extracted"] == votes[0][0]]
        if won and set(won) == {"right"} and (len(votes) == 1 or votes[0][1] > votes[1][1]):
            wanted.add(f"{one['problem']}/{one['teacher']}/r0t{one['iteration']:02d}")
    assert set(groups) == wanted


def test_turns_columns_and_conversations_of_traces_are_the_logged_calls(built: Built) -> None:
    calls, problems = logged(built), stated(built)
    kept, columns = rows(built, "traces/filtered/traces"), rows(built, "traces/filtered/rows")
    talks = defaultdict(list)
    for talk in rows(built, "traces/filtered/conversations"):
        talks[talk["group"]].append(talk)
    for trace, published in zip(kept, columns, strict=True):
        assert (published["question"], published["solution"]) == (problems[trace["question"]]["question"], trace["solution"])
        assert trace["licence"] == problems[trace["question"]]["licence"]
        said = defaultdict(list)
        for order, turn in enumerate(trace["turns"]):
            call = calls[turn["call"]]
            assert (turn["order"], turn["reply"], turn["thinking"], turn["status"]) == (order, call["answer"], call["thinking"], call["status"])
            assert spoken(turn["messages"]) == sent(calls, turn["call"])
            assert (turn["prompt_tokens"], turn["completion_tokens"]) == (call["usage"]["prompt_tokens"], call["usage"]["completion_tokens"])
            said[turn["role"]] += [*sent(calls, turn["call"]), ("assistant", call["answer"])]
        for role in ("expert_recruiter", "problem_solver", "critic", "evaluator"):
            assert spoken(published[f"{role}_messages"]) == said[role]
        own = talks.pop(f"{trace['question']}/attempt{trace['attempt']}")
        assert [talk["call"] for talk in own] == [turn["call"] for turn in trace["turns"]]
    assert not talks
