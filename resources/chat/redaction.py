"""Takes a key out of whatever a server sends back, so that it reaches no log, no file and no page.

A server, or a proxy before it, may repeat the header that it was sent: in an error, in a list of models, in a reply. In error texts a
key of any length is replaced. In a reply, which is the model's own text, only one of `LONG` characters or more is: a shorter one
("x", "token") may be a word of the answer, and whoever guards a server with it has not hidden much. Leaves out where keys come from.
"""

import base64
import json
from urllib.parse import quote, unquote

import aiohttp

SHOWN = "[secret]"
LONG = 16
"""Characters. Keys that providers hand out have 30 and more."""
_NO_KEY = "EMPTY"
"""What goes out where no key is set, as vLLM's own examples have it."""


class Secrets:
    """What must not come back, in every spelling in which a server may send it: bare, in JSON, in a URL, in base64."""

    def __init__(self, *secrets: str | None) -> None:
        told = {secret for secret in secrets if secret and secret != _NO_KEY}
        spelt = {way for secret in told for way in (secret, unquote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1], _base64(secret))}
        # the longest first: one may be part of another
        self._any = tuple(sorted((way for way in spelt if way), key=lambda way: (-len(way), way)))
        self._long = tuple(way for way in self._any if len(way) >= LONG)

    def out_of_text(self, text: str) -> str:
        """`text` of an error without any of them."""
        return _without(text, self._any)

    def out_of_reply(self, body: object) -> object:
        """Parsed JSON without the long ones, in names of fields too."""
        return _cleaned(body, self._long) if self._long else body


def basic_authentication(user: str, password: str) -> tuple[str, str]:
    """The header for them, and its part that tells them."""
    header = aiohttp.encode_basic_auth(user, password)
    return header, header.removeprefix("Basic ")


def _cleaned(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, list):
        return [_cleaned(one, secrets) for one in value]
    if isinstance(value, dict):
        return {_cleaned(name, secrets): _cleaned(one, secrets) for name, one in value.items()}
    return value


def _without(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, SHOWN)
    return text


def _base64(secret: str) -> str:
    return base64.b64encode(secret.encode("utf-8", "surrogateescape")).decode()
