"""What stops a campaign early: budgets, refusals, servers that go away. Whole cells stay, no answer is invented."""

import shutil
import threading
import time

import pytest

from resources.parquet_store import StoreFault
from tests.engine.bench_of_cells import Bench, experiment
from tests.resources.postgres import postgres_server, postgres_url  # noqa: F401 - fixtures
from tests.scripted import launch
from tests.scripted.server import Settings
from tests.whole.experiments import endpoint
from tests.whole.files import contents
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.team import EndpointRefuses, TooManyFailures


@pytest.fixture
def server():
    with launch.thread() as running:
        yield running


def test_a_budget_stop_between_repeats_resumes_to_the_bytes_of_one_run(server, tmp_path):
    asked = experiment(server.url, repeats=3, iterations=2)
    whole = Bench(asked, tmp_path / "whole")
    whole.run()
    once = server.stats()["total"]
    parts = Bench(asked, tmp_path / "parts")
    stops = 0
    for calls in (40, 60, 80, 1000):
        parts.experiment = asked.model_copy(update={"budget": asked.budget.model_copy(update={"calls": calls})})
        outcome = parts.run()
        stops += outcome.budget is not None
        assert all(one.by_budget for one in outcome.stopped)
    assert stops == 3
    assert server.stats()["total"] == 2 * once
    assert contents(parts.folder / "store") == contents(whole.folder / "store")


@pytest.mark.parametrize(("cap", "words"), [({"calls": 30}, "calls 30 of 30"), ({"tokens": 2000}, " of 2000")])
def test_a_cap_names_itself_and_is_kept_over_all_repeats(server, tmp_path, cap, words):
    bench = Bench(experiment(server.url, repeats=4, iterations=2, budget=cap), tmp_path)
    outcome = bench.run()
    assert words in outcome.budget
    assert len(outcome.stopped) == 3
    if "calls" in cap:
        assert server.stats()["total"] == 30


def test_a_cap_in_seconds_stops_the_run(tmp_path):
    with launch.thread(Settings(latency=0.4)) as slow:
        bench = Bench(experiment(slow.url, budget={"seconds": 1.0}), tmp_path)
        began = time.monotonic()
        outcome = bench.run()
        assert time.monotonic() - began < 60
    assert "of 1" in outcome.budget


def test_a_cell_without_one_answer_is_not_stored_and_is_asked_for_again(server, tmp_path):
    bench = Bench(experiment(server.url, iterations=2), tmp_path)
    server.script({"kind": "status", "status": 400, "match": "What is 1 + 1?", "times": 3})
    outcome = bench.run()
    assert [one.problem for one in outcome.stopped] == ["p-1"]
    assert "all 3 candidates of repeat 0 were refused; last: bad_request: status 400" in outcome.stopped[0].reason
    assert outcome.made == 4
    outcome = bench.run()
    assert (outcome.made, outcome.found, outcome.stopped) == (2, 4, [])
    assert not any(grade.outcome == "failed" for cell in bench.made for grade in cell.grades)


def test_a_problem_too_long_for_the_window_is_a_result_and_does_not_stop_the_run(tmp_path):
    with launch.thread(Settings(context=600)) as small:
        bench = Bench(experiment(small.url, iterations=1, failure_threshold=1.0), tmp_path)
        long = bench.problems[0].model_copy(update={"statement": "What is 0 + 0? " * 300})
        bench.problems = [long, *bench.problems[1:]]
        outcome = bench.run()
        assert (outcome.made, outcome.stopped) == (3, [])
        [grades] = [cell.grades for cell in bench.made if cell.problem.id == "p-0"]
        assert {grade.failure.boundary for grade in grades} == {"context"}


@pytest.mark.parametrize("status", [401, 402, 404])
def test_an_endpoint_that_refuses_everything_ends_the_run_at_once_and_leaves_no_cell(server, tmp_path, status):
    bench = Bench(experiment(server.url), tmp_path)
    server.script({"kind": "status", "status": status, "times": 1000})
    with pytest.raises(EndpointRefuses, match=f"endpoints.default at .* refuses the solution role: .*{status}"):
        bench.run()
    assert server.stats()["total"] < 20
    assert contents(bench.folder / "store") == {}
    server.script(clear=True)
    assert bench.run().made == 9


