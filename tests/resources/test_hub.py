"""Gated files come from the hub with the reader's own token, and are afterwards the bytes of the first load."""

import json

import pytest

from resources.availability import availability
from resources.hub import find_hub_file, first_seen
from resources.releases import load_problems
from tests.benchmarks.made_up import gpqa_csv, hle_parquet
from tests.resources.hub_server import hub
from tmas_assets.benchmarks import BenchmarkError, benchmark
from tmas_assets.records import BenchmarkChoice, digest_bytes

GPQA, HLE = benchmark("gpqa_diamond"), benchmark("hle_math_100")
(FILE,) = GPQA.releases["hub"].files
(HLE_FILE,) = HLE.releases["rse"].files
ACCESS = "accept its terms at .*set HF_TOKEN"
__all__ = ["hub"]


def load(tmp_path, name="gpqa_diamond", data=None):
    return load_problems(BenchmarkChoice(name=name), data=data, cache=tmp_path / "cache")


def test_without_a_token_one_sentence_says_how_to_get_access_and_nothing_is_asked(hub, tmp_path):
    hub.put(FILE, gpqa_csv())
    with pytest.raises(BenchmarkError) as fault:
        load(tmp_path)
    said = str(fault.value)
    assert said.count(".\n") == 0
    assert said.endswith(").")
    assert "https://huggingface.co/datasets/Idavidrein/gpqa" in said
    assert "HF_TOKEN" in said
    assert hub.asked == []


@pytest.mark.parametrize(
    ("refusal", "token"),
    [
        ((403, "GatedRepo"), "hf_known"),
        ((401, "GatedRepo"), "hf_known"),
        ((401, ""), "hf_known"),
        ((403, ""), "hf_known"),
        (None, "hf_unknown"),
    ],
)
def test_a_token_that_the_hub_refuses_gets_the_same_sentence(hub, tmp_path, monkeypatch, refusal, token):
    monkeypatch.setenv("HF_TOKEN", token)
    hub.put(FILE, gpqa_csv())
    hub.refusal = refusal
    with pytest.raises(BenchmarkError, match=f"The hub refuses the token that is set: GPQA is gated: {ACCESS}"):
        load(tmp_path)
    assert first_seen(FILE, tmp_path / "cache") is None


def test_with_a_token_the_file_is_fetched_once_and_its_digest_kept(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    hub.put(FILE, gpqa_csv())
    loaded = load(tmp_path)
    assert len(loaded.problems) == 198
    assert {key for _, _, key in hub.asked} == {"Bearer hf_known"}
    asked = len(hub.asked)
    monkeypatch.delenv("HF_TOKEN")
    assert load(tmp_path).problems == loaded.problems
    assert len(hub.asked) == asked, "asked again for a file that is here"
    seen = first_seen(FILE, tmp_path / "cache")
    assert (seen.sha256, seen.revision) == (digest_bytes(gpqa_csv()), FILE.revision)
    assert loaded.files == ((FILE.path, seen.sha256, seen.where),)


def test_hle_is_joined_on_the_ids_from_a_parquet_file_of_the_hub(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    hub.put(HLE_FILE, hle_parquet())
    loaded = load(tmp_path, "hle_math_100")
    assert len(loaded.problems) == 100
    assert loaded.files[0][1] == digest_bytes(hle_parquet())


def test_a_wrong_table_is_refused_and_its_digest_not_kept(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    hub.put(FILE, b"Frage,Antwort\na,b\n")
    with pytest.raises(BenchmarkError, match=r"gpqa_diamond\.csv: header is .*Record ID"):
        load(tmp_path)
    assert first_seen(FILE, tmp_path / "cache") is None


def test_other_bytes_than_at_the_first_load_are_refused_with_both_digests(hub, tmp_path, monkeypatch):
    data = tmp_path / "data"
    path = data / FILE.path
    path.parent.mkdir(parents=True)
    path.write_bytes(gpqa_csv())
    load(tmp_path, data=data)
    changed = gpqa_csv().replace(b"Question 7", b"Question seven")
    path.write_bytes(changed)
    with pytest.raises(BenchmarkError) as fault:
        load(tmp_path, data=data)
    said = str(fault.value)
    assert digest_bytes(changed) in said
    assert digest_bytes(gpqa_csv()) in said
    (record,) = (tmp_path / "cache" / "gated").iterdir()
    assert f"delete {record}" in said
    record.unlink()
    assert len(load(tmp_path, data=data).problems) == 198


def test_a_file_of_the_data_folder_needs_no_token_and_no_hub(hub, tmp_path):
    path = tmp_path / "data" / HLE_FILE.path
    path.parent.mkdir(parents=True)
    path.write_bytes(hle_parquet())
    assert len(load(tmp_path, "hle_math_100", tmp_path / "data").problems) == 100
    assert hub.asked == []


@pytest.mark.parametrize(("refusal", "said"), [((404, "EntryNotFound"), "HTTP 404"), ((404, "RevisionNotFound"), "HTTP 404")])
def test_a_file_the_hub_does_not_have_tells_the_way_by_hand(hub, tmp_path, monkeypatch, refusal, said):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    hub.refusal = refusal
    with pytest.raises(BenchmarkError, match=rf"did not come from the hub \({said}.*set TMAS_DATA"):
        find_hub_file(FILE, GPQA.gated, data=None, cache=tmp_path)


def test_no_hub_at_all_is_no_stack_trace(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)  # 23 s between its tries
    with pytest.raises(BenchmarkError, match=r"did not come from the hub .*save it as"):
        find_hub_file(FILE, GPQA.gated, data=tmp_path / "data", cache=tmp_path)


def test_an_unreadable_record_of_the_first_load_is_named(hub, tmp_path):
    path = tmp_path / "data" / FILE.path
    path.parent.mkdir(parents=True)
    path.write_bytes(gpqa_csv())
    load(tmp_path, data=tmp_path / "data")
    (record,) = (tmp_path / "cache" / "gated").iterdir()
    record.write_text(json.dumps({"sha256": 3}))
    with pytest.raises(BenchmarkError, match=f"(?s)cannot read {record}.*delete it to trust the file anew"):
        load(tmp_path, data=tmp_path / "data")


def test_what_is_available_is_said_without_asking_the_hub(hub, tmp_path, monkeypatch):
    cache, data = tmp_path / "cache", tmp_path / "data"
    said = availability(GPQA, "hub", data=data, cache=cache)
    assert (said.place, said.here) == ("needs token", False)
    assert "HF_TOKEN" in said.detail
    monkeypatch.setenv("HF_TOKEN", "hf_known")
    assert availability(GPQA, "hub", data=data, cache=cache).place == "download"
    assert hub.asked == []
    hub.put(FILE, gpqa_csv())
    load(tmp_path)
    assert availability(GPQA, "hub", data=data, cache=cache).place == "cached"
    (data / FILE.path).parent.mkdir(parents=True)
    (data / FILE.path).write_bytes(gpqa_csv())
    assert availability(GPQA, "hub", data=data, cache=cache).place == "data folder"
