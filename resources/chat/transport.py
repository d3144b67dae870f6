"""One request to one replica through the openai package, and what became of it as a value.

Nothing is retried here and nothing is read from the reply (`replies.py`). The openai client sends a prepared body and
gives the plain JSON back: its typed models cost three times the request itself.
"""

import asyncio
import json
from typing import Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

import aiohttp
import openai

from resources.chat.outcomes import Answered, Broken, Outcome, Refused

DETAIL_CHARACTERS = 2000
KEEPALIVE_SECONDS = 3.0
"""Shorter than the 5 s after which uvicorn, vLLM's server, closes an idle connection under our feet."""
CONNECT_SECONDS = 10.0
_UNSENT = tuple(
    f"X-Stainless-{name}" for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
)
"""Headers about this machine, which no model server reads."""


class Transport:
    """The openai client of one replica, with a pool as large as the concurrency limit. Close it in its loop.

    User and password in the URL go out as basic authentication, in place of the key.
    """

    def __init__(self, url: str, api_key: str, connections: int) -> None:
        self.name = public_url(url)
        self._completions = f"{self.name.rstrip('/')}/chat/completions"
        headers: dict[str, str | openai.Omit] = dict.fromkeys(_UNSENT, openai.Omit())
        user, password = urlsplit(url).username, urlsplit(url).password
        if user is not None:
            headers["Authorization"] = aiohttp.encode_basic_auth(unquote(user), unquote(password or ""))
        secrets = (api_key, password, headers.get("Authorization"))
        self._secrets = tuple(secret for secret in secrets if isinstance(secret, str) and secret not in ("", "EMPTY"))
        # Stating what would be the default saves openai a fifth of its time: it copies unstated defaults deeply,
        # and draws a random idempotency key that it then does not send.
        self._options: openai.RequestOptions = {
            "headers": {"X-Stainless-Retry-Count": openai.Omit(), "X-Stainless-Read-Timeout": openai.Omit()},
            "idempotency_key": "unsent",
            "max_retries": 0,
            "security": {"bearer_auth": True},
            "timeout": _timeout(),
        }
        # Nothing is verified over plain HTTP, and the certificates take longer to load than a short run's replies.
        verify = urlsplit(url).scheme == "https"
        self._client = openai.AsyncOpenAI(
            base_url=self.name,
            api_key=api_key,
            max_retries=0,
            default_headers=cast("dict[str, str]", headers),
            http_client=openai.DefaultAioHttpClient(limits=_limits(connections), timeout=_timeout(), verify=verify),
        )

    async def send(self, body: bytes, seconds: float) -> Outcome:
        """POST a chat completion and wait `seconds` at most for the whole reply."""
        try:
            async with asyncio.timeout(seconds):
                post = self._client.post(self._completions, content=body, cast_to=object, options=self._options)
                return Answered(await post)
        except TimeoutError:
            return Broken("timeout", f"no reply within the limit of {seconds:g} s")
        except openai.APIStatusError as error:
            return Refused(error.status_code, self._clean(_message(error)), error.response.headers.get("retry-after"))
        except openai.APIConnectionError as error:
            return self._broken(error)
        except (json.JSONDecodeError, UnicodeDecodeError, openai.APIResponseValidationError) as error:
            return Broken("bad_body", self._clean(f"status 200, body is no JSON: {error}"))

    async def close(self) -> None:
        await self._client.close()

    def _broken(self, error: openai.APIConnectionError) -> Broken:
        """The cause beneath what openai and httpx call it; httpx takes some lost connections for time-outs."""
        causes: list[BaseException] = [error]
        while (cause := causes[-1].__cause__) is not None:
            causes.append(cause)
        detail = self._clean(f"{type(causes[-1]).__name__}: {causes[-1]}")
        if any(isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError) for cause in causes):
            return Broken("connection", detail, refused=True)
        if any(isinstance(cause, aiohttp.ServerTimeoutError | TimeoutError) for cause in causes):
            return Broken("timeout", detail)
        return Broken("connection", detail)

    def _clean(self, text: str) -> str:
        """The text without secrets, cut to a length that a log line bears."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text[:DETAIL_CHARACTERS]


def public_url(url: str) -> str:
    """The URL without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _message(error: openai.APIStatusError) -> str:
    """The server's message with its error code, whatever the shape of the body; the raw text where it has none."""
    body: Any = error.body
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    if isinstance(body, dict):
        said = body.get("message") or body.get("detail") or body.get("error") or body
        code = body.get("code")
        return f"{said} [{code}]" if isinstance(code, str) else str(said)
    return error.response.text or str(error)


def _limits(connections: int) -> Any:
    return type(openai.DEFAULT_CONNECTION_LIMITS)(
        max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=KEEPALIVE_SECONDS
    )


def _timeout() -> openai.Timeout:
    """No limit but the connection's: the whole request has its own, from the token budget."""
    return openai.Timeout(None, connect=CONNECT_SECONDS)
