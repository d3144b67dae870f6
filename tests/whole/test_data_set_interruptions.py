"""Builds that are killed, capped or left by their endpoint, and models out of form: nothing is lost, repeated or passed off as whole."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.kill_and_resume import calls, logged
from tests.scripted import launch
from tests.whole import data_sets
from tests.whole.built_sets import (
    Built,
    asked_after_screening,
    before_models,
    checks_of,
    failed,
    faults,
    files_of,
    instance_in,
    metadata_of,
    no_network,
    run,
    steps,
    total,
)
from tests.whole.experiments import deployment, endpoint
from tmas_assets.assets.faults import cells_of
from tmas_assets.engine.building.derived import DataSet, teacher_of
from tmas_assets.records import (
    ROW_SOURCES,
    ColdStart,
    Conversation,
    RlRow,
    SimulatedRound,
    SourceProblem,
    TeamTrace,
)
from tmas_assets.reports.card_facts import CardFacts

pytestmark = pytest.mark.xdist_group("data_sets")
LATENCY = 0.15
MODELS = ("--model", "scripted,other")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    no_network(monkeypatch)


def small(name: str, url: str, folder: Path, **change: Any) -> DataSet:
    return {"cold": data_sets.cold_start, "traces": data_sets.team_traces}[name](url, folder, **change)


def log_of(folder: Path) -> int:
    return logged(folder / "calls.sqlite")


@pytest.mark.timeout(600)
def test_a_build_that_was_killed_goes_on_to_the_same_bytes_and_repeats_only_what_was_in_flight(built: Built, tmp_path: Path) -> None:
    server, once = built.server, sum(built.calls.values())
    data_sets.prepare(tmp_path, 60)
    data_sets.write_sets(tmp_path, *(small(name, server.url, tmp_path) for name in built.calls))
    before = total(server)
    server.script(latency=LATENCY)
    try:
        # among the teachers' rounds, then among the team's traces
        for moment in (round(0.7 * built.calls["cold"]), built.calls["cold"] + round(0.7 * built.calls["traces"])):
            process = data_sets.start(tmp_path)
            while total(server) - before < moment and process.poll() is None:
                time.sleep(0.02)
            assert process.poll() is None, process.communicate()[0][-3000:]
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            while server.stats()["in_flight"]:
                time.sleep(0.02)
            lost = total(server) - before - log_of(tmp_path)
            assert 0 < lost <= 2 * 16
            assert log_of(tmp_path) < once
    finally:
        server.script(latency=0)
    process = data_sets.start(tmp_path)
    said, _ = process.communicate()
    assert process.returncode == 0, said[-3000:]
    assert total(server) - before - once <= lost
    assert log_of(tmp_path) == once
    assert files_of(tmp_path) == built.bytes_of()


@pytest.mark.parametrize(("name", "cap", "stopped"), [
    ("cold", 60, {"cold/baseline_pass_rates", "cold/teacher_rounds"}),
    ("traces", 40, {"traces/questions", "traces/traces"}),
])  # fmt: skip
def test_a_budget_leaves_a_part_that_says_so_and_a_higher_one_pays_only_the_rest(
    built: Built, tmp_path: Path, name: str, cap: int, stopped: set[str]
) -> None:
    folder, before = before_models(built, tmp_path), total(built.server)
    assets = asked_after_screening(name)
    with instance_in(folder) as instance:
        part = run([small(name, built.server.url, folder, budget={"calls": cap})], folder, instance, *assets)
        warned = [record.user_message for record in instance.all_logs(part.run_id) if record.level == 30]
    paid = total(built.server) - before
    assert paid == log_of(folder) < built.calls[name]
    shown = metadata_of(part)
    assert {asset for asset, said in shown.items() if "partial" in said} == stopped
    assert all(str(cap) in shown[asset]["partial"] for asset in stopped)
    assert sum(line.startswith("partial: ") for line in warned) == len(stopped)
    [facts] = steps(folder, name).read("data_card", CardFacts)[0]
    for asset in stopped:
        assert asset.split("/")[1] in (facts.partial or "")
    assert (facts.partial or "").split(": ")[1][:40] in (folder / "store" / name / "hub" / "README.md").read_text()
    if name == "cold":
        for source in ROW_SOURCES:
            rows = steps(folder, name).read(source, RlRow)[0]
            assert len({row.extra_info.prompt_digest for row in rows}) == len(rows) == shown[f"cold/{source}"]["rows"]
        short = {source for source in ROW_SOURCES if shown[f"cold/{source}"]["shortfall"]}
        assert short
        assert {f"cold/{source}/targets_met" for source in short} <= set(failed(checks_of(part)))
    with instance_in(folder) as instance:
        whole = run([small(name, built.server.url, folder)], folder, instance, *assets)
    assert whole.success, faults(whole)
    assert total(built.server) - before == log_of(folder)  # nothing was asked twice
    found, wanted = files_of(folder), built.bytes_of()
    # a capped band has fewer problems to draw from, so teachers may have played on some that the whole one leaves out
    assert {path for path, made in wanted.items() if path.startswith(name) and found.get(path) != made} == set()


@contextmanager
def gone_after(server: launch.Running, count: int) -> Iterator[None]:
    """The server's process is killed once it has received so many requests."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            if total(server) >= count:
                assert server.process is not None
                server.process.kill()
                return

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()