def test_the_share_of_failures_counts_every_call_and_stops_above_the_threshold_only(server, tmp_path):
    bench = Bench(experiment(server.url, failure_threshold=0.5), tmp_path)
    server.script({"kind": "status", "status": 400, "match": "Score", "times": 10_000})
    with pytest.raises(TooManyFailures, match="threshold 50%"):
        bench.run()
    server.script(clear=True)
    lenient = Bench(experiment(server.url, failure_threshold=1.0), tmp_path / "lenient")
    server.script({"kind": "status", "status": 400, "match": "Score", "times": 10_000})
    assert lenient.run().stopped == []


class Restarted:
    """A scripted server that can be closed and opened again on the same port, as a crash and a restart would."""

    def __init__(self, port=0):
        self.context = launch.thread(Settings(port=port, latency=0.02))
        self.running = self.context.__enter__()

    def close(self):
        self.context.__exit__(None, None, None)


def test_a_server_that_dies_in_the_middle_costs_only_what_was_in_flight_and_is_named(server, tmp_path):
    first = Restarted()
    default = endpoint(first.running.url, max_attempts=2)
    bench = Bench(experiment(first.running.url, endpoints={"default": default}), tmp_path)
    results = []
    run = threading.Thread(target=lambda: results.append(bench.run()))
    run.start()
    while first.running.stats()["total"] < 45:
        time.sleep(0.01)
    first.close()
    run.join(60)
    [outcome] = results
    assert {one.problem for one in outcome.stopped} == {"p-0", "p-1", "p-2"}
    assert all(first.running.url in one.reason for one in outcome.stopped)
    second = Restarted(first.running.port)
    try:
        again = bench.run()
        assert again.stopped == []
        assert again.made + again.found == 9
    finally:
        second.close()
    undisturbed = Bench(experiment(server.url), tmp_path / "undisturbed")
    undisturbed.run()
    assert contents(bench.folder / "store").keys() == contents(undisturbed.folder / "store").keys()


def test_a_store_that_cannot_be_written_loses_nothing_and_ends_in_one_fault(server, tmp_path, caplog):
    bench = Bench(experiment(server.url), tmp_path)
    blocked = tmp_path / "store" / "scripted" / "benchmark_scores"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where a folder is needed")
    with pytest.raises(StoreFault, match=r"could not write .* What stood there before is untouched"):
        bench.run()
    assert not [record for record in caplog.records if "never retrieved" in record.getMessage()]
    blocked.unlink()
    outcome = bench.run()
    assert outcome.made + outcome.found == 9
    sent = server.stats()["total"]
    undisturbed = Bench(experiment(server.url), tmp_path / "undisturbed")
    undisturbed.run()
    assert sent - (server.stats()["total"] - sent) <= 16  # what was in flight at the fault
    assert contents(bench.folder / "store") == contents(undisturbed.folder / "store")


def test_a_store_in_memory_serves_one_process(server, tmp_path):
    bench = Bench(experiment(server.url), tmp_path, change={"store_root": f"memory://{tmp_path.name}"})
    assert bench.run().made == 9
    assert bench.run().found == 9
    assert len(gather(bench.cells, bench.problems).grades) == 27


def test_a_whole_campaign_on_a_call_log_in_postgres(server, tmp_path, postgres_url):  # noqa: F811
    bench = Bench(experiment(server.url, repeats=2), tmp_path, change={"call_log_url": postgres_url})
    bench.experiment = bench.experiment.model_copy(
        update={"budget": bench.experiment.budget.model_copy(update={"calls": 100})}
    )
    assert bench.run().budget
    bench.experiment = experiment(server.url, repeats=2)
    outcome = bench.run()
    assert outcome.made + outcome.found == 9
    sent = server.stats()["total"]
    shutil.rmtree(tmp_path / "store")
    assert bench.run().made == 9
    assert server.stats()["total"] == sent
