"""Whether what an experiment asks is there: servers behind its endpoints, models that we would serve, pages that are downloaded from.

Takes seconds, costs no model call, starts nothing and keeps nothing. Every fault is a sentence: what was tried, what was found, what to do.
Leaves out the check that a run itself makes before it asks: `chat/endpoints.py`.
"""

import asyncio
import http.client
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from resources.chat.backends import backend
from resources.chat.outcomes import Answered, Broken, Outcome, Refused
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, require_whole
from resources.serving.vllm_server import ServerError, VllmServer
from tmas_assets.records import Endpoint, ManagedServer

SECONDS = 3.0
"""For one reply of one server; all are asked side by side."""
FOLDER_SECONDS = 20.0
"""For looking at one model. One whose weights were never read takes longer: it counts as there, and the run says what is wrong with it."""
_SHOWN = 300
"""Characters of a server's own words."""


def absent(endpoints: Mapping[str, Endpoint], vllm: VllmServer, seconds: float = SECONDS) -> tuple[str, ...]:
    """A sentence for every endpoint that could not be asked now, in order of name; none where all could."""
    # not a `with`: that would wait for a folder that is still being read
    looking = ThreadPoolExecutor(max_workers=max(1, len(endpoints)), thread_name_prefix="looking")
    try:
        found = [(name, looking.submit(_fault, endpoint, vllm, seconds)) for name, endpoint in sorted(endpoints.items())]
        faults = []
        for name, look in found:
            try:
                fault = look.result(FOLDER_SECONDS)
            except TimeoutError:
                continue
            if fault is not None:
                faults.append(f"endpoints.{name}: {fault}")
    finally:
        looking.shutdown(wait=False)
    return tuple(faults)


def page_fault(url: str, seconds: float = SECONDS) -> str | None:
    """Why nothing could be downloaded from `url` now; None where something answers. Only the head is asked for."""
    try:
        with urllib.request.build_opener().open(urllib.request.Request(url, method="HEAD"), timeout=seconds):
            return None
    except urllib.error.HTTPError as refused:
        # a source may refuse the head and give the whole
        return f"{url} answers with status {refused.code}" if refused.code in (404, 410) or refused.code >= 500 else None
    except (OSError, http.client.HTTPException) as error:
        return f"{url} does not answer ({str(error) or type(error).__name__})"


def _fault(endpoint: Endpoint, vllm: VllmServer, seconds: float) -> str | None:
    if endpoint.managed is not None:
        return _unservable(endpoint.managed, vllm)
    return asyncio.run(_unanswered(endpoint, seconds))


def _unservable(managed: ManagedServer, vllm: VllmServer) -> str | None:
    """Why `managed` could not be started. The bundled model is made by the run where it is missing."""
    if shutil.which(Path(vllm.serve_python).expanduser()) is None:
        return f"no interpreter {vllm.serve_python} to serve {managed.model} with. Run `make setup`, or correct TMAS_SERVE_PYTHON."
    if managed.model == BUNDLED:
        return None
    try:
        require_whole(vllm.model_folder(managed))
    except (ServerError, ModelFolderMissing, ModelFolderTorn) as fault:
        return str(fault)
    return None


async def _unanswered(endpoint: Endpoint, seconds: float) -> str | None:
    """Why none of the replicas could be asked, or why one of them must not be."""
    key = os.environ.get(endpoint.api_key_env, "") if endpoint.api_key_env is not None else "EMPTY"
    if not key:
        return f"the environment variable {endpoint.api_key_env} holds no key for {endpoint.model!r}. Set it where Dagster runs."
    if not (key.isascii() and key.isprintable()) or " " in key:
        return (
            f"the environment variable {endpoint.api_key_env} holds a blank, a line break or another character that no header takes "
            "(its value is not shown). Set it without."
        )
    faults = await asyncio.gather(*(_replica_fault(endpoint, url, key, seconds) for url in endpoint.urls))
    wrong = [said for said, gone in faults if said is not None and not gone]
    if wrong:
        return wrong[0]
    if all(gone for _, gone in faults):
        return f"{'; '.join(str(said) for said, _ in faults)}. Start the server, or correct `urls`."
    return None


async def _replica_fault(endpoint: Endpoint, url: str, key: str, seconds: float) -> tuple[str | None, bool]:
    """A sentence, and whether the replica is gone: another one may then take its place."""
    spoken = backend(endpoint.backend)
    if spoken.models is None:
        return None, False  # it offers no list of models: the first request will tell
    # imported here: a location that is only loaded needs no HTTP
    from resources.chat.transport import Transport

    transport = Transport(url, key, 1, spoken)
    try:
        found = await transport.models(seconds)
    finally:
        await transport.close()
    return _judged(endpoint, f"{transport.name.rstrip('/')}{spoken.models}", found)


def _judged(endpoint: Endpoint, asked: str, found: Outcome) -> tuple[str | None, bool]:
    if isinstance(found, Broken):
        return (None, False) if found.reason == "bad_body" else (f"{asked}: {found.detail[:_SHOWN]}", True)
    if isinstance(found, Refused):
        words = f"{asked} answers with status {found.status}: {found.message[:_SHOWN]}"
        if found.status in (401, 403):
            said = f"the key in {endpoint.api_key_env}" if endpoint.api_key_env is not None else "`api_key_env`, which is not stated"
            return f"{words}. Check {said}.", False
        return (words, True) if found.status >= 500 else (None, False)  # some gateways offer no list of models
    served = _served(found)
    if served is None or endpoint.model in served:
        return None, False
    names = ", ".join(served)[:_SHOWN] or "no model"
    return f"{asked} offers {names}, asked for {endpoint.model!r}. Correct `model` or `urls`, or start the server with that model.", False


def _served(found: Answered) -> list[str] | None:
    """The ids in a list of models, None for any other body."""
    data = found.body.get("data") if isinstance(found.body, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) and "id" in entry for entry in data):
        return None
    return [str(entry["id"]) for entry in data]
