"""Names and versions of the graders. A version goes up whenever a verdict could change.

A grader that leans on a package carries that package's version too, since its verdicts change with it.
"""

from collections.abc import Mapping
from importlib.metadata import version
from types import MappingProxyType

GRADER_VERSIONS: Mapping[str, str] = MappingProxyType({
    "choice": "1",
    "code": "1",
    "concepts": "1",
    "integer": "2",
    "math": "2",
    "reasoning_gym": "1",
})
_LEANS_ON: Mapping[str, tuple[str, ...]] = {
    "choice": (),
    "code": (),
    "concepts": ("simplemma",),
    "integer": ("math-verify", "mpmath"),
    "math": ("math-verify", "mpmath"),
    "reasoning_gym": ("reasoning-gym",),
}


class UnknownGrader(ValueError):
    """No grader has this name; the text lists the ones there are."""


def grader_version(name: str) -> str:
    """E.g. `1+math-verify-0.9.0+mpmath-1.3.0`."""
    if name not in GRADER_VERSIONS:
        raise UnknownGrader(f"no grader named {name!r}; known: {', '.join(GRADER_VERSIONS)}")
    return "+".join([GRADER_VERSIONS[name], *(f"{package}-{version(package)}" for package in _LEANS_ON[name])])
