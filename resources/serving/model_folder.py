"""A Hugging Face model folder on disk: is it whole, and which bytes is it?

A model's identity is the digest of its manifest, the sorted (name, size, SHA-256) of every file that can shape an
answer. Knows nothing of servers or of how the folder was made.
"""

import hashlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

from tmas_assets.records.base import Record, digest, digest_bytes

MANIFEST = "manifest.json"
RECORDS = (MANIFEST, "checkpoint.json", "outcome.json")
"""What we say of a folder in the folder itself; no server reads it."""
TRAINING_STATE = ("optimizer", "scheduler", "rng_state", "trainer_state", "training_args", "zero_to_fp32", "latest")
"""Stems of what a trainer leaves beside the weights; none of it is read when the model is served."""
TRAINING_FOLDERS = ("global_step", "checkpoint-", "runs")
WEIGHTS = ("*.safetensors",)
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib")
"""Loading one runs whatever code its maker put into it, so a folder with one beside its config is refused, even where safetensors lie
there too: which of them a loader takes is the loader's choice. Trainer states do not count: no server reads them."""
TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tekken.json", "*.tiktoken")
SETTLED_NS = 2_000_000_000
"""A file changed more recently than this may change again within one tick of its clock: its hash is not kept."""


class ModelFolderMissing(RuntimeError):
    """There is no such folder."""


class ModelFolderTorn(RuntimeError):
    """The folder is there, and a file that a model needs is absent, empty or cut."""


class FileDigest(Record):
    name: str
    """Path inside the folder, with forward slashes."""
    size: int
    sha256: str


class _Hashed(Record):
    stamp: tuple[int, ...]
    sha256: str


_MANIFEST = TypeAdapter(tuple[FileDigest, ...])
_CACHE = TypeAdapter(dict[str, _Hashed])


def records_of(folder: Path) -> tuple[FileDigest, ...]:
    """Of `RECORDS`, those that are there."""
    there = [(name, (folder / name).read_bytes()) for name in RECORDS if (folder / name).is_file()]
    return tuple(FileDigest(name=name, size=len(data), sha256=digest_bytes(data)) for name, data in there)


def manifest(folder: Path, cache: Path | None = None) -> tuple[FileDigest, ...]:
    """The folder's files, sorted by name. Hashes of unchanged files are taken from `cache`, a folder of ours.

    A file counts as unchanged while size, modification and change time and inode are the same.
    """
    kept = _read_cache(folder, cache)
    files, hashed = [], {}
    for path in _answer_files(folder):
        name, stamp = path.relative_to(folder).as_posix(), _stamp(path)
        known = kept.get(name)
        sha256 = known.sha256 if known and known.stamp == stamp else _sha256(path)
        files.append(FileDigest(name=name, size=stamp[0], sha256=sha256))
        if _stamp(path) == stamp and time.time_ns() - max(stamp[1:3]) > SETTLED_NS:
            hashed[name] = _Hashed(stamp=stamp, sha256=sha256)
    if cache and hashed != kept:
        write_beside(_cache_file(folder, cache), _CACHE.dump_json(hashed))
    return tuple(sorted(files, key=lambda file: file.name))


def model_identity(folder: Path, cache: Path | None = None) -> str:
    """SHA-256 (64 hexadecimal digits) over the manifest. Raises ModelFolderMissing, ModelFolderTorn."""
    require_whole(folder)
    return _identity(manifest(folder, cache))


def write_manifest(folder: Path) -> str:
    """Record the folder's files in the folder itself; the record is no part of the identity, which is given back."""
    files = manifest(folder)
    write_beside(folder / MANIFEST, _MANIFEST.dump_json(files, indent=1))
    return _identity(files)


def changed_files(folder: Path, cache: Path | None = None) -> tuple[str, ...]:
    """Names whose bytes differ from the folder's own manifest, in either direction; empty when all agree.

    Raises ModelFolderTorn when there is no readable manifest.
    """
    stated = set(stated_manifest(folder))
    return tuple(sorted({file.name for file in stated.symmetric_difference(manifest(folder, cache))}))


def stated_manifest(folder: Path) -> tuple[FileDigest, ...]:
    """What the folder itself records of its files. Raises ModelFolderTorn when there is no readable manifest."""
    try:
        return _MANIFEST.validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValueError) as error:
        raise ModelFolderTorn(f"{folder}: no readable {MANIFEST} ({error})") from error


def _identity(files: Sequence[FileDigest]) -> str:
    return digest([file.model_dump() for file in files])


