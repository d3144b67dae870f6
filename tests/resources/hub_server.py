"""A server on loopback that stands in for the Hugging Face hub: files by commit, tokens, refusals."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tmas_assets.records import digest_bytes


class Hub:
    """What the hub answers: files by (repository, revision, name), for requests with the one token it knows."""

    def __init__(self):
        self.files, self.asked, self.url = {}, [], ""
        self.refusal = None  # (status, X-Error-Code) in place of files, for every request
        self.public = False  # whether files are given to everybody

    def put(self, file, content):
        self.files[f"/datasets/{file.repository}/resolve/{file.revision}/{file.name}"] = content


@contextmanager
def hub_server():
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.answer(body=False)

        def do_GET(self):
            self.answer(body=True)

        def answer(self, body):
            path = self.path.partition("?")[0]
            hub.asked.append((self.command, path, self.headers.get("Authorization")))
            refusal = hub.refusal
            if refusal is None and not hub.public and self.headers.get("Authorization") != "Bearer hf_known":
                refusal = (401, "RepoNotFound")
            if refusal is None and path not in hub.files:
                refusal = (404, "EntryNotFound")
            content = b"" if refusal else hub.files[path]
            self.send_response(refusal[0] if refusal else 200)
            if refusal:
                self.send_header("X-Error-Code", refusal[1])
                self.send_header("X-Error-Message", "refused by the test")
            else:
                self.send_header("ETag", f'"{digest_bytes(content)}"')
                self.send_header("X-Repo-Commit", path.split("/")[5])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub on loopback, known by HF_ENDPOINT; no login of the user's is seen."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "no-login"))
    with hub_server() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running
