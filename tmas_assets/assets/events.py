"""Materializations that our code logs itself, with all that Dagster compares to tell fresh from out of date.

Dagster writes versions and inputs only for the key that a step executes. Without them every cell of a campaign, and
every grade, would be shown as out of date ("unsynced") from the start. Leaves out what an event shows: `metadata.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from resources.parquet_store import StoredFile

Metadata = Mapping[str, dg.MetadataValue]
VERSION = "dagster/data_version"
_OURS = "dagster/data_version_is_user_provided"
_CODE = "dagster/code_version"
_INPUT_VERSION = "dagster/input_data_version"
_INPUT_EVENT = "dagster/input_event_pointer"


@dataclass(frozen=True)
class Input:
    """A file that the materialized one was made from."""

    key: dg.AssetKey
    version: str | None
    """Digest of the file, None where there was none to read."""
    seen: int | None = None
    """Storage id of an event of `key` not older than the file read: a later one with another version puts the
    materialization out of date. None where the two are always made together."""


def event(
    key: dg.AssetKey,
    partition: str | None,
    stored: StoredFile,
    metadata: Metadata,
    code_version: str | None = None,
    inputs: Sequence[Input] = (),
) -> dg.AssetMaterialization:
    """A materialization whose data version is the file's digest. Name every input of the key, or it counts as new."""
    return logged(key, partition, stored.digest, metadata, code_version, inputs)


def logged(
    key: dg.AssetKey,
    partition: str | None,
    version: str,
    metadata: Metadata,
    code_version: str | None = None,
    inputs: Sequence[Input] = (),
) -> dg.AssetMaterialization:
    """The same of what is no file, with `version` as its data version."""
    tags = {VERSION: version, _OURS: "true"}
    if code_version:
        tags[_CODE] = code_version
    for one in inputs:
        name = one.key.to_user_string()
        tags[f"{_INPUT_VERSION}/{name}"] = one.version or "INITIAL"
        tags[f"{_INPUT_EVENT}/{name}"] = "NULL" if one.seen is None else str(one.seen)
    return dg.AssetMaterialization(key, partition=partition, metadata=dict(metadata), tags=tags)


def last_versions(instance: dg.DagsterInstance, key: dg.AssetKey) -> Mapping[str, str]:
    """Data version of the last materialization, by partition."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        key, dg.DagsterEventType.ASSET_MATERIALIZATION, tag_keys=[VERSION]
    )
    return {partition: found[VERSION] for partition, found in tags.items() if VERSION in found}


def last_materialization(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None = None) -> dg.EventLogRecord | None:
    """Of any partition unless one is named; None where there is none."""
    wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[partition] if partition is not None else None)
    return next(iter(instance.fetch_materializations(wanted, limit=1).records), None)


def version_of(record: dg.EventLogRecord | None) -> str | None:
    """Data version that a materialization says."""
    made = record.asset_materialization if record is not None else None
    return (made.tags or {}).get(VERSION) if made is not None else None


def last_event(instance: dg.DagsterInstance, key: dg.AssetKey) -> int | None:
    """Storage id of the last materialization of any partition."""
    last = last_materialization(instance, key)
    return last.storage_id if last is not None else None
