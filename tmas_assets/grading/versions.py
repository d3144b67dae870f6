"""Names and versions of the graders. A version goes up whenever a verdict could change.

A grader that leans on a package carries that package's version too, since its verdicts change with it; the one that
runs answers carries Python's. `none` grades nothing: its problems have no gold.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from types import MappingProxyType

GRADER_VERSIONS: Mapping[str, str] = MappingProxyType({
    "choice": "2",
    "code": "2",
    "concepts": "1",
    "integer": "2",
    "math": "2",
    "none": "1",
    "reasoning_gym": "1",
})
_LEANS_ON: Mapping[str, tuple[str, ...]] = {
    "choice": (),
    "code": (),
    "concepts": ("simplemma",),
    "integer": ("math-verify", "mpmath"),
    "math": ("math-verify", "mpmath"),
    "none": (),
    "reasoning_gym": ("reasoning-gym",),
}
_RUNS_ANSWERS = ("code",)


class UnknownGrader(ValueError):
    """No grader has this name; the text lists the ones there are."""


def grader_version(name: str) -> str:
    """E.g. `1+math-verify-0.9.0+mpmath-1.3.0`."""
    if name not in GRADER_VERSIONS:
        raise UnknownGrader(f"no grader named {name!r}; known: {', '.join(GRADER_VERSIONS)}")
    python = [f"python-{sys.version_info.major}.{sys.version_info.minor}"] if name in _RUNS_ANSWERS else []
    packages = [f"{package}-{_installed(package)}" for package in _LEANS_ON[name]]
    return "+".join([GRADER_VERSIONS[name], *python, *packages])


@cache
def _installed(package: str) -> str:
    """Read once: looking it up takes longer than most grades."""
    return version(package)
