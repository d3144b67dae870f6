"""Grading is safe from any thread or loop: stuck workers die and are replaced, broken ones fail their grade alone."""

import asyncio
import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tmas_assets.grading.pool import GraderPool
from tmas_assets.grading.versions import GRADER_VERSIONS, UnknownGrader, grader_version
from tmas_assets.records import Problem


def problem(gold, grader="math"):
    return Problem(benchmark="b", release="r", id="p", statement="What?", answer=gold, grader=grader)


AT_ONCE = (problem("5"), r"\boxed{5}")
BY_WORKER = (problem(r"\frac{\sqrt2}{2}"), r"\boxed{\frac{1}{\sqrt2}}")
SLOW = (problem("1"), r"\boxed{\int_0^1 \sin(\sin(\sin(x))) dx}")
"""A fifth of a second of CPU time or more."""


@pytest.fixture(scope="module")
def pool():
    with GraderPool(max_workers=2) as made:
        made.grade_sync(*BY_WORKER)
        yield made


@pytest.fixture(scope="module")
def impatient():
    with GraderPool(max_workers=2, seconds=0.15) as made:
        made.grade_sync(*BY_WORKER)
        yield made


def worker_pids(pool):
    (math,) = pool._pools.values()
    return list(math._pool_manager.worker_manager.workers)


def test_an_exact_answer_starts_no_worker():
    with GraderPool() as made:
        assert made.grade_sync(*AT_ONCE).outcome == "right"
        assert made._pools == {}


def test_a_worker_decides_what_exact_arithmetic_cannot(pool):
    assert pool.grade_sync(*BY_WORKER).outcome == "right"


@pytest.mark.parametrize("text", [
    r"\boxed{5^{5^{5^{5}}}}", r"\boxed{(10^{10})!}", r"\boxed{x^{9^{9^{9^9}}}}", r"\boxed{\sin(10^{10^{10}})}",
    r"\boxed{\sqrt{7^{7^{7^7}}}}", "\\boxed{" + "9" * 50_000 + "}", "\\boxed{" + "(" * 5_000 + "1" + ")" * 5_000 + "}",
    r"\boxed{\sum_{n=1}^{10^{100}} n}", r"\boxed{\sum_{i=1}^{400} \sum_{j=1}^{400} \sqrt{ij}}", r"\boxed{\binom{\sqrt2}{\pi}!}",
    r"\boxed{1}" * 10_000, "".join(rf"\boxed{{{n}}} " for n in range(10_000)), "{" * 50_000 + "43" + "}" * 50_000,
    "Answer: " * 12_000, "$" * 100_000, r"\boxed{" * 20_000 + "43" + "}" * 20_000, "43, " * 25_000, r"\text{ " * 20_000,
])
def test_no_text_takes_long(pool, text):
    """Two seconds of a core is the pool's own limit; a busy machine makes more of it by the clock."""
    started = time.monotonic()
    assert pool.grade_sync(problem("43"), text).outcome in ("wrong", "undecided")
    assert time.monotonic() - started < 20


def test_a_stuck_worker_is_killed_and_replaced(impatient):
    before = worker_pids(impatient)
    verdict = impatient.grade_sync(*SLOW)
    assert (verdict.outcome, verdict.failure.boundary, verdict.failure.kind) == ("failed", "grader", "timeout")
    assert "0.15 s" in verdict.failure.detail
    assert impatient.grade_sync(*BY_WORKER).outcome == "right"
    deadline = time.monotonic() + 10
    while len(worker_pids(impatient)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(worker_pids(impatient)) == 2
    assert set(worker_pids(impatient)) != set(before)


def test_more_stuck_grades_than_workers_leave_the_pool_usable(impatient):
    async def all_at_once():
        return await asyncio.gather(*(impatient.grade(*SLOW) for _ in range(4)),
                                    *(impatient.grade(*BY_WORKER) for _ in range(8)))

    outcomes = [verdict.outcome for verdict in asyncio.run(all_at_once())]
    assert outcomes == ["failed"] * 4 + ["right"] * 8


def test_many_threads_share_one_pool(pool):
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda _: pool.grade_sync(*BY_WORKER).outcome, range(40)))
    assert outcomes == ["right"] * 40


