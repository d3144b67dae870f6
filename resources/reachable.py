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
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from resources.chat.backends import backend
from resources.chat.outcomes import Answered, Broken, Outcome, Refused
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, require_whole
from resources.serving.vllm_server import ServerError, VllmServer
from tmas_assets.records import Endpoint, ManagedServer

SECONDS = 3.0
"""For one reply of one server; all are asked side by side."""
TOGETHER_SECONDS = 20.0
"""For all looks together. A model whose weights were never read takes longer: it counts as there, and the run says what is wrong with it."""
_AT_ONCE = 64
_SHOWN = 300
"""Characters of a server's own words."""


def side_by_side(looks: Mapping[str, Callable[[], str | None]], seconds: float = TOGETHER_SECONDS) -> dict[str, str | None]:
    """What each look found, in their order; one that is still looking when `seconds` are over, for all of them together, is left out."""
    # not a `with`: that would wait for who still looks
    looking = ThreadPoolExecutor(max_workers=min(_AT_ONCE, max(1, len(looks))), thread_name_prefix="looking")
    try:
        asked = {name: looking.submit(look) for name, look in looks.items()}
        done, _ = wait(asked.values(), timeout=seconds)
        return {name: one.result() for name, one in asked.items() if one in done}
    finally:
        looking.shutdown(wait=False, cancel_futures=True)


def page_faults(urls: Sequence[str], seconds: float = SECONDS) -> dict[str, str | None]:
    """By URL: why nothing could be downloaded from it now; None where something answers. Only heads are asked for, all side by side."""
    found = side_by_side({url: partial(page_fault, url, seconds) for url in urls}, 2 * seconds)
    return {url: found.get(url, f"{_named(url)} does not answer within {2 * seconds:g} s") for url in urls}


def page_fault(url: str, seconds: float = SECONDS) -> str | None:
    """Why nothing could be downloaded from `url` now, without the name and password in it; None where something answers."""
    name = _named(url)
    if name is None:
        return "the address is no http or https URL (it is not shown); write it as https://HOST"
    user, at, _ = urlsplit(url).netloc.rpartition("@")
    own = {"Authorization": f"Basic {b64encode(unquote(user).encode()).decode()}"} if at else {}
    try:
        with urllib.request.build_opener().open(urllib.request.Request(name, headers=own, method="HEAD"), timeout=seconds):
            return None
    except urllib.error.HTTPError as refused:
        # a source may refuse the head and give the whole
        return f"{name} answers with status {refused.code}" if refused.code in (404, 410) or refused.code >= 500 else None
    except (OSError, http.client.HTTPException, ValueError) as error:  # the last for letters that no address takes
        return f"{name} does not answer ({str(error) or type(error).__name__})"


def _named(url: str) -> str | None:
    """The address without the name and password in it; None for one that cannot be asked over HTTP."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  # raises for one that is no number
    except ValueError:  # repeats the address
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def endpoint_fault(endpoint: Endpoint, vllm: VllmServer, seconds: float = SECONDS) -> str | None:
    """Why `endpoint` could not be asked now; None where it could."""
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
