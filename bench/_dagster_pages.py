"""What Dagster's own pages ask the web server for, and how long it takes to answer.

A headless Chromium opens each page and tells which GraphQL queries the page sent; then the same queries are sent again
one by one. So the queries are those of the Dagster version that is installed. Leaves out what stands in the answers.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import psutil
from selenium import webdriver

from tests.whole import campaign

PATIENCE = 600.0
"""Seconds for the server to load the code location, and for a page to fall silent."""
QUIET = 3.0
"""A page that asked nothing for so many seconds is complete; the web server's own polls come every 2 to 10 s."""

LONG = 60.0
"""Seconds for one query's repetitions: one that takes longer is not asked again."""


@dataclass(frozen=True)
class Query:
    """One query that a page sent."""

    name: str
    body: str
    first: float
    """Seconds from the browser's question to the whole answer, on the first visit."""


@dataclass(frozen=True)
class Visit:
    queries: tuple[Query, ...]
    seconds: float
    """Until the last answer to a query, or message of a subscription, that brought something new."""
    subscribed_bytes: int
    """What came by subscription: the log of a run."""


@dataclass(frozen=True)
class Timed:
    """A query sent again several times; seconds."""

    name: str
    first: float
    median: float
    worst: float
    bytes: int
    """Of the answer."""


@contextmanager
def web_server(home: Path, folder: Path, experiment: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Dagster's web server on the instance at `home` with the assets of the recorded experiment."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    workspace = folder / "workspace.yaml"
    workspace.write_text(
        "load_from:\n  - python_module: {module_name: tests.whole.location, location_name: tmas, "
        f"working_directory: {campaign.ROOT}}}\n"
    )
    command = [sys.executable, "-m", "dagster_webserver", "-w", str(workspace), "-h", "127.0.0.1", "-p", str(port)]
    environment = {**os.environ, "DAGSTER_HOME": str(home), "TMAS_TEST_EXPERIMENT": experiment.read_text(),
                   "TMAS_TEST_FOLDER": str(folder), "PYTHONWARNINGS": "ignore"}  # fmt: skip
    with (folder / "webserver.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        _answers(url, process, folder / "webserver.log")
        yield url, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def _answers(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            urlopen(f"{url}/server_info").close()
            return
        except URLError:
            time.sleep(0.3)
    raise RuntimeError(f"the web server does not answer at {url}: {log.read_text()[-3000:]}")


@contextmanager
def chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "window-size=1920,1300"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={folder / 'chromium'}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


class _Listener:
    """Follows what the page in a browser asks for and gets."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser = browser
        self.sent: dict[str, tuple[str, float]] = {}
        self.done: dict[str, float] = {}
        self.subscribed = 0
        self.began = self.last = 0.0

    @property
    def open(self) -> list[str]:
        return [self.sent[one][0][:80] for one in self.sent.keys() - self.done.keys()]

    def listen(self) -> bool:
        """Whether something new was asked or came."""
        said = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]  # type: ignore[no-untyped-call]
        return any([self._hear(one["method"], one["params"]) for one in said])

    def _hear(self, method: str, said: Mapping[str, Any]) -> bool:
        key = said.get("requestId", "")
        if method == "Network.requestWillBeSent":
            self.began = self.began or said["timestamp"]
            if said["request"]["url"].partition("?")[0].endswith("/graphql") and said["request"]["method"] == "POST":
                return self._query(key, said)
        elif method in ("Network.loadingFinished", "Network.loadingFailed") and key in self.sent:
            self.done[key] = said["timestamp"]
            body = self.sent[key][0]
            if [one for one, _ in self.sent.values()].count(body) == 1:
                self.last = said["timestamp"]
        elif method == "Network.webSocketFrameReceived" and "RunLogsSubscriptionSuccess" in (text := said["response"]["payloadData"]):
            self.subscribed += len(text)
            self.last = said["timestamp"]
            return True
        return False

    def _query(self, key: str, said: Mapping[str, Any]) -> bool:
        body = said["request"].get("postData")
        if body is None:  # too long for the message
            body = self.browser.execute_cdp_cmd("Network.getRequestPostData", {"requestId": key})["postData"]
        new = body not in {known for known, _ in self.sent.values()}
        self.sent[key] = (body, said["timestamp"])
        return new


def visit(browser: webdriver.Chrome, address: str) -> Visit:
    """The queries that a page sends until it has all that it shows, each once, in order of their first sending."""
    browser.get("about:blank")
    browser.get_log("performance")  # type: ignore[no-untyped-call] # what came before
    browser.get(address)
    heard, calm, end = _Listener(browser), time.monotonic(), time.monotonic() + PATIENCE
    while time.monotonic() - calm < QUIET or heard.open:
        if time.monotonic() > end:
            raise RuntimeError(f"{address} is not complete after {PATIENCE:g} s; without an answer: {heard.open}")
        calm = time.monotonic() if heard.listen() else calm
        time.sleep(0.1)
    queries: dict[str, Query] = {}
    for key, (body, began) in heard.sent.items():
        queries.setdefault(body, Query(json.loads(body).get("operationName") or "?", body, heard.done[key] - began))
    return Visit(tuple(queries.values()), heard.last - heard.began, heard.subscribed)


def again(url: str, query: Query, times: int) -> Timed:
    seconds: list[float] = []
    size = 0
    while len(seconds) < times and sum(seconds) < LONG:
        began = time.perf_counter()
        with urlopen(Request(f"{url}/graphql", query.body.encode(), {"Content-Type": "application/json"})) as answer:
            text = answer.read()
        seconds.append(time.perf_counter() - began)
        size = len(text)
        if "errors" in (found := json.loads(text)):
            raise RuntimeError(f"{query.name} answers {str(found['errors'])[:500]}")
    return Timed(query.name, query.first, statistics.median(seconds), max(seconds), size)


@dataclass(frozen=True)
class Page:
    visit: Visit
    """The first one."""
    queries: tuple[Timed, ...]


def timed_pages(url: str, folder: Path, pages: Mapping[str, str], times: int) -> Mapping[str, Page]:
    """Each page's queries, timed; `pages`: name to path. All first visits come before anything is asked twice."""
    with chromium(folder) as browser:
        seen = {name: visit(browser, url + path) for name, path in pages.items()}
    timed = {query.body: query for one in seen.values() for query in one.queries}
    known = {body: again(url, query, times) for body, query in timed.items()}
    return {name: Page(one, tuple(replace(known[query.body], first=query.first) for query in one.queries)) for name, one in seen.items()}