def test_two_event_loops_share_one_pool(pool):
    outcomes = []

    def loop():
        outcomes.append(asyncio.run(pool.grade(*BY_WORKER)).outcome)

    threads = [threading.Thread(target=loop) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == ["right", "right"]


def test_a_worker_killed_between_grades_is_no_failure(pool):
    os.kill(worker_pids(pool)[0], signal.SIGKILL)
    time.sleep(0.3)
    assert [pool.grade_sync(*BY_WORKER).outcome for _ in range(4)] == ["right"] * 4


def test_a_worker_killed_during_a_grade_is_no_failure(pool):
    asked = pool.submit(*SLOW)
    time.sleep(0.2)
    for pid in worker_pids(pool):
        os.kill(pid, signal.SIGKILL)
    assert asked.result(timeout=60).outcome == "undecided"


def test_a_worker_that_stands_still_is_replaced_and_its_grade_done_again():
    with GraderPool(max_workers=1, seconds=0.8) as made:
        made.grade_sync(*BY_WORKER)
        asked = made.submit(*SLOW)
        time.sleep(0.1)
        os.kill(worker_pids(made)[0], signal.SIGSTOP)
        assert asked.result(timeout=60).outcome in ("undecided", "failed")  # failed on a machine too busy for it
        assert made.grade_sync(*BY_WORKER).outcome == "right"


def test_what_no_rule_can_evaluate_ends_within_its_limit(pool):
    """Two seconds by the clock on an idle machine; the CPU time it used is what is measured here."""
    endless = (problem("1"), r"\boxed{\int_0^1 \sin(\sin(\sin(\sin(\sin(\sin(\cos(x^{\frac{1}{3}}))))))) dx}")
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = pool.grade_sync(*endless)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert verdict.outcome in ("failed", "undecided")
    assert ended.ru_utime - started.ru_utime < 2


def test_no_grade_is_lost_whenever_all_workers_die():
    """A worker that dies as it takes its task says nothing, and the task is in no queue any more."""
    with GraderPool(max_workers=2, idle_seconds=2) as made:
        made.grade_sync(*BY_WORKER)
        for delay in (0, 0, 0, 0.01, 0.05):
            asked = [made.submit(*BY_WORKER) for _ in range(10)]
            time.sleep(delay)
            for pid in worker_pids(made):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            assert [one.result(timeout=60).outcome for one in asked] == ["right"] * 10


def test_a_cancelled_grade_frees_its_worker(pool):
    async def give_up():
        waiting = [asyncio.ensure_future(pool.grade(*SLOW)) for _ in range(2)]
        await asyncio.sleep(0.2)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        started = time.monotonic()
        verdict = await pool.grade(*BY_WORKER)
        return verdict.outcome, time.monotonic() - started

    outcome, seconds = asyncio.run(give_up())
    assert outcome == "right"
    assert seconds < 30


@pytest.mark.parametrize(("gold", "kind"), [
    (r"\begin{cases", "unparseable_gold"), (r"\frac{1}{2", "unparseable_gold"), ("", "unparseable_gold"),
    ("$ $", "unparseable_gold"), (None, "no_gold"),
])
def test_an_unusable_gold_pays_nobody(pool, gold, kind):
    verdict = pool.grade_sync(problem(gold), r"\boxed{1}")
    assert (verdict.outcome, verdict.failure.kind) == ("failed", kind)


@pytest.mark.parametrize(("gold", "text", "outcome"), [
    ("045", r"\boxed{45}", "right"), ("45", r"\boxed{045}", "right"), ("45", r"\boxed{46}", "wrong"),
    ("1.5", r"\boxed{1.5}", "failed"), ("45", "", "wrong"), ("45", r"\boxed{\sqrt{2025}}", "right"),
])
def test_an_integer_gold_is_compared_by_value(pool, gold, text, outcome):
    assert pool.grade_sync(problem(gold, "integer"), text).outcome == outcome


def test_an_unknown_grader_is_refused_with_the_known_ones(pool):
    with pytest.raises(UnknownGrader, match=r"'oracle'; known: .*integer, .*math"):
        pool.submit(problem("5", "oracle"), "5")


def test_a_closed_pool_says_so_and_cancels_what_it_still_owes():
    made = GraderPool(max_workers=1)
    owed = made.submit(*SLOW)
    made.close()
    assert owed.cancelled()
    with pytest.raises(RuntimeError, match="closed"):
        made.grade_sync(*BY_WORKER)


def test_every_grader_has_a_version_with_what_it_leans_on():
    for name in GRADER_VERSIONS:
        assert grader_version(name).split("+")[0] == GRADER_VERSIONS[name]
    assert "math-verify-" in grader_version("math")
    assert grader_version("code") == f"{GRADER_VERSIONS['code']}+python-{sys.version_info.major}.{sys.version_info.minor}"
    assert "reasoning-gym-" in grader_version("reasoning_gym")


def test_a_script_without_a_main_guard_is_not_run_again_by_its_workers(tmp_path):
    script = tmp_path / "grade.py"
    script.write_text(
        "print('started', flush=True)\n"
        "from tmas_assets.grading.pool import GraderPool\n"
        "from tmas_assets.records import Problem\n"
        "p = Problem(benchmark='b', release='r', id='p', statement='', answer=r'\\sqrt8', grader='math')\n"
        "with GraderPool(1) as pool:\n"
        "    print(pool.grade_sync(p, r'\\boxed{2\\sqrt2}').outcome)\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["started", "right"]
    assert done.stderr == ""


def test_a_caller_killed_outright_leaves_no_process_behind(tmp_path):
    script = tmp_path / "grade.py"
    script.write_text(
        "import os, time\n"
        "from tmas_assets.grading.pool import GraderPool\n"
        "from tmas_assets.records import Problem\n"
        "p = Problem(benchmark='b', release='r', id='p', statement='', answer=r'\\sqrt8', grader='math')\n"
        "pool = GraderPool(2)\n"
        "pool.grade_sync(p, r'\\boxed{2\\sqrt2}')\n"
        "(math,) = pool._pools.values()\n"
        "print(*math._pool_manager.worker_manager.workers, flush=True)\n"
        "time.sleep(60)\n")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as caller:
        workers = [int(pid) for pid in caller.stdout.readline().split()]
        assert len(workers) == 2
        caller.kill()
    deadline = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") for pid in workers):
        assert time.monotonic() < deadline, "workers outlive their caller"
        time.sleep(0.05)
