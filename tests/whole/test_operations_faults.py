"""What operations meet when files, ids, addresses and names are not as expected: one thing that is wrong stays one."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from resources import alerts
from resources.pages import kind_of, write_page
from resources.parquet_store import Address, ParquetStore
from tmas_assets.assets.refresh.unchanged import MadeOf, keep_made_of, still_stands
from tmas_assets.engine.audit.sealed import UnknownScore, score_of
from tmas_assets.engine.site.index import write_index
from tmas_assets.records import Score

VARIANT = "88a87853aaa0"


def test_a_problem_whose_id_ends_in_html_leaves_the_index_of_all_to_be_written(tmp_path):
    write_page(tmp_path / "demo" / "t00.html" / "index.html", "<title>a problem</title>")
    write_page(tmp_path / "other.html", '<meta name="tmas-kind" content="experiment"><title>other</title>')
    assert kind_of(tmp_path / "demo" / "t00.html") is None
    index = write_index(tmp_path, ParquetStore(root=str(tmp_path / "store")))
    assert 'href="other.html"' in index.read_text()


@contextmanager
def moved(asked: list[str]) -> Iterator[str]:
    """A server that sends whoever posts elsewhere, and answers there."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append("POST")
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            asked.append("GET")
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook"
        server.shutdown()


def test_an_alert_that_is_sent_elsewhere_does_not_count_as_taken(monkeypatch):
    asked: list[str] = []
    with moved(asked) as url:
        monkeypatch.setenv(alerts.WEBHOOK, url)
        said = alerts.deliver(alerts.alert("demo", "demo_campaign", "run-1", None, "the endpoint is gone"))
    assert said is not None
    assert "status 302" in said
    assert asked == ["POST"]


@pytest.mark.parametrize("torn", [b"", b"PAR1 and no more", None])
def test_a_summary_whose_note_of_its_inputs_is_torn_is_made_anew(tmp_path, torn):
    store = ParquetStore(root=str(tmp_path / "store"))
    address = partial(_part, "demo")
    page = write_page(tmp_path / "demo.html", "<title>demo</title>")
    store.write(address("scores"), Score, [])
    keep_made_of(store, address, ["scores"], inputs="a" * 64, version="b" * 64, grades="c" * 64, page=page)
    assert still_stands(store, address, "a" * 64, page) is not None
    if torn is None:
        store.write(address("made_of"), MadeOf, [])
    else:
        Path(store.path(address("made_of"))).write_bytes(torn)
    assert still_stands(store, address, "a" * 64, page) is None


def _part(experiment: str, part: str) -> Address:
    return Address((experiment, "summary"), (part,), VARIANT)


def test_no_audit_is_made_of_an_iteration_that_has_no_score(tmp_path):
    store = ParquetStore(root=str(tmp_path))
    store.write(_part("demo", "scores"), Score, [score(iteration) for iteration in range(2)])
    assert score_of(store, "demo/t01", ()).iteration == 1
    with pytest.raises(UnknownScore, match=r"no score demo/t05: under 88a87853aaa0 it has scores of t00, t01"):
        score_of(store, "demo/t05", ())
    Path(store.path(_part("demo", "scores"))).write_bytes(b"torn")
    assert score_of(store, "demo/t05", ()).iteration == 5


def score(iteration: int) -> Score:
    counts = dict.fromkeys(
        ("missing", "left_out", "undecided", "failed", "truncated", "empty", "repetitive", "judged", "unsandboxed", "right"), 0
    )
    return Score(
        experiment="demo", benchmark="sums", release="tests", iteration=iteration, metric="pass@1", chosen=False, value=0.0, low=0.0,
        high=1.0, level=0.95, value_answered=0.0, problems=1, answers=1, expected=1, wrong=1, grader="integer", grader_version="1",
        grades_digest="0" * 64, **counts,
    )  # fmt: skip
