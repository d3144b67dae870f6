"""First code inside: confines itself, splits in two, lets one half run the answer and the other judge it.

The half that judges forks the other off before it has read the tests, so the answer's process never had them; only it
holds the pipe to the outside. It reports in JSON lines: `started` before the answer runs, then one with the marker.
"""

from __future__ import annotations

import builtins
import json
import os
import select
import signal
import sys
from _sitebuiltins import Quitter

from resources.sandbox.inside.channel import Channel
from resources.sandbox.inside.confinement import become, hide, limit, volunteer_for_the_kernel
from resources.sandbox.inside.examine import FAILED, GONE, examine
from resources.sandbox.inside.stage import serve_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LOOK_SECONDS = 0.05
_LONGEST = 2_000
"""Characters of a reason."""
_MOMENT = 0.5
"""A process whose pipe is closed is about to end, if it does."""


def main(settings: dict[str, Any]) -> None:
    """`settings`: report, task, code (file descriptors), lifeline (one, or none), user (or none), limits."""
    if settings["lifeline"] is not None:
        _watch_over(settings)
    volunteer_for_the_kernel()
    if settings["user"] is not None:
        become(settings["user"])
    hide()
    limit(settings["limits"])
    answers_in, answers_out = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        for number in (settings["report"], settings["task"], settings["code"], answers_in[1], answers_out[0]):
            os.close(number)
        _answer(Channel(answers_in[0], answers_out[1]))
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer may send it, and no test is to end by that
    os.close(answers_in[0])
    os.close(answers_out[1])
    with open(settings["task"], encoding="utf-8") as file:
        task = json.load(file)
    partner = os.pidfd_open(child)
    channel = Channel(answers_out[0], answers_in[1], partner)
    _say(settings["report"], {"started": True})
    if "tests" in task:
        channel.send({"kind": "tests"})
        _silence()  # what the answer prints is shown to the tests, and to nobody else
        outcome, reason = examine(channel, task)
        ended = _ended(partner, _MOMENT if outcome == GONE else 0)
        outcome = FAILED if outcome == GONE else outcome
    else:
        channel.send({"kind": "program", "code": task["code"]})
        outcome, reason, ended = "ended", "", _ended(partner, None)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if ended else None
    _say(settings["report"], {"marker": task["marker"], "outcome": outcome, "reason": reason[:_LONGEST], "status": status})
    os._exit(0)


def _ended(process: int, seconds: float | None) -> bool:
    """Whether the process of this pidfd ends within that time."""
    waiting = select.poll()
    waiting.register(process, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else seconds * 1000))


def _answer(channel: Channel) -> None:
    for name in ("exit", "quit"):  # what the site module would add
        setattr(builtins, name, Quitter(name, "end of file"))
    first = channel.receive()
    if first["kind"] == "tests":
        _silence()
        serve_answer(channel)
    channel.close()
    module = type(sys)("__main__")
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = module
    exec(compile(first["code"], "answer.py", "exec", dont_inherit=True), module.__dict__)


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(quiet, number)
    os.close(quiet)


def _say(report: int, line: dict[str, Any]) -> None:
    left = json.dumps(line).encode() + b"\n"
    while left:
        left = left[os.write(report, left):]


def _watch_over(settings: dict[str, Any]) -> None:
    """Without a sandbox: stay behind as the parent of all that follows, and end it all when asked or left alone."""
    from resources.serving.process_guard import adopt_orphans, kill_descendants

    adopt_orphans()
    child = os.fork()
    if child == 0:
        os.close(settings["lifeline"])
        return
    os.close(settings["report"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while not (select.select([settings["lifeline"]], [], [], _LOOK_SECONDS)[0] or os.waitpid(child, os.WNOHANG)[0]):
        pass
    kill_descendants()
    os._exit(0)
