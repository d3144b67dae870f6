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


@cache
def executable() -> Path:
    """The interpreter behind a virtual environment, by its real path."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    installed = Path(sys.base_prefix) / "bin" / name
    return Path(os.path.realpath(installed if installed.exists() else sys.executable))


@cache
def needed_files() -> tuple[str, ...]:
    """What must be visible for it to run: itself, its library, the shared libraries of the system."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    own = {str(executable()), os.path.dirname(os.__file__), f"{sys.base_exec_prefix}/{sys.platlibdir}/{version}"}
    if sys.base_prefix not in ("/", "/usr"):  # an installation of its own, with what it was linked to
        own.add(f"{sys.base_prefix}/lib")
    shared = sysconfig.get_config_var("MULTIARCH")
    own |= {f"/lib/{shared}", f"/usr/lib/{shared}"} if os.path.isdir(f"/usr/lib/{shared}") else {"/lib", "/usr/lib"}
    own |= {"/lib64", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo"}
    found = sorted(path for path in own if os.path.exists(path))
    return tuple(path for path in found if not any(path.startswith(f"{above}/") for above in found))


@cache
def hidden_folders() -> tuple[str, ...]:
    """Packages that are installed beside the library, in what `needed_files` shows."""
    shown = [Path(path) for path in needed_files() if os.path.isdir(path)]
    found = {str(folder) for path in shown for name in ("site-packages", "dist-packages")
             for folder in (path / name, *path.glob(f"python*/{name}")) if folder.is_dir() and not folder.is_symlink()}
    return tuple(sorted(found))
