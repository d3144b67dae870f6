"""Programs that a strategy runs: what comes back, what ends them, and that nothing of them is left."""

import asyncio
import random
import shutil
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from resources.chat.client import Spend
from resources.sandbox.bubblewrap import SandboxFault
from resources.sandbox.limits import Limits
from tests.scripted import launch
from tests.whole.experiments import deployment, experiment
from tmas_assets.engine.code_grader import CodeGrader
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.team import open_team

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")
QUICK = Limits(cpu_seconds=1, wall_seconds=2.5 + random.random() / 1000, processes=16, output_bytes=100_000)
FOREVER = "import time\nwhile True: time.sleep(0.01)"


def left() -> list[str]:
    """Processes of sandboxes with these limits, told by their time."""
    mark, found = repr(QUICK.wall_seconds).encode(), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


def until(there: bool, seconds: float = 20) -> bool:
    """Wait until processes are there, or gone; whether it came so in time."""
    deadline = time.monotonic() + seconds
    while bool(left()) != there and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(left()) == there


@pytest.fixture(scope="module")
def grader():
    with CodeGrader(limits=QUICK, max_workers=4) as made:
        yield made
    assert left() == []


def test_output_errors_and_input_come_and_go(grader):
    ran = grader.run_program("import sys\nprint(input()[::-1])\nprint('no', file=sys.stderr)", "abc\n").result()
    assert (ran.stdout, ran.stderr, ran.ended, ran.unsandboxed) == ("cba\n", "no\n", "passed", False)


@pytest.mark.parametrize(
    ("program", "ended"),
    [
        ("import sys\nsys.exit(3)", "exit status 3"),
        ("1 / 0", "exit status 1"),
        ("def f(:", "exit status 1"),
        (FOREVER, "it did not end within"),
        ("while True: pass", "CPU time"),
        ("import os\nos.kill(os.getpid(), 11)", "its interpreter crashed"),
        ("print('x' * 10**6)", "it printed more than"),
        ("import os\nos._exit(0)", "passed"),
    ],
)
def test_how_a_program_ended_is_said(grader, program, ended):
    assert ended in grader.run_program(program).result().ended


def test_a_traceback_names_the_programs_own_line(grader):
    errors = grader.run_program("x = 1\nraise ValueError(x)").result().stderr
    assert 'File "answer.py", line 2' in errors
    assert errors.rstrip().endswith("ValueError: 1")


def test_long_output_and_odd_bytes_are_kept_storable(grader):
    ran = grader.run_program("import sys\nsys.stdout.buffer.write(b'\\xff\\x00' + b'a' * 20_000)").result()
    assert len(ran.stdout) < 4_100
    assert "\0" not in ran.stdout
    ran.stdout.encode()


def test_what_a_program_starts_is_gone_when_its_result_is_there(grader):
    program = "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)\nprint('started')"
    assert grader.run_program(program).result().stdout == "started\n"
    assert left() == []
    assert "did not end" in grader.run_program(program + "\ntime.sleep(60)").result().ended
    assert left() == []


def test_cancelling_ends_the_program(grader):
    running = grader.run_program(FOREVER)
    assert until(there=True)
    running.cancel()
    assert until(there=False)
    with pytest.raises(CancelledError):
        running.result()


def test_a_task_that_is_cancelled_takes_its_program_with_it():
    async def run() -> None:
        with Graders(max_workers=1) as graders:
            graders._code = CodeGrader(limits=QUICK)
            task = asyncio.create_task(graders.run_code(FOREVER))
            assert await asyncio.to_thread(until, True)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(until, False)

    asyncio.run(run())


def test_closing_ends_what_runs_and_cancels_what_is_asked_for():
    made = CodeGrader(limits=QUICK, max_workers=1)
    running, waiting = made.run_program(FOREVER), made.run_program("print(1)")
    assert until(there=True)
    made.close()
    assert left() == []
    for one in (running, waiting):
        with pytest.raises(CancelledError):
            one.result()


def test_programs_run_side_by_side_and_do_not_mix(grader):
    asked = {number: grader.run_program(f"print(int(input()) * {number})", "7\n") for number in range(8)}
    assert {number: one.result().stdout for number, one in asked.items()} == {n: f"{7 * n}\n" for n in range(8)}


def test_without_isolation_every_result_says_so():
    with CodeGrader(isolation="none", limits=QUICK) as made:
        ran = made.run_program("print(1)").result()
        assert (ran.stdout, ran.ended, ran.unsandboxed) == ("1\n", "passed", True)
        assert "did not end" in made.run_program(FOREVER).result().ended
    assert left() == []


def test_a_sandbox_that_cannot_be_had_raises_and_is_no_result(monkeypatch):
    async def run() -> None:
        with Graders(max_workers=1) as graders:
            await graders.run_code("print(1)")

    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxFault):
        asyncio.run(run())


def test_the_team_of_an_experiment_runs_programs(tmp_path):
    async def run() -> tuple[str, str]:
        asked = experiment(server.url)
        with Graders(max_workers=1) as graders:
            async with open_team(asked, deployment(tmp_path), Spend(asked.budget), graders, run="test") as team:
                ran = await team.run_code("print(input())", "hello\n")
                return ran.stdout, ran.ended

    with launch.thread() as server:
        assert asyncio.run(run()) == ("hello\n", "passed")