def require_whole(folder: Path) -> None:
    """Raise ModelFolderMissing or ModelFolderTorn (naming every fault) unless a server could load `folder`."""
    if not folder.is_dir():
        raise ModelFolderMissing(f"{folder}: no such model folder. Give the path of a Hugging Face folder.")
    faults = _faults(folder)
    if faults:
        raise ModelFolderTorn(
            f"{folder}: model folder torn: {'; '.join(faults)}. Copy or save it again, or name another checkpoint."
        )


def _faults(folder: Path) -> list[str]:
    faults = []
    config = folder / "config.json"
    if not config.is_file():
        faults.append("config.json missing")
    if not any(path for pattern in TOKENIZERS for path in folder.glob(pattern)):
        faults.append("no tokenizer file (tokenizer.json, tokenizer.model, vocab.json, ...)")
    weights = sorted({path for pattern in WEIGHTS for path in folder.glob(pattern)})
    shards = _shards_due(folder, weights, faults)
    faults += [f"shard {name} missing" for name in sorted(shards - {path.name for path in weights})]
    if not weights and not shards:
        faults.append("no weights (*.safetensors)")
    files = _answer_files(folder)
    if pickles := sorted(path.name for path in files if path.parent == folder and path.suffix in PICKLES):
        faults.append(
            f"{', '.join(pickles)}: a pickle, which may run code when it is loaded; save the weights as safetensors and take it out of the folder"
        )
    for path in files:
        if path.stat().st_size == 0 and path.suffix in (".json", ".safetensors", ".jinja", ".model"):
            faults.append(f"{path.name} is empty")
        elif path.suffix == ".json" and not _is_json(path):
            faults.append(f"{path.name} is not JSON")
        elif path.suffix == ".safetensors":
            faults += _safetensors_faults(path)
    return faults


def _shards_due(folder: Path, weights: list[Path], faults: list[str]) -> set[str]:
    """Shard names that an index file or the shards' own numbering promise."""
    due: set[str] = set()
    for index in folder.glob("*.safetensors.index.json"):
        if _is_json(index):
            named = json.loads(index.read_bytes()).get("weight_map")
            if isinstance(named, dict) and named:
                due.update(named.values())
            else:
                faults.append(f"{index.name} names no shards")
    for path in weights:
        head, of, total = path.stem.rpartition("-of-")
        stem, dash, number = head.rpartition("-")
        if of and dash and total.isdigit() and number.isdigit():
            width = len(number)
            due.update(f"{stem}-{i:0{width}d}-of-{total}{path.suffix}" for i in range(1, int(total) + 1))
    return due


def _safetensors_faults(path: Path) -> list[str]:
    """Compare the header (8 bytes length, then JSON with each tensor's byte range) with the file's size."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if 8 + length > size:
            return [f"{path.name} truncated: header of {length} bytes in a file of {size}"]
        try:
            header = json.loads(file.read(length))
            end = max((entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"), default=0)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return [f"{path.name} has an unreadable header ({error})"]
    expected = 8 + length + end
    return [] if size == expected else [f"{path.name} is {size} bytes, its header promises {expected}"]


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def _answer_files(folder: Path) -> list[Path]:
    """Every file that may shape an answer: all but hidden files, prose, our records and training state."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._" and not name.startswith(TRAINING_FOLDERS)]
        for name in names:
            path = Path(parent, name)
            ours = name in RECORDS and path.parent == folder
            if name[0] in "._" or ours or path.suffix == ".md" or name.startswith(TRAINING_STATE):
                continue
            found.append(path)
    return found


def _stamp(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return sha256_of(file)


def sha256_of(file: BinaryIO) -> str:
    """SHA-256 of what is left to read in an open binary file; constant memory."""
    state = hashlib.sha256()
    while block := file.read(1 << 20):
        state.update(block)
    return state.hexdigest()


def _cache_file(folder: Path, cache: Path) -> Path:
    return cache / f"{digest(str(folder.resolve()))[:32]}.json"


def _read_cache(folder: Path, cache: Path | None) -> dict[str, _Hashed]:
    """What was hashed before; an absent or unreadable cache only costs hashing again."""
    try:
        return _CACHE.validate_json(_cache_file(folder, cache).read_bytes()) if cache else {}
    except (OSError, ValueError):
        return {}


def write_beside(path: Path, data: bytes) -> None:
    """Replace `path` in one step; readers see the old bytes or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    beside.write_bytes(data)
    beside.replace(path)
