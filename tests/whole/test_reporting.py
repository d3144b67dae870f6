"""What Dagster is told: the last event of a partition names the bytes that are there, and no event names what is not."""

from pathlib import Path

import pytest

from tests.scripted import launch
from tests.whole.campaign import QUIET
from tests.whole.conftest import Project, failure
from tests.whole.experiments import deployment, experiment
from tmas_assets.assets.comparison import compared
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.assets.summary import summarise, summary_address
from tmas_assets.grading import versions
from tmas_assets.records import Figure, Grade
from tmas_assets.statistics import pass_at_k

PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")


@pytest.fixture
def server():
    with launch.thread() as running:
        yield running


def versions_shown(project, part):
    """Data version and digest of the last event of every partition."""
    return {
        key: (event.tags["dagster/data_version"], event.metadata["digest"].value)
        for key, event in project.events(part).items()
    }


def test_settings_that_are_changed_and_changed_back_are_reported_as_the_bytes_that_count(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.run()
    first = {part: versions_shown(project, part) for part in PARTS}
    other = Project(experiment(server.url, iterations=2, seed=9), tmp_path, instance)
    other.run()
    assert all(versions_shown(other, part) != first[part] for part in PARTS)
    calls = server.stats()["total"]
    project.run()
    assert {part: versions_shown(project, part) for part in PARTS} == first
    assert server.stats()["total"] == calls


def test_grades_of_a_newer_grader_are_reported_and_nothing_else_is(server, tmp_path, instance, monkeypatch):
    project = Project(experiment(server.url, iterations=1), tmp_path, instance)
    project.run()
    before = {part: versions_shown(project, part) for part in PARTS}
    monkeypatch.setattr(versions, "GRADER_VERSIONS", versions.GRADER_VERSIONS | {"reasoning_gym": "99"})
    project.run()
    after = {part: versions_shown(project, part) for part in PARTS}
    changed = before.pop("benchmark_scores"), after.pop("benchmark_scores")
    assert before == after
    assert all(changed[0][key] != changed[1][key] for key in changed[0])
    count = len(instance.fetch_materializations(project.key("rollouts"), limit=1000).records)
    assert count == 4


def test_a_run_over_a_range_of_cells_gives_each_its_own_data_version(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.problems()
    job = project.defs.resolve_implicit_global_asset_job_def()
    ends = {
        "dagster/asset_partition_range_start": "t00|chain_sum-0001",
        "dagster/asset_partition_range_end": "t01|chain_sum-0002",
    }
    for parts in (("memory_bank",), ("benchmark_scores",), ("memory_bank", "benchmark_scores")):
        result = job.execute_in_process(
            instance=instance,
            asset_selection=[project.key(part) for part in parts],
            tags=ends,
            run_config=QUIET,
            raise_on_error=False,
        )
        assert result.success, failure(result)
        for part in PARTS:
            shown = versions_shown(project, part)
            assert set(shown) == {f"t0{t}|chain_sum-000{n}" for t in (0, 1) for n in (1, 2)}
            assert all(version == digest for version, digest in shown.values())


def test_the_summary_shows_figures_that_its_own_grades_give(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.run()
    (summary,) = project.events("summary").values()
    chances = summary.metadata["pass_at_k"].records
    columns = {
        name: [column.name for column in table.schema.columns]
        for name, table in summary.metadata.items() if hasattr(table, "schema")
    }  # fmt: skip
    assert columns["pass_at_k"] == ["iteration", "pass@1", "pass@2", "pass@3"]
    assert columns["chosen"] == ["iteration", "pass^3", "maj@3", "best-of-3", "oracle"]
    assert columns["not_answered"] == ["iteration", "missing", "failed", "undecided", "truncated", "judged"]
    place = deployment(tmp_path)
    cells = cells_of(place, project.experiment)
    figures = cells.store.read(summary_address(cells, "figures"), Figure)
    for t in (0, 1):
        right = []
        for problem in table_of(place, project.experiment).problems:
            grades = cells.store.read(cells.address("benchmark_scores", t, problem), Grade)
            right.append(sum(grade.outcome == "right" for grade in grades))
        for k in (1, 2, 3):
            mean = sum(pass_at_k(3, count, k) for count in right) / len(right)
            (figure,) = [one for one in figures if (one.iteration, one.metric, one.k) == (t, "pass@k", k)]
            assert figure.value == pytest.approx(mean, abs=1e-12)
            assert (figure.problems, figure.samples, figure.missing) == (4, 12, 0)
            assert chances[t].data[f"pass@{k}"] == f"{100 * mean:.2f}%"


def test_a_summary_of_the_same_cells_is_the_same_bytes(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.run()
    place = deployment(tmp_path)
    cells = cells_of(place, project.experiment)
    page, file = tmp_path / "reports" / "scripted.html", cells.store.path(summary_address(cells, "figures"))
    before = page.read_bytes(), Path(file).read_bytes()
    summarise(place, project.experiment)
    assert (page.read_bytes(), Path(file).read_bytes()) == before


def test_two_experiments_are_compared_on_the_problems_they_share(server, tmp_path, instance):
    one = experiment(server.url)
    other = experiment(
        server.url, name="other", iterations=2, seed=3, benchmark=one.benchmark.model_copy(update={"limit": 3}),
        strategy={"name": "tmas", "settings": {"candidates": 2, "verifications": 4}},
    )  # fmt: skip
    for each in (one, other):
        Project(each, tmp_path, instance).run()
    calls = server.stats()["total"]
    found = compared(deployment(tmp_path), one, other)
    assert server.stats()["total"] == calls
    assert [(side.iteration, side.answers) for side in (found[0].a, found[0].b)] == [(1, 3), (1, 2)]
    assert (found[0].difference.problems, found[0].only_a, found[0].only_b) == (3, ("chain_sum-0003",), ())
    # as the records say it: tokens of all roles up to the iteration, mean over the shared problems
    place = deployment(tmp_path)
    for experiment_, side in ((one, found[0].a), (other, found[0].b)):
        cells, spent, calls = cells_of(place, experiment_), 0, 0
        for problem in table_of(place, experiment_).problems[:3]:
            for t in (0, 1):
                for done in cells.read(t, problem)[0]:
                    traces = [row.trace for row in (*done.rollouts, *done.verifications, *done.summaries, *done.memory.writes)]
                    spent += sum(trace.prompt_tokens + trace.completion_tokens for trace in traces)
                    calls += len(traces)
        assert (side.tokens, side.calls) == (pytest.approx(spent / 3), calls / 3)
    for basis in found[1:]:
        if basis.difference is not None:
            unit, _, of = basis.basis.partition(" of ")
            mine, theirs = (basis.a, basis.b) if of == "A" else (basis.b, basis.a)
            assert getattr(theirs, unit) <= getattr(mine, unit)
    mirrored = compared(place, other, one)
    assert mirrored[0].difference.value == -found[0].difference.value
    assert mirrored[0].difference.p == found[0].difference.p


def test_a_cell_that_the_budget_stopped_is_not_materialized(server, tmp_path, instance):
    project = Project(experiment(server.url, budget={"calls": 3}), tmp_path, instance)
    project.problems()
    result = project.materialize(project.key("memory_bank"), partition="t00|chain_sum-0000")
    assert "budget reached: calls 3 of 3" in failure(result)
    assert project.events("memory_bank") == {}


def test_a_report_folder_that_cannot_be_written_is_named(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=1), tmp_path, instance)
    (tmp_path / "reports").write_text("a file where a folder is needed")
    text = failure(project.campaign())
    assert "reports/scripted/" in text
    assert "could not write" in text
    assert len(project.events("memory_bank")) == 4


def test_a_key_that_is_not_set_is_named_without_a_traceback(server, tmp_path, instance):
    default = {"urls": [server.url], "model": "scripted", "api_key_env": "TMAS_NO_SUCH_KEY"}
    project = Project(experiment(server.url, endpoints={"default": default}), tmp_path, instance)
    text = failure(project.campaign())
    assert text.startswith("api_key_env: the environment variable TMAS_NO_SUCH_KEY is not set")
    assert server.stats()["total"] == 0
