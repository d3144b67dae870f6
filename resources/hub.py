"""Files of data sets on the Hugging Face hub, gated or not: from the data folder, else the hub with the reader's own access.

No digest of their bytes is published with this project: those of gated ones may not be shared, others are named by
settings. The digest of the first load is kept beside the downloads, and other bytes are refused afterwards. Leaves out
what the bytes mean.
"""

import os
from pathlib import Path

from pydantic import ValidationError

from resources.whole_file import keep_download
from tmas_assets.benchmarks import BenchmarkError, Gated, HubFile
from tmas_assets.records import Record, digest, digest_bytes

_ETAG_SECONDS = 30.0


class FirstSeen(Record):
    """What a file was when it was loaded first."""

    file: str
    repository: str
    revision: str
    sha256: str
    size: int
    """Bytes."""
    where: str


def find_hub_file(file: HubFile, gated: Gated | None, *, data: Path | None, cache: Path) -> tuple[bytes, str]:
    """The bytes and where they were found. Raises BenchmarkError: no access, no network, or other bytes than before."""
    kept = local_hub_file(file, data=data, cache=cache)
    path = kept if kept is not None else _download(file, gated, data, cache)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BenchmarkError(f"{file.path}: cannot read {path}: {error}") from error
    first = first_seen(file, cache)
    if first is not None and first.sha256 != (found := digest_bytes(content)):
        raise BenchmarkError(
            f"{file.path}: {path} has sha256 {found} ({len(content)} bytes); at the first load it was {first.sha256} "
            f"({first.size} bytes, {first.where}). Put that file back, or delete {_record(file, cache)} to trust the "
            "new one")
    return content, str(path)


def remember(file: HubFile, content: bytes, where: str, cache: Path) -> None:
    """Keep the digest of a file that turned out to be whole, where none was kept yet."""
    if first_seen(file, cache) is None:
        seen = FirstSeen(
            file=file.path,
            repository=file.repository,
            revision=file.revision,
            sha256=digest_bytes(content),
            size=len(content),
            where=where,
        )
        keep_download(_record(file, cache), seen.model_dump_json(indent=1).encode())


def forget(file: HubFile, cache: Path) -> None:
    """Drop a download that turned out not to be the file (a login page, say), unless it was whole once."""
    kept = local_hub_file(file, data=None, cache=cache)
    if kept is not None and first_seen(file, cache) is None:
        kept.resolve().unlink(missing_ok=True)
        kept.unlink(missing_ok=True)


def first_seen(file: HubFile, cache: Path) -> FirstSeen | None:
    record = _record(file, cache)
    try:
        return FirstSeen.model_validate_json(record.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BenchmarkError(f"{file.path}: cannot read {record}: {error}; delete it to trust the file anew") from error


def _record(file: HubFile, cache: Path) -> Path:
    name = digest([file.repository, file.name, file.revision])[:16]
    return cache / "gated" / f"{Path(file.path).name}-{name}.json"


def local_hub_file(file: HubFile, *, data: Path | None, cache: Path) -> Path | None:
    """Where the file lies on this machine, None where it does not."""
    by_hand = data / file.path if data is not None else None
    if by_hand is not None and by_hand.is_file():
        return by_hand
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(
        file.repository, file.name, cache_dir=_hub(cache), revision=file.revision, repo_type="dataset")
    return Path(found) if isinstance(found, str) else None


def has_token() -> bool:
    """Whether the reader has a token of the hub: HF_TOKEN or a stored login."""
    from huggingface_hub import get_token

    return get_token() is not None


def _hub(cache: Path) -> Path:
    return cache / "hub"


def _download(file: HubFile, gated: Gated | None, data: Path | None, cache: Path) -> Path:
    from huggingface_hub import get_token, hf_hub_download
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    token = get_token()
    if token is None and gated is not None:
        raise BenchmarkError(f"{gated.access}.")
    try:
        return Path(
            hf_hub_download(
                file.repository,
                file.name,
                repo_type="dataset",
                revision=file.revision,
                cache_dir=_hub(cache),
                token=token,
                etag_timeout=_ETAG_SECONDS,
                endpoint=os.environ.get("HF_ENDPOINT") or None,
            )
        )
    except (OSError, ValueError) as error:
        status = _status(error)
        # the hub answers for a repository that a token may not see as for one that does not exist; a token of fine
        # grain without the right to gated data sets gets a bare 403, which arrives as the cause of another error
        if isinstance(error, GatedRepoError | RepositoryNotFoundError) or status in (401, 403):
            raise BenchmarkError(_refused(file, gated, token)) from error
        if status == 404 and gated is None:
            raise BenchmarkError(
                f"{file.path}: the hub has no {file.name} in {file.repository} at {file.revision}; correct settings `file` and "
                "`revision`") from error
        what = f"HTTP {status}" if status is not None else f"{type(error).__name__}: {_first_line(error)}"
        raise BenchmarkError(_unreachable(file, data, what)) from error


def _status(error: BaseException) -> int | None:
    """HTTP status of the error or of what it came from."""
    from huggingface_hub.errors import HfHubHTTPError

    while not isinstance(error, HfHubHTTPError):
        if error.__cause__ is None:
            return None
        error = error.__cause__
    return int(error.response.status_code)


def _refused(file: HubFile, gated: Gated | None, token: str | None) -> str:
    if gated is not None:
        return f"The hub refuses the token that is set: {gated.access}."
    how = "refuses the token that is set" if token is not None else "shows nobody without a token such a data set"
    return (
        f"{file.path}: the hub {how}: correct `repository` ({file.repository}); where it is gated or private, accept its terms "
        f"at https://huggingface.co/datasets/{file.repository} and set HF_TOKEN to a read token of an account that may see it")


def _unreachable(file: HubFile, data: Path | None, what: str) -> str:
    place = f"save it as {data / file.path}" if data is not None else f"set TMAS_DATA to a folder with it as {file.path}"
    return (
        f"{file.path}: {file.name} of {file.repository} at {file.revision[:12]} did not come from the hub ({what}); try "
        f"again, or fetch it on a machine with access and {place}")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:300]
