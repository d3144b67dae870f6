"""Questions to a model server on this machine: does it answer, what does it serve, why did it end?

Standard library only and past any configured proxy. Changes nothing.
"""

import json
import re
import signal
import socket
import urllib.error
import urllib.request
from typing import Any

_MEMORY = re.compile(
    r"out of memory|cannot allocate memory|\bMemoryError\b|OutOfMemoryError|'EngineCore': -9\b|"
    r"is less than (requested memory|desired GPU memory)",
    re.IGNORECASE,
)


class Refused(Exception):
    """The server answers, and not as asked; waiting will not help. `fault` is one of `vllm_server.Fault`."""

    def __init__(self, fault: str, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault


def diagnose(status: int, log: str) -> tuple[str, str]:
    """(fault, sentence) for a server that ended, from its exit status (128 + n for signal n) and its last lines."""
    if status == 127 or re.search(r"No module named ['\"]?vllm\b", log):
        return "binary missing", "The serve interpreter cannot run vllm. Run `make setup`, or correct serve_python."
    if re.search(r"Address already in use|Errno 98\b", log, re.IGNORECASE):
        return "port taken", "Another process listens on the port. Name a free one, or none and one is chosen."
    if status == 128 + signal.SIGKILL or _MEMORY.search(log):
        return "out of memory", (
            "The server was killed or was refused memory. Lower kv_cache_gib or max_model_len, or free memory: "
            "on a CPU it takes about 2 GiB, the weights and kv_cache_gib."
        )
    return "died", f"The server ended with status {status}. The log says why; check max_model_len and extra_args."


def free_port() -> int:
    """A port that nobody has right now; somebody may by the time it is used."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether a server could listen on `port` of this machine right now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def served_models(url: str) -> list[tuple[str, str]]:
    """(id, root) of every model served at `url` (with /v1). Raises OSError, ValueError."""
    return [(str(model.get("id")), str(model.get("root"))) for model in _ask(f"{url}/models", None, 10.0)["data"]]


def is_ready(url: str, model: str, root: str, seconds: float) -> bool:
    """True after a one-token chat completion (at most `seconds`) of the right model; False while it is not up."""
    try:
        found = served_models(url)
    except (OSError, ValueError, KeyError):
        return False
    if (model, root) not in found:
        raise Refused("wrong model served", f"Asked {url} for {model} from {root}, it serves {found}.")
    body = {"model": model, "max_tokens": 1, "temperature": 0, "messages": [{"role": "user", "content": "1"}]}
    try:
        return bool(_ask(f"{url}/chat/completions", body, seconds)["choices"])
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            return False
        text = error.read().decode(errors="replace")[:500]
        raise Refused("died", f"The server refuses a chat completion with {error.code}: {text}") from error
    except (OSError, ValueError, KeyError):
        return False


def _ask(url: str, body: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=seconds) as reply:
        return dict(json.loads(reply.read()))
