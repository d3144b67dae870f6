"""A person works in the Dagster UI: the real web server and daemon, a real browser, nothing but clicks.

Skipped only where there is no Chromium. What the engine computes is the subject of other tests.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.request import urlopen

import dagster as dg
import psutil
import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from tests.whole import campaign
from tests.whole.experiments import experiment
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.records import Experiment

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PATIENCE = 180.0
"""Seconds for any one thing: the machine may be busy, and Dagster's daemon looks at backfills every 30 s only."""
T = TypeVar("T")


def until(look: Callable[[], T], what: str, seconds: float = PATIENCE) -> T:
    """What `look` finds as soon as there is something; a page that is just being drawn anew is looked at again."""
    end, last = time.monotonic() + seconds, "nothing"
    while time.monotonic() < end:
        try:
            if found := look():
                return found
        except (WebDriverException, OSError) as error:
            last = str(error)
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds:g} s: {what}; last seen: {last}")


class Person:
    """Someone at a browser, who knows what is written on the page and nothing of its code."""

    def __init__(self, browser: WebDriver, url: str) -> None:
        self.browser, self.url = browser, url

    def open(self, path: str) -> None:
        until(lambda: self.browser.get(self.url + path) is None, f"{path} loads")

    def shown(self, xpath: str) -> list[WebElement]:
        return [found for found in self.browser.find_elements(By.XPATH, xpath) if found.is_displayed()]

    def see(self, text: str, seconds: float = PATIENCE) -> WebElement:
        return until(lambda: self.shown(f"//*[normalize-space(text())='{text}']"), f"{text!r} on the page", seconds)[0]

    def click(self, text: str, xpath: str = "//*[normalize-space(text())='{}']", nth: int = 0) -> None:
        place = xpath.format(text)
        until(lambda: self.shown(place)[nth].click() is None if len(self.shown(place)) > nth else None, f"click {text}")

    def press(self, label: str, nth: int = 0) -> None:
        self.click(label, "//button[not(@disabled)][normalize-space(.)='{}']", nth)

    def metadata(self, key: str) -> list[str]:
        """What is written on the line of a key of a metadata table: the value, and on some pages the time."""
        place = f"//tr[./td[1][normalize-space(.)='{key}']]"
        return until(lambda: [line.text for line in self.shown(place)], f"metadata {key!r}")[0].splitlines()[1:]

    def rows(self, key: str) -> list[list[str]]:
        """A table inside a metadata table, its head first."""
        place = f"//tr[./td[1][normalize-space(.)='{key}']]//table//tr"
        lines = until(lambda: self.shown(place), f"a table at metadata {key!r}")
        return [[cell.text for cell in line.find_elements(By.XPATH, "./th|./td")] for line in lines]

    def graph(self) -> dict[str, float]:
        """Where each box of the asset graph begins, from the left; long names are cut in their middle."""
        boxes = self.shown("//*[local-name()='foreignObject']")
        return {box.text.splitlines()[0]: box.rect["x"] for box in boxes if box.text}


