"""The only maker and reader of partition keys and of the file names made from them.

A problem id may be any text. Its key is percent-encoded UTF-8 over a small safe alphabet, so that no tool on
the way (Dagster's ranges and lists, shells, file systems, object stores) gives a character a meaning of its
own. `problem_id` is the exact inverse of `problem_key` for every id whose key fits the length limit; a longer
id gets a cut key with its digest, which is unique but is read back through the problem table only.
"""

import hashlib
import re
from typing import NamedTuple

MAX_KEY_LENGTH = 150
"""Characters. A file name adds an extension and a temporary suffix, and 255 bytes is the common limit."""
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_ESCAPED = re.compile(r"%([0-9A-F]{2})")
_KEY = re.compile(r"(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+(?:~[0-9a-f]{16})?")
_ITERATION = re.compile(r"t(\d{2})")


class KeyFault(ValueError):
    """A text that cannot be a key, or a key that cannot be read."""


class CellKey(NamedTuple):
    iteration: int
    problem: str
    """The problem's key, still encoded."""

    def __str__(self) -> str:
        return f"{iteration_key(self.iteration)}|{self.problem}"


def problem_key(problem_id: str) -> str:
    """Key of a problem id. Raises KeyFault for the empty id; lone surrogates are kept."""
    if not problem_id:
        raise KeyFault("problem id is empty: a partition key needs at least one character")
    raw = problem_id.encode("utf-8", "surrogatepass")
    key = "".join(chr(b) if b in _SAFE else f"%{b:02X}" for b in raw)
    if key[0] in "._-":  # a hidden file, a relative path, an option, or hive's word for a null partition
        key = f"%{ord(key[0]):02X}{key[1:]}"
    # Two dots in a row are half of Dagster's range mark and a parent folder.
    while ".." in key:
        key = key.replace("..", ".%2E")
    if len(key) <= MAX_KEY_LENGTH:
        return key
    cut = key[: MAX_KEY_LENGTH - 17]
    cut = re.sub(r"%[0-9A-F]?$", "", cut)
    return f"{cut}~{hashlib.sha256(raw).hexdigest()[:16]}"


def problem_id(key: str) -> str:
    """The id that `problem_key` made `key` of. Raises KeyFault for a cut key and for anything it never makes."""
    check_key(key)
    if "~" in key:
        raise KeyFault(f"key {key!r} was cut and carries a digest: look its id up in the problem table")
    raw = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), key).encode("latin-1")
    try:
        found = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise KeyFault(f"key {key!r} does not decode to text: {error}") from error
    if problem_key(found) != key:
        raise KeyFault(f"key {key!r} is not the key of {found!r}, which is {problem_key(found)!r}")
    return found


def check_key(key: str) -> str:
    """`key` itself where its alphabet and length are those of a problem key, else KeyFault."""
    if not _KEY.fullmatch(key) or len(key) > MAX_KEY_LENGTH:
        raise KeyFault(
            f"not a problem key: {key[:80]!r} ({len(key)} characters); keys hold letters, digits, _ - . and "
            f"%XX, at most {MAX_KEY_LENGTH} characters; make one with problem_key(id)"
        )
    return key


def iteration_key(iteration: int) -> str:
    """`t00` ... `t59`."""
    if not 0 <= iteration <= 59:
        raise KeyFault(f"iteration {iteration} is out of range: the axis holds t00 to t59")
    return f"t{iteration:02d}"


def iteration_of(key: str) -> int:
    found = _ITERATION.fullmatch(key)
    if not found or int(found[1]) > 59:
        raise KeyFault(f"not an iteration key: {key!r}; they read t00 to t59")
    return int(found[1])


def cell_key(text: str) -> CellKey:
    """Read `t03|<problem key>`, Dagster's spelling of a cell."""
    iteration, bar, problem = text.partition("|")
    if not bar:
        raise KeyFault(f"not a cell key: {text!r}; cells read t03|<problem key>")
    return CellKey(iteration_of(iteration), check_key(problem))
