"""Strategies whose roles may answer in free text: on an endpoint without structured output every reply is read."""

import pytest

from tests.engine.bench_of_cells import Bench, experiment
from tests.scripted import launch
from tests.strategies.small import SMALL
from tests.whole.experiments import endpoint


@pytest.mark.parametrize(
    ("name", "change"),
    [("rse", {}), ("tree_of_thoughts", {}), ("tree_of_thoughts", {"evaluate": "vote", "propose": "samples"})],
)
def test_every_reply_is_read_without_structured_output(tmp_path, name, change):
    settings, iterations = SMALL[name]
    with launch.thread() as server:
        default = endpoint(server.url, structured_output=False)
        chosen = {"name": name, "settings": settings | change}
        bench = Bench(experiment(server.url, strategy=chosen, iterations=iterations, endpoints={"default": default}), tmp_path)
        assert bench.run().stopped == []
    rounds = [one for cell in bench.made for one in cell.rounds]
    read = [
        part.parse
        for one in rounds
        for part in (*one.verifications, *one.memory.writes, *(turn for turn in one.memory.turns if turn.trace))
    ]
    assert len(read) >= len(bench.problems)
    assert set(read) == {"parsed"}
