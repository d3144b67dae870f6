"""What leaves this machine when a run failed: safe text, no URL in a log, no webhook that can hurt."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from resources import alerts
from resources.alerts import alert, body, deliver

SECRET = "T0KEN-in-the-path"


@contextmanager
def webhook(status: int = 200) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Its URL, and what it was sent."""
    sent: list[dict[str, object]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{SECRET}", sent
    finally:
        server.shutdown()
        server.server_close()


TOLD = alert("demo", "demo_campaign", "run-1", "demo_cells", "the endpoint is gone")


def test_a_webhook_gets_text_and_fields_once(monkeypatch):
    monkeypatch.setenv(alerts.WEBSERVER, "https://dagster.example/")
    with webhook() as (url, sent):
        monkeypatch.setenv(alerts.WEBHOOK, url)
        told = alert("demo", "demo_campaign", "run-1", "demo_cells", "the endpoint is gone")
        assert deliver(told) is None
    (found,) = sent
    assert found["experiment"] == "demo"
    assert found["job"] == "demo_campaign"
    assert found["run"] == "run-1"
    assert found["step"] == "demo_cells"
    assert found["reason"] == "the endpoint is gone"
    assert found["link"] == "https://dagster.example/runs/run-1"
    assert "<https://dagster.example/runs/run-1>" in found["text"]


def test_without_a_webhook_nothing_is_sent(monkeypatch):
    monkeypatch.delenv(alerts.WEBHOOK, raising=False)
    monkeypatch.delenv(alerts.WEBSERVER, raising=False)
    assert deliver(TOLD) is None
    assert TOLD.link is None
    assert TOLD.line == "demo: demo_campaign failed in run run-1 at demo_cells: the endpoint is gone"


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_webhook_that_refuses_is_a_sentence_without_its_url(monkeypatch, status):
    with webhook(status) as (url, sent):
        monkeypatch.setenv(alerts.WEBHOOK, url)
        said = deliver(TOLD)
    assert len(sent) == 1
    assert f"status {status}" in said
    assert SECRET not in said


@pytest.mark.parametrize("url", [f"http://127.0.0.1:9/{SECRET}", f"ftp://host/{SECRET}", SECRET, f"http://[{SECRET}", f"http://127.0.0.1:9x/{SECRET}"])
def test_a_webhook_that_is_gone_or_no_url_is_a_sentence_without_its_url(monkeypatch, url):
    monkeypatch.setenv(alerts.WEBHOOK, url)
    said = deliver(TOLD)
    assert said
    assert SECRET not in said


def test_a_webhook_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(alerts, "SECONDS", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv(alerts.WEBHOOK, f"http://127.0.0.1:{silent.getsockname()[1]}/{SECRET}")
        began = time.monotonic()
        said = deliver(TOLD)
    assert said is not None
    assert SECRET not in said
    assert time.monotonic() - began < 60  # without a limit it would stand for ever


def test_text_of_a_model_is_one_short_line_that_no_reader_takes_for_marks():
    text = "<!channel> @all <https://evil|click> `x`\n\x1b[31m# red & **bold** ![](http://evil)" + "y" * 5000
    told = alert("demo", "demo_campaign", "run-1", None, text)
    assert len(told.reason) <= alerts.LONGEST + 1
    assert "\n" not in told.line
    assert "\x1b" not in told.line
    shown = json.loads(body(told))["text"]
    assert "<" not in shown
    inside = shown.split("`")
    assert len(inside) == 9  # four pieces of code, none of which can be left
    assert "@all" in inside[7]
