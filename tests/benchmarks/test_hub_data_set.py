"""A file of a hub data set: fetched once by commit, held to its first bytes, and refused in one sentence where it cannot be had."""

import pytest

from resources.availability import availability
from resources.hub import first_seen
from resources.releases import load_problems
from tests.benchmarks.rows import WRITERS
from tests.resources.hub_server import hub
from tmas_assets.benchmarks import BenchmarkError, asset_name, benchmark, settings_of_choice
from tmas_assets.engine.problems import refresh_table
from tmas_assets.records import BenchmarkChoice, digest_bytes

__all__ = ["hub"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROWS = [{"question": f"What is {n} + 4?", "answer": str(n + 4), "licence": "MIT"} for n in range(3)]


def choice(file="data/train.jsonl", **given):
    settings = {"repository": "someone/sums", "revision": COMMIT, "file": file, **given}
    return BenchmarkChoice(name="hub_data_set", settings=settings)


def file_of(chosen):
    return benchmark("hub_data_set").hub_file(settings_of_choice(chosen))


def load(tmp_path, chosen=None, data=None):
    return load_problems(chosen or choice(), data=data, cache=tmp_path / "cache")


def refused(tmp_path, chosen=None, data=None):
    with pytest.raises(BenchmarkError) as caught:
        load(tmp_path, chosen, data)
    return str(caught.value)


@pytest.fixture
def public(hub):
    hub.public = True
    hub.put(file_of(choice()), WRITERS["jsonl"](ROWS))
    return hub


@pytest.mark.parametrize("kind", WRITERS)
def test_every_kind_of_file_comes_from_the_hub_without_a_token(public, tmp_path, kind):
    chosen = choice(f"data/train.{kind}", fields={"licence": "licence"})
    public.put(file_of(chosen), WRITERS[kind](ROWS))
    loaded = load(tmp_path, chosen)
    assert [(p.id, p.statement, p.answer, p.licence) for p in loaded.problems] == [
        (str(n + 1), f"What is {n} + 4?", str(n + 4), "MIT") for n in range(3)]
    assert loaded.licence == "MIT"
    assert {key for _, _, key in public.asked} == {None}


def test_a_file_is_fetched_once_and_its_digest_kept_at_the_first_load(public, tmp_path):
    first = load(tmp_path)
    asked = len(public.asked)
    assert load(tmp_path) == first
    assert len(public.asked) == asked
    seen = first_seen(file_of(choice()), tmp_path / "cache")
    assert (seen.sha256, seen.revision, seen.repository) == (digest_bytes(WRITERS["jsonl"](ROWS)), COMMIT, "someone/sums")
    assert first.files == ((f"someone/sums/{COMMIT[:12]}/data/train.jsonl", seen.sha256, seen.where),)


def test_other_bytes_than_at_the_first_load_are_refused(public, tmp_path):
    load(tmp_path)
    path = tmp_path / "data" / file_of(choice()).path
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITERS["jsonl"](ROWS[:2]))
    assert "at the first load it was" in refused(tmp_path, data=tmp_path / "data")


def test_a_file_put_by_hand_needs_no_hub(hub, tmp_path):
    path = tmp_path / "data" / file_of(choice()).path
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITERS["jsonl"](ROWS))
    assert len(load(tmp_path, data=tmp_path / "data").problems) == 3
    assert hub.asked == []


