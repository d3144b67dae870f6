"""A busy machine changes no verdict: time that an answer had to wait for a processor does not count against it.

The rule is tested on stated times and the measurement on a process that must wait, so no test here has a deadline.
"""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from resources.sandbox import census, watch
from resources.sandbox.limits import Limits

LIMITS = Limits(cpu_seconds=5, wall_seconds=1.0)


@pytest.mark.parametrize(
    ("ran", "waited", "stopped"),
    [(0.9, 0.0, None), (1.1, 0.0, "wall"), (2.9, 2.0, None), (2.9, 1.0, "wall"), (3.1, 100.0, "wall")],
)
def test_only_time_that_was_not_spent_waiting_counts(monkeypatch, ran, waited, stopped):
    """Up to three times the limit, waiting or not: a machine that never gives it a turn holds nothing for ever."""
    for name in ("below", "eldest"):
        monkeypatch.setattr(census, name, lambda *_: [])
    monkeypatch.setattr(census, "seconds_waited", lambda _: waited)
    started = SimpleNamespace(process=SimpleNamespace(pid=0), init=None, writable=())
    assert watch._limit_reached(started, ran, LIMITS, False, {}) == stopped


def test_a_process_that_had_to_share_its_processor_has_waited():
    """0.5 s of CPU time beside two others on one processor: it was ready and did not run for 0.5 s at the least."""
    one = [min(os.sched_getaffinity(0))]
    spin = f"import os, time; os.sched_setaffinity(0, {one})\nwhile time.process_time() < %s: pass\n"
    others = [subprocess.Popen([sys.executable, "-c", spin % 600]) for _ in range(2)]
    tried = subprocess.Popen(
        [sys.executable, "-c", spin % 0.5 + "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        tried.stdout.readline()
        assert census.seconds_waited([tried.pid]) > 0.25
    finally:
        for other in others:
            other.kill()
            other.wait()
        tried.communicate(b"\n")
