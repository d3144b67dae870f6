"""The Python that runs answers: this one without its packages, and the files of the machine that it needs.

Answers get the standard library and nothing else (no numpy, no site-packages), so that a verdict does not depend on
what happens to be installed beside the grader. Hashes of text are fixed, so that the order of sets is too.
"""

import os
import sys
import sysconfig
from functools import cache
from pathlib import Path

FLAGS = ("-S", "-s", "-P", "-B", "-X", "utf8")
ENVIRONMENT = {
    "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PATH": "/nowhere", "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1",
}
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")


@cache
def executable() -> Path:
    """The interpreter behind a virtual environment, by its real path."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    installed = Path(sys.base_prefix) / "bin" / name
    return Path(os.path.realpath(installed if installed.exists() else sys.executable))


@cache
def needed_files() -> tuple[str, ...]:
    """What must be visible for it to run: itself, its library, the shared libraries of the system."""
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    own = {str(executable()), *(os.path.realpath(path) for path in standard)}
    if os.path.realpath(sys.base_prefix) not in ("/", "/usr", "/usr/local"):
        own.add(os.path.realpath(os.path.join(sys.base_prefix, "lib")))
    elif (shared := sysconfig.get_config_var("LIBDIR")) and sysconfig.get_config_var("Py_ENABLE_SHARED"):
        own |= {str(file) for file in Path(shared).glob("libpython*.so*")}
    outer = [path for path in _LIBRARIES if os.path.exists(path)]
    return tuple([*outer, *sorted(path for path in own if not path.startswith(tuple(f"{above}/" for above in outer)))])
