"""What problems are compared with: every published release and what experiments measure on; what is missing is said."""

import json

import pytest

from resources.deployment import Deployment
from tmas_assets.benchmarks import benchmarks
from tmas_assets.engine.building import evaluations
from tmas_assets.engine.building.evaluations import MissingEvaluation, evaluation_sets
from tmas_assets.records import BenchmarkChoice, Decontamination

SUMS = BenchmarkChoice(name="reasoning_gym", release="sums", settings={"size": 3, "tasks": [{"name": "chain_sum"}]}, limit=1)
PUBLISHED = {
    (name if label == entry.default_release else f"{name}_{label}")
    for name, entry in benchmarks().items() if entry.has_gold for label in entry.releases
}  # fmt: skip


@pytest.fixture
def deployment(tmp_path, monkeypatch):
    """Nothing is here and nothing can be had: no data folder, no token, no network."""
    for name in ("TMAS_DATA", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("TMAS_HOME", str(tmp_path / "home"))
    return Deployment.from_environment()


def test_a_missing_release_stops_the_build_and_names_the_setting(deployment):
    with pytest.raises(MissingEvaluation, match=r"screening\.decontamination\.may_miss") as fault:
        evaluation_sets(deployment, [], Decontamination())
    assert repr(next(name for name in benchmarks() if benchmarks()[name].releases)) in str(fault.value)


def test_all_may_be_missing_and_each_says_why(deployment):
    sets, compared = evaluation_sets(deployment, [], Decontamination(may_miss=("all",)))
    assert {one.release for one in compared} == PUBLISHED
    assert {"imo_answerbench", "imo_answerbench_v1", "gpqa_diamond", "hle_math_100", "imo_answerbench_50"} <= PUBLISHED
    here = {one.release for one in sets}
    assert all((one.missing is None) == (one.release in here) for one in compared)
    assert all(one.missing for one in compared if one.release in ("gpqa_diamond", "hle_math_100"))
    assert all(one.digest is None and one.problems == 0 for one in compared if one.missing)


def test_one_that_may_be_missing_does_not_excuse_another(deployment):
    with pytest.raises(MissingEvaluation, match=r"gpqa_diamond|hle_math_100"):
        evaluation_sets(deployment, [], Decontamination(may_miss=tuple(set(benchmarks()) - {"gpqa_diamond", "hle_math_100"})))


def test_a_name_that_is_no_benchmark_is_refused_before_anything_is_loaded(deployment, monkeypatch):
    monkeypatch.setattr(evaluations, "load_problems", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(MissingEvaluation, match=r"math_500.*math500"):
        evaluation_sets(deployment, [], Decontamination(may_miss=("math_500",)))


def test_what_experiments_measure_on_is_compared_whole_and_once(deployment):
    sets, compared = evaluation_sets(deployment, [SUMS, SUMS.model_copy(update={"limit": 2})], Decontamination(may_miss=("all",)))
    (own,) = [one for one in sets if one.release == "reasoning_gym_sums"]
    assert len(own.problems) == 3
    (said,) = [one for one in compared if one.release == "reasoning_gym_sums"]
    assert (said.problems, said.missing, len(said.digest)) == (3, None, 64)


def test_an_experiment_on_a_published_release_adds_nothing(deployment):
    choice = BenchmarkChoice(name="math500", limit=50)
    _, compared = evaluation_sets(deployment, [choice], Decontamination(may_miss=("all",)))
    assert [one.release for one in compared].count("math500") == 1


def test_hypotheses_are_no_evaluation_set(deployment, tmp_path):
    (tmp_path / "h.jsonl").write_text(json.dumps({"id": "h1", "question": "Does it pay?"}) + "\n")
    choice = BenchmarkChoice(name="hypotheses", settings={"file": "h.jsonl"}, base=str(tmp_path))
    _, compared = evaluation_sets(deployment, [choice], Decontamination(may_miss=("all",)))
    assert not [one for one in compared if one.release.startswith("hypotheses")]


def test_sources_of_problems_are_sets_only_where_an_experiment_measures_on_them(deployment):
    _, compared = evaluation_sets(deployment, [], Decontamination(may_miss=("all",)))
    assert not [one for one in compared if one.release.startswith(("reasoning_gym", "problem_file", "hub_data_set"))]


def test_what_is_kept_of_a_missing_release_names_no_place_of_this_machine_and_the_log_hears_all(deployment, tmp_path):
    told = []
    _, compared = evaluation_sets(deployment, [], Decontamination(may_miss=("all",)), told.append)
    missing = [one for one in compared if one.missing]
    assert missing
    assert len(told) == len(missing)
    assert any(str(tmp_path) in one for one in told)
    assert not any(str(tmp_path) in one.missing or "urlopen" in one.missing for one in missing)
