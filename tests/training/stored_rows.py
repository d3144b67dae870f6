"""Rows and conversations in parquet files as a set's steps store them, for what loads them."""

import functools
from pathlib import Path
from typing import Any

from resources.parquet_store import Address, ParquetStore
from tests.training.rounds import SETTINGS, LoggedTeam, candidate, rate, saying, simulated
from tmas_assets.records import Conversation, Record, RlRow
from tmas_assets.training.rl_choice import union
from tmas_assets.training.rl_rows import experience_rows, guideline_rows, normal_rows
from tmas_assets.training.role_conversations import conversations


@functools.cache
def made() -> tuple[tuple[RlRow, ...], tuple[Conversation, ...]]:
    rows: list[list[RlRow]] = []
    talks: list[Conversation] = []
    for name in ("p1", "p2"):
        of, team = candidate(name), LoggedTeam(saying("1", "1", "2"), verification={"thinking": "Is it so?"})
        rounds = simulated(of, iterations=2, team=team)
        rows += [
            list(normal_rows(of, rate(of), SETTINGS, data_set="cold", most=1)),
            list(experience_rows(rounds, SETTINGS, data_set="cold", most=2, seed=0)),
            list(guideline_rows(rounds, SETTINGS, data_set="cold", most=2, seed=0)),
        ]
        for one in rounds:
            talks += conversations(one, team.calls.get, lambda problem, answers: [answers.index(each) for each in answers])
    return union(rows, seed=0), tuple(talks)


def files(folder: Path) -> tuple[str, str]:
    """Paths of the files of rows and of conversations."""
    store, (rows, talks) = ParquetStore(root=str(folder)), made()
    return (
        store.write(Address(("cold", "rl_prompts"), ("rows",)), RlRow, rows).path,
        store.write(Address(("cold", "sft"), ("rows",)), Conversation, talks).path,
    )


def plain(record: Record) -> Any:
    """A record as a reader of its file sees it: dicts and lists."""
    return _lists(record.model_dump(mode="python", by_alias=True))


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lists(inner) for name, inner in value.items()}
    return [_lists(inner) for inner in value] if isinstance(value, tuple | list) else value
