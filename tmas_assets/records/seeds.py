"""Seeds derived from where a draw stands, so that any cell can be made again alone."""

from tmas_assets.records.base import canonical_json, digest_bytes


def seed_of(*position: int | str) -> int:
    """A seed in [0, 2**31) from the SHA-256 of the position, e.g. (experiment seed, problem digest, repeat, ...)."""
    return int(digest_bytes(canonical_json(list(position)).encode())[:8], 16) >> 1
