"""Trainers under their launchers: streamed, asked to end, killed, and every fault named. The launchers are the real ones where it
is they that are tested; the trainer is a stand-in.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from resources.serving.process_guard import descendants
from resources.training.trainer_faults import Fault, TrainerFault
from resources.training.trainer_job import TrainerJob
from tests.resources.training.trainers import STANDIN, alive, bare_python, job, pids, plan, wait_until
from tmas_assets.records.trainer import TrainerPlan

SECRET = "planted-secret-9c1e42"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "run"
    made.mkdir()
    return made


def refusal(made: TrainerJob, planned: TrainerPlan, folder: Path, **environment: str) -> TrainerFault:
    with pytest.raises(TrainerFault) as caught:
        made.run(planned, folder, environment=environment)
    assert "demo" in str(caught.value)
    return caught.value


# --- with the real launchers ----------------------------------------------------------------------------------------------


def test_an_asset_gets_every_step_through_pipes_and_no_secret_is_written_anywhere(tmp_path: Path, folder: Path, capfd) -> None:
    import dagster as dg

    seen: list[int] = []

    @dg.asset
    def checkpoint(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        ended = job(tmp_path).run(
            plan(folder, processes=2), folder, environment={"TMAS_CALL_LOG": f"postgresql://user:{SECRET}"}, context=context,
            on_step=lambda step: seen.append(step.step),
        )  # fmt: skip
        return dg.MaterializeResult(metadata={"ended": ended.ended})

    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([checkpoint], instance=instance)
        events = str([event.to_json() for event in instance.all_logs(result.run_id)])
    assert seen == [1, 2, 3]
    assert "external process successfully opened" in events
    assert "step 3 is done" in capfd.readouterr().out  # the compute log of a real run
    told = json.loads((folder / "seen.json").read_text())
    assert told["secret"] == SECRET[-6:]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 5
    assert [path for path in written if SECRET.encode() in path.read_bytes()] == []
    assert SECRET not in events + "".join(told["lines"])
    assert not alive(pids(folder, 2))


def test_a_rank_that_fails_is_named_with_its_words_and_takes_the_others_along(tmp_path: Path, folder: Path) -> None:
    fault = refusal(job(tmp_path), plan(folder, processes=2), folder, HABIT="fails", STEPS="600")
    assert fault.kind is Fault.RANK_DIED
    assert "rank 1 ended with exit code 3" in str(fault)
    assert "last words of rank 1" in str(fault)
    assert "iteration 2, after step " in str(fault)
    assert str(folder / "trainer.log") in str(fault)
    assert not alive(pids(folder, 2))


def test_a_rank_killed_with_9_is_named_under_deepspeed_too(tmp_path: Path, folder: Path) -> None:
    """The survivor, asked by the launcher, ends well and says so: that is not believed."""
    fault = refusal(job(tmp_path), plan(folder, processes=2, launcher="deepspeed"), folder, HABIT="killed", STEPS="600")
    assert (folder / "output" / "outcome.json").exists()
    assert fault.kind is Fault.RANK_DIED
    assert "rank 1 was killed by SIGKILL" in str(fault)
    assert not alive(pids(folder, 2))


def test_a_run_that_is_interrupted_lets_the_trainer_save_under_accelerate(tmp_path: Path, folder: Path) -> None:
    def interrupt(step: object) -> None:
        raise KeyboardInterrupt

    planned = plan(folder, processes=2, launcher="accelerate", grace_seconds=30)
    with pytest.raises(KeyboardInterrupt):
        job(tmp_path).run(planned, folder, environment={"STEPS": "600"}, on_step=interrupt)
    assert json.loads((folder / "output" / "outcome.json").read_text())["ended"] == "asked to end"
    assert not alive(pids(folder, 2))


RUN = """
import sys
from pathlib import Path
from resources.training.trainer_job import TrainerJob
from tmas_assets.records.trainer import TrainerPlan
job = TrainerJob.model_validate_json(sys.argv[1])
job.run(TrainerPlan.model_validate_json(sys.argv[2]), Path(sys.argv[3]), environment={"HABIT": "litter"})
"""


def test_a_run_killed_with_9_leaves_no_process_within_10_s(tmp_path: Path, folder: Path) -> None:
    """Ranks, and what they started, ignore SIGTERM, have sessions of their own, have lost their parents."""
    words = [job(tmp_path).model_dump_json(), plan(folder, processes=2, grace_seconds=60).model_dump_json(), str(folder)]
    process = subprocess.Popen([sys.executable, "-c", RUN, *words])
    try:
        started = pids(folder, 2)
        assert len(alive(started)) == 8
        started += descendants(process.pid)
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not alive(started), 10, f"{started} end")


# --- without a launcher ---------------------------------------------------------------------------------------------------


def test_sigterm_to_the_jobs_own_processes_ends_in_order(tmp_path: Path, folder: Path) -> None:
    def terminate(step: object) -> None:
        (guard,) = [pid for pid in descendants(os.getpid()) if b"process_guard" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(guard, signal.SIGTERM)

    ended = job(tmp_path).run(plan(folder, python=bare_python(tmp_path), grace_seconds=30), folder, environment={"STEPS": "600"}, on_step=terminate)
    assert ended.ended == "asked to end"


def test_a_guard_killed_with_9_leaves_no_rank_behind(tmp_path: Path, folder: Path) -> None:
    def kill(step: object) -> None:
        (guard,) = [pid for pid in descendants(os.getpid()) if b"process_guard" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(guard, signal.SIGKILL)

    with pytest.raises(TrainerFault):
        job(tmp_path).run(plan(folder, python=bare_python(tmp_path)), folder, environment={"STEPS": "600"}, on_step=kill)
    wait_until(lambda: not alive(pids(folder, 1)), 10, "the rank ends")


def test_a_trainer_that_hangs_is_ended_and_its_last_step_named(tmp_path: Path, folder: Path) -> None:
    planned = plan(folder, python=bare_python(tmp_path), stall_seconds=3, grace_seconds=1)
    fault = refusal(job(tmp_path), planned, folder, HABIT="hangs")
    assert fault.kind is Fault.STALLED
    assert "iteration 2, after step 2: no step ended for 3 s" in str(fault)
    assert "step 2 is done" in str(fault)
    assert not alive(pids(folder, 1))


def test_a_stated_port_that_is_taken_is_named_before_anything_starts(tmp_path: Path, folder: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        fault = refusal(job(tmp_path), plan(folder, python=bare_python(tmp_path), port=port), folder)
    assert fault.kind is Fault.PORT_TAKEN
    assert str(port) in str(fault)
    assert not (folder / "pids-0").exists()


def test_a_chosen_port_that_is_lost_meanwhile_is_chosen_again(tmp_path: Path, folder: Path) -> None:
    planned = plan(folder, python=bare_python(tmp_path))
    assert job(tmp_path).run(planned, folder, environment={"HABIT": "port taken once"}).ended == "finished"


def test_an_outcome_of_an_earlier_launch_counts_for_nothing(tmp_path: Path, folder: Path) -> None:
    planned = plan(folder, python=bare_python(tmp_path))
    assert job(tmp_path).run(planned, folder, environment={}).ended == "finished"
    fault = refusal(job(tmp_path), planned, folder, HABIT="says", WORDS="now it fails")
    assert fault.kind in (Fault.OTHER, Fault.RANK_DIED)  # by whether it lived long enough to be seen
    assert "now it fails" in str(fault)
    assert "step 3 is done" not in str(fault)  # neither do its words


def test_figures_of_an_earlier_launch_are_not_told_again(tmp_path: Path, folder: Path) -> None:
    planned, told = plan(folder, python=bare_python(tmp_path)), []
    for _ in range(2):
        job(tmp_path).run(planned, folder, environment={"STEPS": "2"}, on_step=lambda step: told.append(step.step))
    assert told == [1, 2, 1, 2]


def test_figures_that_are_none_end_the_run(tmp_path: Path, folder: Path) -> None:
    planned = plan(folder, python=bare_python(tmp_path))
    with pytest.raises(TrainerFault, match=r"figures\.jsonl holds no figures"):
        job(tmp_path).run(planned, folder, environment={"HABIT": "nonsense", "STEPS": "600"})
    assert not alive(pids(folder, 1))


def test_an_interpreter_without_the_trainer_is_named_with_what_it_lacks(tmp_path: Path, folder: Path) -> None:
    python = bare_python(tmp_path, flags="'-S', '-E',")
    with pytest.raises(TrainerFault, match=r"bare_python has no torch, trl, deepspeed.*make setup") as caught:
        job(tmp_path).run(plan(folder, python=python), folder, environment={})
    assert caught.value.kind is Fault.TRAINER_MISSING


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(TrainerFault, match="/nowhere/python") as caught:
        job(tmp_path).run(plan(folder, python="/nowhere/python"), folder, environment={})
    assert caught.value.kind is Fault.TRAINER_MISSING


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#!/bin/sh\n", "is no Python interpreter: asked what it has, it says ''"),
        ("#!/bin/sh\necho 7 apples\n", "is no Python interpreter: asked what it has, it says '7 apples"),
        ("no program", "cannot say what it has: .*Exec format error"),
    ],
)
def test_what_is_no_interpreter_is_named(tmp_path: Path, folder: Path, text: str, found: str) -> None:
    other = tmp_path / "other"
    other.write_text(text)
    other.chmod(0o755)
    with pytest.raises(TrainerFault, match=found) as caught:
        job(tmp_path).run(plan(folder, python=str(other)), folder, environment={})
    assert caught.value.kind is Fault.TRAINER_MISSING


def test_gpus_that_are_not_there_are_counted(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(TrainerFault, match=r"asks for 99 GPUs, .* sees \d+ \(torch ") as caught:
        job(tmp_path).run(plan(folder, processes=99, device="cuda"), folder, environment={})
    assert caught.value.kind is Fault.GPU_MISSING


def test_the_launch_and_its_kernel_caches_are_recorded(tmp_path: Path, folder: Path) -> None:
    job(tmp_path / "home").run(plan(folder, python=bare_python(tmp_path)), folder, environment={})
    told = json.loads((folder / "launch.json").read_text())
    assert STANDIN in told["command"]
    assert Path(told["caches"]["TORCH_EXTENSIONS_DIR"]).parent == tmp_path / "home" / "cache"
    assert "TORCH_EXTENSIONS_DIR" in json.loads((folder / "seen.json").read_text())["environment"]


ASSET = """
import sys
from pathlib import Path
import dagster as dg
from resources.training.trainer_job import TrainerJob
from tmas_assets.records.trainer import TrainerPlan

@dg.asset
def checkpoint(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    plan = TrainerPlan.model_validate_json(sys.argv[2])
    TrainerJob.model_validate_json(sys.argv[1]).run(plan, Path(sys.argv[3]), environment={"STEPS": "600"}, context=context)
    return dg.MaterializeResult()

with dg.DagsterInstance.ephemeral() as instance:
    dg.materialize([checkpoint], instance=instance, raise_on_error=False)
"""


def test_a_run_that_dagster_terminates_lets_the_trainer_save_and_leaves_nothing(tmp_path: Path, folder: Path) -> None:
    """Dagster's launcher sends SIGTERM to the process of the run, which becomes an interruption in the step."""
    planned = plan(folder, python=bare_python(tmp_path), grace_seconds=30)
    words = [job(tmp_path).model_dump_json(), planned.model_dump_json(), str(folder)]
    process = subprocess.Popen([sys.executable, "-c", ASSET, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        started = pids(folder, 1)
        wait_until(lambda: (folder / "figures.jsonl").exists(), 60, "the first step")
        process.terminate()
        process.wait(60)
    finally:
        process.kill()
        process.wait()
    assert json.loads((folder / "output" / "outcome.json").read_text())["ended"] == "asked to end"
    assert not alive(started)
