"""The verifier's score of a rollout, as figures read it: ratings of ratings are none of it, kept ones keep theirs."""

import pytest

from tests.engine.bench_of_cells import Bench, experiment, problem
from tests.scripted import launch
from tests.scripted.replies import Reply
from tmas_assets.engine.figures import checked
from tmas_assets.engine.gathering import gather


def script(asked):
    """Every solution is rated 0.5 and that rating 0; a thread's feedback on its solution is `right`."""
    if "Task: Give feedback" in asked.prompt:
        return Reply("Nothing to change.\nVerdict: right")
    if "Task: Rate the check" in asked.prompt:
        return Reply("There is no such gap.\nScore: 0")
    if "Task: Check the solution" in asked.prompt:
        return Reply("A gap.\nScore: 0.5")
    return Reply("So \\boxed{2}")


@pytest.fixture(scope="module")
def server():
    with launch.thread(script=script) as running:
        yield running


def run(url, folder, name, settings, iterations):
    strategy = {"name": name, "settings": settings}
    bench = Bench(experiment(url, strategy=strategy, iterations=iterations), folder, [problem(1)])
    assert bench.run().stopped == []
    return gather(bench.cells, bench.problems)


def test_a_meta_verification_is_no_score_of_the_rollout(server, tmp_path):
    settings = {"candidates": 2, "verifications": 1, "refinements": 2, "meta_verification": True}
    gathered = run(server.url, tmp_path, "verify_refine", settings, 1)
    assert gathered.frames["verifier_scores"].height == 4
    assert checked(gathered) == {("p-1", f"r0t00c{n}"): 0.5 for n in range(2)}


def test_a_solution_that_is_kept_keeps_its_score(server, tmp_path):
    gathered = run(server.url, tmp_path, "self_refine", {"threads": 2}, 3)
    assert checked(gathered) == {("p-1", f"r0t{t:02d}c{n}"): 1 for t in range(3) for n in range(2)}
