"""What is asked before a refresh: everything side by side, within one deadline, and no secret in a sentence."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from resources.reachable import page_fault, page_faults, side_by_side

SECRET = "pl4nted-in-the-address"


def test_looks_wait_for_each_other_and_one_that_never_ends_is_left_out():
    meeting, never = threading.Barrier(8), threading.Event()

    def look() -> str:
        meeting.wait(30)  # only passed where all eight look at once
        return "met"

    looks = {f"look {n}": look for n in range(8)}
    try:
        found = side_by_side({**looks, "hangs": lambda: str(never.wait(60))}, 2.0)
    finally:
        never.set()
    assert found == dict.fromkeys(looks, "met")


@pytest.mark.parametrize("url", [f"hub.example/{SECRET}", SECRET, f"ftp://{SECRET}@host", f"http://[{SECRET}", f"http://me:{SECRET}@host:9x/"])
def test_an_address_that_cannot_be_asked_is_a_sentence_without_it(url):
    said = page_fault(url)
    assert said is not None
    assert "no http or https URL" in said
    assert SECRET not in said


def test_a_name_and_password_in_an_address_are_sent_and_not_shown():
    heads = []

    class Guarded(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            heads.append(self.headers["Authorization"])
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Guarded)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        said = page_fault(f"http://me:{SECRET}@127.0.0.1:{server.server_port}/x", 20.0)
    finally:
        server.shutdown()
        server.server_close()
    assert said == f"http://127.0.0.1:{server.server_port}/x answers with status 404"
    assert heads == ["Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()]
    assert SECRET not in str(page_fault(f"http://me:{SECRET}@127.0.0.1:9/x"))


def test_of_several_pages_each_has_its_own_answer():
    found = page_faults(["http://127.0.0.1:9/a", "nowhere"])
    assert "http://127.0.0.1:9/a does not answer" in str(found["http://127.0.0.1:9/a"])
    assert "no http or https URL" in str(found["nowhere"])
