"""The side of the tests: runs them against the answer in the other process, and says what came of it.

Only this side knows the tests, what they expect and the completion marker. Passed means: every test ran to its end
here, called the answer, and what came back, as plain values, was what they assert. A global of the answer is what it
was last bound to there, unless the tests bind that name themselves.
"""

from __future__ import annotations

import builtins
import sys

from resources.sandbox.inside.channel import Channel, Gone
from resources.sandbox.inside.peer import Peer
from resources.sandbox.inside.remote import Beyond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PASSED, FAILED, GONE, UNUSABLE = "passed", "failed", "gone", "unusable"
_INSIDE = ("inspect.", "signature(", "getsource(", "get_type_hints(", "asdict(", "astuple(", "fields(", "pickle.", "__code__", "gc.")
"""What looks at the very objects of the answer, of which the tests have stand-ins."""
_LONGEST, _LONGEST_NAME, _MOST_NAMES = 500, 60, 20


def examine(channel: Channel, task: dict[str, Any]) -> tuple[str, str]:
    """One of PASSED, FAILED (the answer), GONE (its process), UNUSABLE (the tests), and the reason.

    `task`: preamble, code, tests, wanted, declared, mentioned, as `jobs.TestJob` describes them.
    """
    module = type(sys)("__main__")
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = module
    names: dict[str, Any] = module.__dict__
    declared = frozenset(task["declared"])
    peer = Peer(channel, guarded=True, declared=declared, show=lambda text: sys.stdout.write(text),
                hear=lambda news: names.update({name: news[name] for name in task["followed"] if name in news}))
    try:
        exec(compile(task["preamble"], "prompt", "exec"), names)
        tests = compile(task["tests"], "tests", "exec")
    except Exception as error:  # noqa: BLE001 - what the prompt or the tests raise by themselves
        return UNUSABLE, f"what the problem itself brings along cannot be run: {_shown(error)}"
    outcome = _answer(peer, task, names, declared)
    if outcome is not None:
        return outcome
    peer.asked = 0
    try:
        exec(tests, names)
    except BaseException as error:  # noqa: BLE001 - whatever ends the tests, the verdict is given here
        if not (isinstance(error, SystemExit) and not error.code and not any(error is one for one in peer.raised)):
            return _why(error, peer, task, names)
    if peer.gone is not None:
        return GONE, f"the answer's process is gone: {peer.gone}"
    if not peer.asked:
        return UNUSABLE, "the tests ended without using the answer once"
    return PASSED, ""


def _answer(peer: Peer, task: dict[str, Any], names: dict[str, Any], declared: frozenset[str]) -> tuple[str, str] | None:
    """Start the answer and give the tests its names; an outcome where that fails."""
    wanted, mentioned, followed = task["wanted"], set(task["mentioned"]), set(task["followed"])
    try:
        defined = peer.ask("start", task["preamble"], task["code"], wanted)
        if not (isinstance(defined, list) and all(type(name) is str for name in defined)):
            return FAILED, "the answer's process wrote what is no reply"
        for name in defined:
            # what the prompt defines is taken from the prompt: a helper of the tests is not the answer's to change
            # and so are Python's own names, unless one of them is under test
            mine = name in names or hasattr(builtins, name)
            if name in declared or (name in mentioned and (name in wanted or not mine)):
                names[name] = peer.ask("name", name, name in followed)
    except Gone as error:
        return GONE, f"the answer's process is gone: {error}"
    except BaseException as error:  # noqa: BLE001 - whatever the answer raises
        return FAILED, f"the answer does not run: {_shown(error)}"
    task["defined"] = defined
    return None


def _why(error: BaseException, peer: Peer, task: dict[str, Any], names: dict[str, Any]) -> tuple[str, str]:
    if isinstance(error, Gone):
        return GONE, f"the answer's process is gone: {error}"
    if any(error is one for one in peer.raised):  # first: the answer has no say in whether the tests can be used
        return FAILED, f"the answer raises {_shown(error)}"
    if isinstance(error, Beyond) or (type(error) is TypeError and "metaclass conflict" in _shown(error)):
        return UNUSABLE, f"the tests do what cannot be graded: {error}"
    if looked := next((word for word in _INSIDE if _is_said(word, _source(error, task))), None):
        return UNUSABLE, f"the tests look with {looked!r} into objects of the answer, which is in another process{_line(error)}"
    if isinstance(error, ImportError):
        return UNUSABLE, f"the tests need what is not there: {_shown(error)}"
    if isinstance(error, NameError) and error.name is not None:
        defines = ", ".join(name[:_LONGEST_NAME] for name in task["defined"][:_MOST_NAMES]) or "nothing"
        return FAILED, f"missing name: the tests use {error.name[:_LONGEST]!r}, and the answer defines {defines}"
    if isinstance(error, AssertionError):
        return FAILED, f"a test fails{_line(error)}"
    return FAILED, f"a test stops with {_shown(error)}{_line(error)}"


def _shown(error: BaseException) -> str:
    """Bounded, whatever its text is made of: an error of the tests may hold objects of the answer."""
    try:
        return f"{type(error).__name__[:_LONGEST_NAME]}: {error}"[:_LONGEST]
    except BaseException as other:  # noqa: BLE001 - what shows it asks the answer, which may be gone or raise anything
        return f"{type(error).__name__[:_LONGEST_NAME]}, which cannot be shown for {type(other).__name__[:_LONGEST_NAME]}"


def _line(error: BaseException) -> str:
    number = _line_number(error)
    return f" (line {number} of the tests)" if number else ""


def _is_said(word: str, line: str) -> bool:
    """Not as the end of a longer name."""
    before, found, _ = line.partition(word)
    return bool(found) and not (before[-1:].isidentifier() or before[-1:].isdigit())


def _source(error: BaseException, task: dict[str, Any]) -> str:
    lines = ["", *task["tests"].split("\n")]
    return str(lines[number]) if (number := _line_number(error)) < len(lines) else ""


def _line_number(error: BaseException) -> int:
    """Of the tests, where they stopped; 0 where nowhere."""
    found, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "tests":
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