def test_a_token_that_is_set_is_sent(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    hub.put(file_of(choice()), WRITERS["jsonl"](ROWS))
    assert len(load(tmp_path).problems) == 3
    assert {key for _, _, key in hub.asked} == {"Bearer hf_known"}


@pytest.mark.parametrize(
    ("token", "said"), [(None, "shows nobody without a token such a data set"), ("hf_other", "refuses the token that is set")])
def test_a_data_set_that_one_may_not_see_is_named_with_what_to_do(hub, tmp_path, monkeypatch, token, said):
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    fault = refused(tmp_path)
    assert f"the hub {said}: correct `repository` (someone/sums)" in fault
    assert "https://huggingface.co/datasets/someone/sums and set HF_TOKEN" in fault


def test_a_file_or_commit_that_is_not_there_is_named_with_its_settings(public, tmp_path):
    fault = refused(tmp_path, choice("data/gone.jsonl"))
    assert f"the hub has no data/gone.jsonl in someone/sums at {COMMIT}; correct settings `file` and `revision`" in fault


@pytest.mark.parametrize("data", [None, "data"])
def test_no_hub_at_all_is_a_sentence_that_tells_the_way_by_hand(hub, tmp_path, monkeypatch, data):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)  # 23 s between its tries
    fault = refused(tmp_path, data=tmp_path / data if data else None)
    assert "did not come from the hub" in fault
    place = f"someone/sums/{COMMIT[:12]}/data/train.jsonl"
    assert (f"save it as {tmp_path / 'data' / place}" if data else f"set TMAS_DATA to a folder with it as {place}") in fault


def test_a_wrong_field_name_is_no_reason_to_fetch_the_file_again(public, tmp_path):
    assert "'gold' is not among its fields (question, answer, licence)" in refused(tmp_path, choice(fields={"answer": "gold"}))
    asked = len(public.asked)
    assert len(load(tmp_path).problems) == 3
    assert len(public.asked) == asked


def test_a_page_in_place_of_the_file_is_refused_and_not_kept(public, tmp_path):
    public.put(file_of(choice()), b"<html>sign in</html>")
    assert "line 1 is not JSON" in refused(tmp_path)
    assert first_seen(file_of(choice()), tmp_path / "cache") is None
    public.put(file_of(choice()), WRITERS["jsonl"](ROWS))
    assert len(load(tmp_path).problems) == 3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"revision": "main"}, "settings.revision"),
        ({"revision": COMMIT[:12]}, "settings.revision"),
        ({"repository": "https://x/y"}, "settings.repository"),
        ({"repository": "../x"}, "settings.repository"),
        ({"file": "../../x.jsonl"}, "settings.file: is a path inside the repository"),
        ({"file": "/x.jsonl"}, "settings.file: is a path inside the repository"),
        ({"file": "data/x.arrow"}, "has to end with one of .jsonl, .csv, .parquet"),
    ],
)
def test_a_wrong_setting_is_named(wrong, said):
    with pytest.raises(BenchmarkError) as caught:
        settings_of_choice(choice(**wrong))
    assert said in str(caught.value)


def test_a_data_set_without_a_commit_is_refused():
    with pytest.raises(BenchmarkError, match=r"hub_data_set: settings\.revision: missing; state it"):
        settings_of_choice(BenchmarkChoice(name="hub_data_set", settings={"repository": "a/b", "file": "x.csv"}))


def test_it_has_golds_asks_no_hub_when_listed_and_makes_no_default_asset(hub, tmp_path):
    entry = benchmark("hub_data_set")
    assert (entry.has_gold, entry.brought) == (True, True)
    from tmas_assets.assets.location import releases_of

    assert availability(entry, "default", data=None, cache=tmp_path).place == "download"
    assert asset_name(choice()) == "hub_data_set"
    assert "hub_data_set" not in {one.name for one in releases_of([])}
    assert hub.asked == []


def test_the_promises_of_its_problem_table_hold_and_name_the_file_of_the_first_load(public, tmp_path, monkeypatch):
    monkeypatch.setenv("TMAS_HOME", str(tmp_path / "home"))
    from resources.deployment import Deployment
    from tmas_assets.checks.problems import findings

    deployment = Deployment.from_environment()
    table, _ = refresh_table(deployment.store(), choice(), data=None, downloads=deployment.downloads)
    found = {finding.promise: finding for finding in findings(deployment, choice(), table)}
    assert all(finding.passed for finding in found.values()), found
    assert found["digest_pinned"].said == "1 of 1 files have the digest pinned by its first load here"
