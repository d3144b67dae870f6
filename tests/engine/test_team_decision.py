"""Team decisions on the real engine: rounds without rollouts are cells, calculations run in the real sandbox, no grade is made."""

import asyncio
import shutil

import pytest

from tests.engine.bench_of_cells import Bench, experiment
from tests.scripted import launch
from tests.scripted.server import Settings
from tests.strategies.test_formula import again, asked
from tmas_assets.engine.figures import figures
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.summary import scores
from tmas_assets.records import Calculation, Finding
from tmas_assets.strategies.team_decision.calculation import computed, computing
from tmas_assets.strategies.team_decision.state import decision_of

needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")


def decides(url, iterations=4, **settings):
    chosen = {"roster": ["finance", "risk"], "debate_rounds": 1, "calculations": False, **settings}
    return experiment(url, strategy={"name": "team_decision", "settings": chosen}, iterations=iterations, failure_threshold=1.0)


@pytest.fixture(scope="module")
def server():
    with launch.thread() as running:
        yield running


def test_cells_without_rollouts_are_whole_found_again_and_neither_right_nor_wrong(server, tmp_path):
    bench = Bench(decides(server.url), tmp_path)
    assert (bench.run().stopped, len(bench.made)) == ([], 12)
    decisions = [cell.rounds[0].rollouts for cell in bench.made if cell.iteration == 3]
    assert all(len(rollouts) == 1 and rollouts[0].branch == "chosen" for rollouts in decisions)
    again_ = bench.run()
    assert (again_.made, again_.found) == (0, 12)
    gathered = gather(bench.cells, bench.problems)
    assert gathered.grades == ()
    assert scores(bench.cells, bench.problems, gathered) == ()
    with Graders(max_workers=1) as graders:
        assert figures(bench.cells, bench.problems, gathered, graders) == ()


def test_going_on_from_the_stored_plan_gives_the_bytes_of_one_run(server, tmp_path):
    parts, whole = Bench(decides(server.url), tmp_path / "parts"), Bench(decides(server.url), tmp_path / "whole")
    whole.run()
    for iteration in range(4):
        assert parts.run(range(iteration, iteration + 1)).stopped == []
    for problem in whole.problems:
        assert parts.cells.read(3, problem)[0] == whole.cells.read(3, problem)[0]


def test_a_plan_that_was_refused_is_not_stored_and_asked_for_again_once_the_cause_is_mended(server, tmp_path):
    with launch.thread(Settings(fault_rate=1.0, fault_kinds=("400",))) as refusing:
        bench = Bench(decides(refusing.url), tmp_path)
        assert {one.iteration for one in bench.run().stopped} == {0}
        assert all(bench.cells.files(0, problem) is None for problem in bench.problems)
    mended = Bench(decides(server.url), tmp_path)
    assert (mended.run().stopped, len(mended.made)) == ([], 12)


@needs_sandbox
def test_calculations_of_experts_are_computed_again_in_the_sandbox(server, tmp_path):
    bench = Bench(decides(server.url, calculations=True), tmp_path)
    bench.experiment = bench.experiment.model_copy(update={"endpoints": {
        name: one.model_copy(update={"structured_output": False, "sampling": one.sampling.model_copy(update={"max_tokens": 600})})
        for name, one in bench.experiment.endpoints.items()
    }})  # fmt: skip
    assert bench.run().stopped == []
    past = [bench.cells.read(t, bench.problems[0])[0][0] for t in range(4)]
    found = [
        calculation
        for one in past for turn in one.memory.turns if turn.kind == "Finding" and turn.data
        for calculation in Finding.model_validate_json(turn.data).calculations
    ]  # fmt: skip
    assert found
    assert {one.status for one in found} <= {"confirmed", "corrected"}
    assert all(one.result == pytest.approx(one.inputs[0].value * one.inputs[1].value) and not one.unsandboxed for one in found)
    assert decision_of(past) is not None


@needs_sandbox
def test_the_sandbox_gives_what_a_plain_interpreter_gives():
    calculations: list[Calculation] = [
        asked("npv(r, -100000, 40000, 50000, 60000)", 20000, r=0.08), asked("fixed / (price - cost)", fixed=30000, price=24, cost=9),
        asked("a / b", a=1, b=0), asked("open('/etc/passwd')"),
    ]  # fmt: skip
    work = computing(calculations)

    async def run():
        with Graders(max_workers=1) as graders:
            return await graders.run_code(work.program)

    assert computed(work, asyncio.run(run()), tolerance=0.01) == again(*calculations)
