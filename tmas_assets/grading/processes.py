"""Starts worker processes that know only what they need: forked from a server that has imported it already.

The stock fork server of multiprocessing makes every child import the caller's main module again, which for a Dagster
run costs seconds a worker and for a script without a main guard runs the script. Here it does not, and each preload
list has a server of its own, so nobody else's fork server is touched. Leaves out what the workers do.
"""

import io
import os
from functools import cache
from multiprocessing import context, forkserver, popen_forkserver, reduction, spawn, util
from typing import Any

_Server: Any = forkserver.ForkServer


def forked_context(preload: tuple[str, ...]) -> context.BaseContext:
    """A multiprocessing context whose processes start with the modules `preload` imported, in milliseconds.

    The server starts with the first process and ends with the calling process, however that ends.
    """
    forked = context.ForkServerContext()

    def process(*args: Any, **kwargs: Any) -> WorkerProcess:
        made = WorkerProcess(*args, **kwargs)
        made.preload = preload
        return made

    forked.Process = process  # type: ignore[assignment,misc]
    return forked


class WorkerProcess(context.ForkServerProcess):
    preload: tuple[str, ...] = ()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        return _Popen(process_obj)


@cache
def _server(preload: tuple[str, ...]) -> Any:
    server = _Server()
    server.set_forkserver_preload(list(preload))
    return server


class _Popen(popen_forkserver.Popen):
    _fds: list[int]

    def _launch(self, process_obj: Any) -> None:
        preparation = spawn.get_preparation_data(process_obj.name)
        for main in ("init_main_from_name", "init_main_from_path"):
            preparation.pop(main, None)
        message = io.BytesIO()
        context.set_spawning_popen(self)
        try:
            reduction.dump(preparation, message)
            reduction.dump(process_obj, message)
        finally:
            context.set_spawning_popen(None)
        self.sentinel, writer = _server(process_obj.preload).connect_to_new_process(self._fds)
        # The child takes the closing of this duplicate as the end of its parent.
        held_open = os.dup(writer)
        self.finalizer = util.Finalize(self, _close, (held_open, self.sentinel))
        with open(writer, "wb") as pipe:
            pipe.write(message.getbuffer())
        self.pid = forkserver.read_signed(self.sentinel)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
