"""Names of reasoning-gym's generators, read from the package's source: importing it takes seconds, this a tenth of one.

A file registers its generator under a literal, or under its own constant DATASET_NAME. Leaves out their settings.
"""

import importlib.util
import re
from functools import cache
from pathlib import Path

_REGISTERED = re.compile(r"""^register_dataset\(\s*(?:["'](\w+)["']|(\w+))""", re.MULTILINE)


@cache
def generators() -> tuple[str, ...]:
    """Sorted; none where the package is not installed, which drawing then says."""
    spec = importlib.util.find_spec("reasoning_gym")
    found = set()
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in Path(folder).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            for literal, constant in _REGISTERED.findall(text):
                stated = re.findall(rf"""^{constant}\s*=\s*["'](\w+)["']""", text, re.MULTILINE) if constant else [literal]
                found.update(stated)
    return tuple(sorted(found))
