"""How tests are shared among workers: a group or a module whole to one worker, so that what its fixtures make is made once, and the
longest first, so that no worker is left alone with one at the end.

Nothing here decides what is tested; a name that is missing from `LONGEST` costs time only.
"""

from collections import Counter

import pytest
from xdist.scheduler.loadgroup import LoadGroupScheduling

LONGEST = (
    "vllm",
    "trl",
    "data_sets",
    "tests/whole/test_ui.py",
    "training_runs",
    "tests/whole/test_compare.py",
    "tests/engine/test_every_strategy.py",
    "tests/whole/test_data_set_pages.py",
    "tests/whole/test_two_at_once.py",
    "tests/whole/test_interrupt.py",
    "sft_runs",
    "tests/commands/test_tmas.py",
    "tests/whole/test_studies.py",
    "tests/whole/test_campaign.py",
    "tests/whole/test_checkpoint_scores.py",
    "tests/whole/test_backfill.py",
    "tests/whole/test_broken_builds.py",
)
"""Groups (`xdist_group`) and modules that take most of a minute or more, in about this order; the others follow by their number of tests."""


class WholeModules(LoadGroupScheduling):
    """Shares of `--dist loadgroup`, where also the tests of a module that are in no group stay together."""

    def _split_scope(self, nodeid: str) -> str:
        return super()._split_scope(nodeid).partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """Sorts tests so that shares begin in the order of `LONGEST`; within one the order stays."""
    sizes = Counter(map(share, items))
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (places.get(share(item), len(places)), -sizes[share(item)], share(item)))


def share(item: pytest.Item) -> str:
    group = item.get_closest_marker("xdist_group")
    return str(group.args[0]) if group else item.nodeid.partition("::")[0]
