"""One request to one replica over HTTP, and what became of it as a value, without the key that was sent with it.

Nothing is retried here and nothing is read from the reply (`replies.py`). A prepared body goes out and plain JSON
comes back: a client package for typed requests and replies costs twice what the request itself does.
"""

import asyncio
import hashlib
import json
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from resources.chat.backends import Backend
from resources.chat.outcomes import Answered, Broken, Outcome, Refused
from resources.chat.redaction import Secrets, basic_authentication
from tmas_assets.reports.notation import printable

DETAIL_CHARACTERS = 2000
KEEPALIVE_SECONDS = 3.0
"""Shorter than the 5 s after which uvicorn, vLLM's server, closes an idle connection under our feet."""
CONNECT_SECONDS = 10.0
SESSION = "X-Session-Id"
"""As vllm-router reads it."""


class Transport:
    """The connections to one replica, as many as the concurrency limit. Make and close it in its loop.

    User and password in the URL go out as basic authentication, in place of the key.
    """

    def __init__(self, url: str, api_key: str, connections: int, backend: Backend) -> None:
        self.name = public_url(url)
        self._base = self.name.rstrip("/")
        user, password = urlsplit(url).username, urlsplit(url).password
        carried, encoded = dict(backend.key_headers(api_key)), None
        if user is not None:
            authorization, encoded = basic_authentication(unquote(user), unquote(password or ""))
            carried = {"Authorization": authorization}
        self._backend = backend
        self._secrets = Secrets(api_key, password, encoded)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEEPALIVE_SECONDS),
            headers={**dict(backend.headers), **carried, "Content-Type": "application/json", "Accept": "application/json"},
            # No limit but the connection's: the whole request has its own, from the token budget.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=_proxy(self.name),
        )

    async def send(self, body: bytes, seconds: float, session: str = "") -> Outcome:
        """POST a request and wait `seconds` at most for the whole reply. `session`: requests of one share a prefix, which a router in
        front of replicas may go by; without one, the request is its own."""
        headers = {SESSION: _hashed(session.encode("utf-8", "surrogatepass") or body)}
        return await self._exchange("POST", f"{self._base}{self._backend.path}", seconds, body, headers)

    async def models(self, seconds: float) -> Outcome:
        """GET the list of models that the server offers."""
        return await self._exchange("GET", f"{self._base}{self._backend.models}", seconds)

    async def close(self) -> None:
        await self._session.close()

    async def _exchange(
        self, method: str, url: str, seconds: float, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Outcome:
        try:
            async with asyncio.timeout(seconds), self._session.request(method, url, data=body, headers=headers) as reply:
                content = await reply.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return Broken("connection", self._named(error), refused=True)
        except TimeoutError:
            return Broken("timeout", f"no reply within the limit of {seconds:g} s")
        except (aiohttp.ClientError, OSError) as error:
            return Broken("connection", self._named(error))
        if not 200 <= reply.status < 300:
            return Refused(reply.status, self._clean(_message(content)), reply.headers.get("retry-after"))
        try:
            return Answered(self._secrets.out_of_reply(json.loads(content)))
        except (ValueError, RecursionError) as error:
            return Broken("bad_body", self._clean(f"status {reply.status}, body is no JSON: {error}"))

    def _named(self, error: Exception) -> str:
        return self._clean(f"{type(error).__name__}: {error}")

    def _clean(self, text: str) -> str:
        """The text without secrets and control characters, which a terminal would obey, cut to a length that a log line bears."""
        return printable(self._secrets.out_of_text(text))[:DETAIL_CHARACTERS]


def _hashed(session: bytes) -> str:
    """A word that a header takes, and that nothing can be read from."""
    return hashlib.blake2b(session, digest_size=8).hexdigest()


def public_url(url: str) -> str:
    """The URL without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this URL; looked up once, since aiohttp's own way does it every time."""
    parts = urlsplit(url)
    return None if parts.hostname is None or proxy_bypass(parts.hostname) else getproxies().get(parts.scheme)


def _message(content: bytes) -> str:
    """The server's message with its error code, whatever the shape of the body; the raw text where it has none."""
    text = content.decode("utf-8", "replace")
    try:
        body: Any = json.loads(text)
    except ValueError:
        return text
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    if isinstance(body, dict):
        said = body.get("message") or body.get("detail") or body.get("error") or body
        code = body.get("code")
        return f"{said} [{code}]" if isinstance(code, str) else str(said)
    return text
