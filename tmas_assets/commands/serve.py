"""`tmas serve`: hold a lease on a model server until interrupted."""

import signal
import time

from rich.console import Console

from resources.serving.vllm_server import ServerError
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.place import stated_deployment
from tmas_assets.records import ManagedServer


def serve_model(model: str, max_model_len: int, *, out: Console) -> None:
    """Start or join the server, print URL and model name, and stay until Ctrl-C or SIGTERM."""
    managed = ManagedServer(max_model_len=max_model_len, **({"model": model} if model else {}))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with out.status("starting the model server (about a minute)"):
            lease = stated_deployment().vllm().lease(managed)
            served = lease.__enter__()
    except ServerError as fault:
        raise CommandFault(str(fault)) from fault
    try:
        out.print(f"url:   {served.url}\nmodel: {served.model}", highlight=False, soft_wrap=True)
        out.print("Ctrl-C ends it.", style="dim")
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        out.print("let go; the server ends when nobody else uses it")
    finally:
        lease.__exit__(None, None, None)