@contextmanager
def dagster_dev(asked: Experiment, folder: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Web server and daemon in a session of their own; none of its processes outlives the block."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    (folder / "workspace.yaml").write_text(
        "load_from:\n  - python_module: {module_name: tests.whole.location, location_name: tmas, "
        f"working_directory: {campaign.ROOT}}}\n"
    )
    # without `env` a test run in the background would hand its ignored interrupts down
    command = ["env", "--default-signal=INT", sys.executable, "-m", "dagster", "dev"]
    with (folder / "dagster.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "-w", "workspace.yaml", "-p", str(port)],
            cwd=folder,
            env=campaign.environment(asked, folder),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        for one in in_session(process.pid):
            one.kill()
        process.wait()


def in_session(leader: int) -> list[psutil.Process]:
    found = []
    for one in psutil.process_iter():
        try:
            if os.getsid(one.pid) == leader and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


@contextmanager
def chromium(folder: Path) -> Iterator[WebDriver]:
    """A failure inside the block leaves the page's picture in `folder` and tells its text."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "window-size=1920,1300"):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={folder / 'chromium'}")
    browser = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        yield browser
    except AssertionError as error:
        browser.save_screenshot(str(folder / "page.png"))
        error.add_note(f"at {browser.current_url} (picture and log in {folder}):")
        error.add_note(browser.find_element(By.TAG_NAME, "body").text)
        raise
    finally:
        browser.quit()


def finished(instance: dg.DagsterInstance, run: str) -> dg.DagsterRun:
    """The run as it ended."""

    def look() -> dg.DagsterRun | None:
        found = instance.get_run_by_id(run)
        return found if found and found.is_finished else None

    return until(look, f"run {run} ends")


@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs the Debian packages chromium and chromium-driver")
@pytest.mark.timeout(900)
def test_a_person_makes_problems_cells_and_a_campaign_by_clicking(server, tmp_path, monkeypatch):
    problems = {"tasks": [{"name": "chain_sum"}], "size": 2, "seed": 5}
    asked = experiment(
        server.url, iterations=2, benchmark={"name": "reasoning_gym", "release": "tests", "settings": problems}
    )
    monkeypatch.setenv("DAGSTER_HOME", campaign.environment(asked, tmp_path)["DAGSTER_HOME"])
    prepare_dagster_home()
    with (
        dagster_dev(asked, tmp_path) as (url, process),
        chromium(tmp_path) as browser,
        dg.DagsterInstance.get() as instance,
    ):
        until(lambda: urlopen(f"{url}/server_info").status == 200, "the web server answers")
        person = Person(browser, url)
        the_graph_shows_the_chain_in_order(person)
        problems_are_materialized(person, instance)
        cells_are_made_in_order_by_a_backfill(person, instance)
        a_cell_shows_what_was_made(person, instance)
        calls = server.stats()["total"]
        a_campaign_is_launched(person, instance)
        assert server.stats()["total"] == calls, "a campaign paid again for calls of the backfill"
        os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C in a terminal sends
        until(lambda: not in_session(process.pid), "all processes of the UI end on Ctrl-C")


def the_graph_shows_the_chain_in_order(person: Person) -> None:
    person.open("/asset-groups")
    for group in ("problems", "scripted"):
        person.click(group, "//*[local-name()='foreignObject']//*[normalize-space(text())='{}']")
        until(lambda: f"%3A{group}" in person.browser.current_url, f"group {group} unfolds")  # noqa: B023
        person.browser.refresh()  # so that the whole graph is in view again
    chain = ["rollouts", "verifier_scores", "memory_bank", "benchmark_scores", "summary"]
    until(lambda: set(chain) <= set(person.graph()), f"{chain} in the graph")
    boxes = person.graph()
    [release] = [name for name in boxes if name.startswith("reasoning_g") and name.endswith("_tests")]
    places = [boxes[name] for name in [release, *chain]]
    assert places == sorted(places), boxes


def problems_are_materialized(person: Person, instance: dg.DagsterInstance) -> None:
    person.open("/assets/problems/reasoning_gym_tests")
    person.press("Materialize")
    [run] = until(lambda: instance.get_runs(), "a run of problems")
    assert finished(instance, run.run_id).status == dg.DagsterRunStatus.SUCCESS
    person.browser.refresh()
    head, *samples = person.rows("sample")
    assert head == ["problem", "statement", "gold"]
    assert [sample[0].replace("\n", "") for sample in samples] == ["chain_sum-0000", "chain_sum-0001"]
    assert "Apache-2.0" in person.metadata("licence")


def cells_are_made_in_order_by_a_backfill(person: Person, instance: dg.DagsterInstance) -> None:
    person.open("/assets/scripted/memory_bank")
    person.press("Materialize…")
    person.see("0 partitions")
    person.press("All", nth=0)
    person.press("All", nth=1)
    person.see("4 partitions")
    person.press("Launch backfill")
    [backfill] = until(lambda: instance.get_backfills(), "a backfill")

    def all_made() -> bool:
        person.open("/assets/scripted/memory_bank?view=partitions")
        return person.see("Materialized (4)", seconds=10).is_displayed()

    def made() -> bool:
        return len(instance.get_materialized_partitions(dg.AssetKey(["scripted", "memory_bank"]))) == 4

    until(made, "four cells", 2 * PATIENCE)
    until(all_made, "the page shows four cells")
    filters = dg.RunsFilter(tags={"dagster/backfill": backfill.backfill_id})
    for run in instance.get_runs(filters):
        assert finished(instance, run.run_id).status == dg.DagsterRunStatus.SUCCESS
    records = {one.dagster_run.tags["dagster/partition"]: one for one in instance.get_run_records(filters)}
    assert len(records) == 4
    for problem in ("chain_sum-0000", "chain_sum-0001"):
        first, second = records[f"t00|{problem}"], records[f"t01|{problem}"]
        assert first.end_time is not None
        assert second.start_time is not None
        assert first.end_time <= second.start_time


def a_cell_shows_what_was_made(person: Person, instance: dg.DagsterInstance) -> None:
    person.open("/assets/scripted/rollouts?view=partitions")
    person.click("t01")
    person.click("chain_sum-0001")
    person.see("t01|chain_sum-0001")
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(dg.AssetKey(["scripted", "rollouts"]), asset_partitions=["t01|chain_sum-0001"]), limit=5
    ).records
    assert len(records) == 1
    made = records[0].asset_materialization
    assert made is not None
    for key in ("digest", "prompt_tokens", "completion_tokens", "mean_verifier_score"):
        assert person.metadata(key) == [str(made.metadata[key].value)]
    head, *rollouts = person.rows("rollouts")
    assert head == ["rollout", "branch", "answer", "verifier mean", "grade", "tokens"]
    assert [row[0] for row in rollouts] == ["r0t01c0", "r0t01c1", "r0t01c2"]


def a_campaign_is_launched(person: Person, instance: dg.DagsterInstance) -> None:
    person.open("/locations/tmas/jobs/scripted_campaign/playground")
    person.press("Launch Run")
    until(lambda: "/runs/" in person.browser.current_url, "the page of the run opens")
    run = finished(instance, person.browser.current_url.rpartition("/runs/")[2].partition("?")[0])
    assert run.status == dg.DagsterRunStatus.SUCCESS
    person.see("Success")
    person.open("/assets/scripted/summary")
    assert [row[0] for row in person.rows("scores")] == ["iteration", "t00", "t01"]
    person.click("[Show Markdown]")
    [curve] = until(lambda: person.shown("//*[@role='dialog']//img"), "the curve")
    until(lambda: int(curve.get_property("naturalWidth") or 0) > 600, "the curve is a picture")
