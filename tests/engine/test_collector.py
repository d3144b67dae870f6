"""The engine's rarer collections: cycles made meanwhile still go, and the process gets its own settings back."""

import gc
import weakref

import pytest

from tmas_assets.engine.collector import YOUNG, rare_collections


class Knot:
    """A cycle of one."""

    def __init__(self) -> None:
        self.self = self


def test_cycles_are_collected_after_so_many_new_objects() -> None:
    with rare_collections():
        lost = weakref.ref(Knot())
        kept = [[] for _ in range(2 * YOUNG)]
    assert lost() is None
    assert len(kept) == 2 * YOUNG


def test_an_error_leaves_the_process_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="stop"), rare_collections():
        raise ValueError("stop")
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
