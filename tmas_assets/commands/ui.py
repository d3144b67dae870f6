"""`tmas ui`: Dagster's web server and daemon on this project, in the place of this process.

One of them a DAGSTER_HOME: two daemons on one instance launch everything twice.
"""

import errno
import fcntl
import os
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from resources.deployment import REPOSITORY
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.faults import CommandFault


def open_ui(port: int, *, out: Console) -> NoReturn:
    """Raises CommandFault where the port is taken, or a UI of this home is up."""
    _refuse_taken(port)
    home = prepare_dagster_home()
    _hold(home / "ui.lock", port)
    dagster = Path(sys.executable).with_name("dagster")
    workspace = str(REPOSITORY / "workspace.yaml")
    os.chdir(REPOSITORY)
    os.environ.setdefault("PYTHONWARNINGS", "ignore")  # in Dagster's processes, as in ours
    # started with `&` by a script, SIGINT comes ignored, and Dagster would then ignore SIGTERM as well
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    out.print(f"opening http://127.0.0.1:{port}, which takes up to a minute; Ctrl-C ends it", highlight=False, soft_wrap=True)
    sys.stdout.flush()
    os.execv(dagster, [str(dagster), "dev", "-w", workspace, "-p", str(port)])


def _refuse_taken(port: int) -> None:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE:
                raise CommandFault(f"port {port} cannot be used: {fault}. Give another one: `tmas ui --port {port + 1}`") from fault
            raise CommandFault(f"port {port} is in use by another program. Give another one: `tmas ui --port {port + 1}`") from fault


def _hold(lock: Path, port: int) -> None:
    """Hold `lock` as long as this process is there, whatever it becomes."""
    held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as fault:
        there = os.read(held, 100).decode(errors="replace").strip()
        os.close(held)
        raise CommandFault(
            f"a UI of {lock.parent} is up already ({there or 'just starting'}). Open that one, end it with Ctrl-C, or set TMAS_HOME to "
            "another folder: two daemons on one instance would launch everything twice"
        ) from fault
    os.truncate(held, 0)
    os.write(held, f"http://127.0.0.1:{port}, process {os.getpid()}".encode())
    os.set_inheritable(held, True)
