"""Starts one sandbox for one job. Leaves out watching and ending it (`watch.py`)."""

import contextlib
import functools
import json
import marshal
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from io import FileIO
from pathlib import Path

from resources.sandbox import bubblewrap, census
from resources.sandbox.bubblewrap import Way
from resources.sandbox.folders import own_folder
from resources.sandbox.interpreter import ENVIRONMENT
from resources.sandbox.jobs import Job, TestJob
from resources.sandbox.limits import Limits
from resources.sandbox.syscalls import refused_calls
from resources.sandbox.watch import Started

_MODULES = tuple(
    f"resources.sandbox.inside.{name}"
    for name in ("known", "shared", "values", "channel", "remote", "errors", "guard", "peer", "stage", "examine", "confinement", "entry")
)
_GUARD = "resources.serving.process_guard"
_BOOTSTRAP = """
import marshal, os, sys
settings = {settings}
for name, code in marshal.loads(os.pread(settings["code"], {length}, 0)):
    module = type(sys)(name)
    sys.modules[name] = module
    exec(code, module.__dict__)
sys.modules["resources.sandbox.inside.entry"].main(settings)
"""


@contextlib.contextmanager
def launched(job: Job, way: Way | None, limits: Limits, bwrap: str) -> Iterator[Started]:
    """A running sandbox; without one (`way` None) a process in a folder of its own. Raises OSError."""
    with contextlib.ExitStack() as stack:
        code, task = _in_memory(stack, _bundle(way)), _in_memory(stack, job.task())
        (said, report), (told, info), (lifeline, held) = _pipe(stack), _pipe(stack), _pipe(stack)
        settings = {"code": code, "task": task, "report": report.fileno(), "limits": asdict(limits), "user": None,
                    "lifeline": None}
        passed = [code, task, report.fileno()]
        starter: int | None = None
        if way is None:
            settings["lifeline"] = lifeline.fileno()
            settings["limits"] = asdict(limits) | {"processes": limits.processes + census.threads_of_user(os.geteuid())}
            passed.append(lifeline.fileno())
            folder = stack.enter_context(own_folder())
            line, environment = _python(settings, way), ENVIRONMENT | {"HOME": folder, "TMPDIR": folder}
        else:
            if way == "own_user":
                settings["user"] = bubblewrap.free_user(random.SystemRandom())
            elif os.geteuid() == 0:
                starter = bubblewrap.free_user(random.SystemRandom())
            filtered = None if (calls := refused_calls()) is None else _in_memory(stack, calls)
            passed += [info.fileno()] if filtered is None else [info.fileno(), filtered]
            line = bubblewrap.command(way, bwrap=bwrap, room_bytes=4 * limits.file_bytes, info=info.fileno(),
                                      filtered=filtered, program=_python(settings, way))
            # the first process inside keeps the environment that bubblewrap got, for all inside to see
            folder, environment = "/", {}
        given = subprocess.DEVNULL if isinstance(job, TestJob) else _in_memory(stack, job.input)
        process = stack.enter_context(subprocess.Popen(
            line, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment,
            pass_fds=passed, start_new_session=way is None, user=starter, group=starter,
            extra_groups=None if starter is None else [],
        ))
        for end in (report, info, lifeline):
            end.close()
        init = None if way is None else _first_process(told, stack)
        yield Started(process, said.fileno(), init, bubblewrap.WRITABLE, let_go=held.close)


def _first_process(told: FileIO, stack: contextlib.ExitStack) -> tuple[int, int] | None:
    """Number and pidfd of the first process inside; None where bubblewrap gave up before it was there."""
    text = told.read()
    if not text:
        return None
    pid = int(json.loads(text)["child-pid"])
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    stack.callback(os.close, descriptor)
    return pid, descriptor


def _python(settings: dict[str, object], way: Way | None) -> list[str]:
    return bubblewrap.python_inside(_BOOTSTRAP.format(settings=settings, length=len(_bundle(way))))


@functools.cache
def _bundle(way: Way | None) -> bytes:
    """All code that runs inside, compiled by the interpreter that will run it: nothing of ours lies there as a file."""
    names = _MODULES if way is not None else (_GUARD, *_MODULES)
    return marshal.dumps([(name, compile(_source(name), name, "exec", dont_inherit=True)) for name in names])


def _source(name: str) -> str:
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text(encoding="utf-8")


def _in_memory(stack: contextlib.ExitStack, data: bytes) -> int:
    """A file of these bytes that lies on no disk, at its beginning."""
    file = stack.enter_context(FileIO(os.memfd_create("job"), "w+"))
    file.write(data)
    file.seek(0)
    return file.fileno()


def _pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    reading, writing = os.pipe()
    return stack.enter_context(FileIO(reading, "r")), stack.enter_context(FileIO(writing, "w"))