@pytest.mark.parametrize(("name", "moments"), [
    ("cold", (("cold/baseline_pass_rates", 0, 90), ("cold/teacher_rounds", 220, 60))),
    ("traces", (("traces/questions", 0, 20), ("traces/questions", 55, 20), ("traces/traces", 110, 50))),
])  # fmt: skip
def test_an_endpoint_that_goes_away_fails_the_step_with_the_reason_and_the_next_run_asks_only_the_rest(
    built: Built, tmp_path: Path, name: str, moments: tuple[tuple[str, int, int], ...]
) -> None:
    folder, assets = before_models(built, tmp_path), asked_after_screening(name)

    def stated(server: launch.Running) -> DataSet:
        one = endpoint(server.url, concurrency=4, max_attempts=2)
        return small(name, server.url, folder, endpoints={"default": one, **({"other": one | {"model": "other"}} if name == "cold" else {})})

    with instance_in(folder) as instance:
        for step, first, more in moments:
            with launch.process("--script", "tests.scripted.curating:solver", *MODELS, "--latency", "0.03") as server:
                there = log_of(folder)
                with gone_after(server, first - there + more if first else more):
                    result = run([stated(server)], folder, instance, *assets)
            assert list(faults(result)) == [step.replace("/", "__")]
            [said] = faults(result).values()
            assert said.startswith(name)
            assert server.url.removesuffix("/v1") in said, said
            assert "kept" in said
            assert there < log_of(folder)
        there = log_of(folder)
        with launch.process("--script", "tests.scripted.curating:solver", *MODELS) as server:
            result = run([stated(server)], folder, instance, *assets)
            asked = calls(server)
    assert result.success, faults(result)
    assert set(asked.values()) == {1}
    assert sum(asked.values()) == log_of(folder) - there  # each of them was new
    wanted = built.bytes_of()
    other = {path for path, made in files_of(folder).items() if made != wanted[path] and path.startswith(f"{name}/")}
    assert other == {f"{name}/hub/README.md", f"{name}/data_card/rows.parquet"}  # which name the server


@pytest.fixture(scope="module")
def stubborn(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both sets, by models that break the form that a role asks for in a tenth of their replies."""
    folder = before_models(built, tmp_path_factory.mktemp("stubborn"))
    with (
        launch.process("--script", "tests.scripted.curating:stubborn", *MODELS) as server,
        instance_in(folder) as instance,
    ):
        for name in ("cold", "traces"):
            result = run([small(name, server.url, folder)], folder, instance, *asked_after_screening(name))
            broken = failed(checks_of(result))
            assert all(check.endswith("/targets_met") for check in broken), broken
            assert {step for step in faults(result) if "check" not in step} == set(), faults(result)
    return folder


def test_replies_out_of_form_are_no_conversations(stubborn: Path) -> None:
    stated = data_sets.cold_start("http://127.0.0.1:9/v1", stubborn)
    assert isinstance(stated, ColdStart)
    own = steps(stubborn, "cold")
    problems = {one.problem.id: one.problem for one in own.read("difficulty_band", SourceProblem)[0]}
    cells = {teacher.name: cells_of(deployment(stubborn), teacher_of(stated, teacher)) for teacher in stated.teachers}
    out_of_form = set()
    for named in own.read("teacher_rounds", SimulatedRound)[0]:
        for made in cells[named.teacher].read(named.iteration, problems[named.problem])[0]:
            parsed = [*made.verifications, *made.summaries, *made.memory.writes]
            out_of_form |= {one.trace.call for one in parsed if one.parse != "parsed"}
    talks = own.read("sft", Conversation)[0]
    assert len(out_of_form) > 5
    assert len(talks) > 10
    assert not out_of_form & {talk.call for talk in talks}
    assert all(talk.messages[-1].role == "assistant" and talk.messages[-1].content.strip() for talk in talks)


def test_traces_with_a_reply_out_of_form_are_dropped_and_counted(stubborn: Path) -> None:
    own = steps(stubborn, "traces")
    traces, kept = own.read("traces", TeamTrace)[0], own.read("filtered", TeamTrace, "traces")[0]
    broken = [trace for trace in traces if any(turn.parse != "parsed" for turn in trace.turns)]
    assert broken
    assert kept
    assert all(turn.parse == "parsed" and turn.status == "complete" for trace in kept for turn in trace.turns)
    known = {turn.call for trace in kept for turn in trace.turns}
    assert {talk.call for talk in own.read("filtered", Conversation, "conversations")[0]} <= known
    reasons = {one.reason: one.dropped for one in own.counts("filtered")}
    assert reasons["format"] > 0
