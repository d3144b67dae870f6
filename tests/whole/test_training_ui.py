"""A training run in the real web server: ended by the button, killed, trained to its end; what its pages then show.

Asked as the pages ask, over the server's GraphQL, and once looked at in a browser. What is trained is the subject of other tests.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import dagster as dg
import psutil
import pytest
from selenium.webdriver.common.by import By

from tests.scripted import launch
from tests.whole import training_location
from tests.whole.campaign import ROOT
from tests.whole.test_ui import CHROMIUM, DRIVER, PATIENCE, Person, chromium, in_session, until
from tests.whole.training_runs import Place, Stated, grpo, prepared
from tmas_assets.commands.dagster_home import make_schema
from tmas_assets.records import Experiment

pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("trl")]
WITHIN = 10.0
"""Seconds in which nothing of a trainer may be left."""
_LAUNCH = """mutation($p: ExecutionParams!) {launchPipelineExecution(executionParams: $p) {
    __typename ... on LaunchRunSuccess {run {runId}} ... on PythonError {message}}}"""
_TERMINATE = """mutation($r: [String!]!) {terminateRuns(runIds: $r, terminatePolicy: SAFE_TERMINATE) {
    ... on TerminateRunsResult {terminateRunResults {__typename}}}}"""
_RUN = """query($r: ID!) {runOrError(runId: $r) {... on Run {status}}
    logsForRun(runId: $r) {... on EventConnection {events {... on MessageEvent {message}}}}}"""
_GRAPH = "{assetNodes {assetKey {path} dependencyKeys {path} description}}"


@dataclass(frozen=True)
class Site:
    url: str
    place: Place

    def ask(self, query: str, **variables: Any) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        answer = json.load(urlopen(Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"}), timeout=60))
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def materialize(self, training: str, partition: str) -> str:
        """The run's id, as the page of the asset launches it."""
        where = {
            "repositoryLocationName": "tmas", "repositoryName": "__repository__", "pipelineName": "__ASSET_JOB",
            "assetSelection": [{"path": [training, "grpo_checkpoint"]}], "assetCheckSelection": None,
        }  # fmt: skip
        tags = {"tags": [{"key": "dagster/partition", "value": partition}]}
        asked = {"selector": where, "runConfigData": {}, "mode": "default", "executionMetadata": tags}
        said = self.ask(_LAUNCH, p=asked)["launchPipelineExecution"]
        assert said["__typename"] == "LaunchRunSuccess", said
        return str(said["run"]["runId"])

    def status(self, run: str) -> str:
        return str(self.ask(_RUN, r=run)["runOrError"]["status"])

    def said(self, run: str) -> list[str]:
        """Every line of the run's log."""
        return [event.get("message", "") for event in self.ask(_RUN, r=run)["logsForRun"]["events"]]

    def ended(self, run: str) -> str:
        return until(lambda: (now := self.status(run)) in ("SUCCESS", "FAILURE", "CANCELED") and now, f"run {run} ends") or ""

    def steps(self, run: str) -> list[int]:
        """Optimizer steps that the run's log tells of; fails as soon as the run has failed."""
        lines = self.said(run)
        assert not (failed := [line for line in lines if " failed" in line]), failed
        return [int(line.split()[1]) for line in lines if line.startswith("step ")]


def _measured(model: str) -> Experiment:
    return Experiment.model_validate({
        "name": "measured", "strategy": {"name": "single"}, "iterations": 1,
        "benchmark": {"name": "reasoning_gym", "release": "tests", "settings": {"tasks": [{"name": "chain_sum"}], "size": 4, "seed": 5}},
        "endpoints": {"default": {"managed": {"model": model, "iteration": 1}}},
    })  # fmt: skip


@pytest.fixture(scope="module")
def site(curating: launch.Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A web server on prompts that are made, a short training and one without end."""
    folder = tmp_path_factory.mktemp("trained")
    with prepared(curating.url, folder) as made:
        short = {"iterations": 2, "steps": 2, "prompts": 2, "samples": 4, "most_truncated": 1.0, "rollouts": {"max_tokens": 8}}
        body = short | {"rewards": [{"name": "correctness"}]}
        model = str(made.folder / "model")
        trainings = (grpo("tiny", model, grpo=body), grpo("endless", model, grpo=body | {"steps": 5000}, launch={"grace_seconds": 8}))
        place = replace(made, stated=Stated(made.stated.cold, made.stated.traces, trainings))
        training_location.write(folder, place.stated, [_measured("tiny")])
        assert place.build("cold").success
        process, url = _web_server(folder)
        try:
            until(lambda: urlopen(f"{url}/server_info").status == 200, "the web server answers")
            yield Site(url, place)
        finally:
            for one in in_session(process.pid):
                one.kill()
            process.wait()


def _web_server(folder: Path) -> tuple["subprocess.Popen[bytes]", str]:
    """In a session of its own, and its address; runs start in it at once, in processes of their own."""
    home = folder / "dagster"
    (home / "dagster.yaml").write_text(
        "telemetry: {enabled: false}\nnux: {enabled: false}\n"
        "run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}\n"
    )
    (folder / "workspace.yaml").write_text(
        "load_from:\n  - python_module: {module_name: tests.whole.training_location, location_name: tmas, "
        f"working_directory: {ROOT}}}\n"
    )
    with pytest.MonkeyPatch.context() as patch, socket.socket() as taken, (folder / "web.log").open("wb") as log:
        patch.setenv("DAGSTER_HOME", str(home))
        patch.setenv("TMAS_TEST_FOLDER", str(folder))
        patch.setenv("PYTHONWARNINGS", "ignore")
        make_schema(home)
        with dg.DagsterInstance.get() as instance:
            # no daemon is here to take back the slot of a run that is killed
            instance.event_log_storage.set_concurrency_slots("trainer", 4)
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.close()
        # without `env` a test run in the background would hand its ignored interrupts down
        command = ["env", "--default-signal=INT", sys.executable, "-m", "dagster_webserver", "-w", "workspace.yaml", "-p", str(port)]
        process = subprocess.Popen(command, cwd=folder, env={**os.environ}, stdout=log, stderr=log, start_new_session=True)
    return process, f"http://127.0.0.1:{port}"


def _tree(place: Place) -> list[psutil.Process]:
    """The trainer's guard and all below it: launcher, ranks, graders."""
    guards = [one for one in place.processes() if "resources.serving.process_guard" in one.cmdline()]
    found = [below for guard in guards for below in (guard, *guard.children(recursive=True))]
    assert len(found) > 2, "no trainer was seen"
    return found


def _gone(tree: list[psutil.Process], place: Place, since: float) -> None:
    """Fails where anything is left after `WITHIN`."""
    left: list[Any] = tree
    while left and time.monotonic() - since < WITHIN:
        time.sleep(0.05)
        left = [one for one in tree if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    assert not left
    assert not place.processes()


def _states(place: Place) -> list[int]:
    """Steps whose state is whole."""
    return sorted(int(mark.parent.name.rpartition("-")[2]) for mark in (place.folder / "home/trainers/endless").glob("*/states/*/whole.json"))


def test_terminate_ends_all_of_a_trainer_with_its_state_saved_and_a_killed_run_leaves_nothing(site: Site) -> None:
    place = site.place
    run = site.materialize("endless", "t00")
    until(lambda: len(site.steps(run)) > 1, "two steps in the log")
    tree, since = _tree(place), time.monotonic()
    [done] = site.ask(_TERMINATE, r=[run])["terminateRuns"]["terminateRunResults"]
    assert done["__typename"] == "TerminateRunSuccess"
    _gone(tree, place, since)
    assert site.ended(run) == "CANCELED"
    assert (last := max(_states(place))) >= 2
    assert any(f"has saved its state after step {last}" in line for line in site.said(run))

    run = site.materialize("endless", "t00")
    steps = until(lambda: site.steps(run), "a step in the log of the next run")
    assert steps[0] == last + 1
    tree = _tree(place)
    worker = tree[0].parent()
    assert worker is not None
    assert worker.pid != os.getpid()
    worker.send_signal(signal.SIGKILL)
    _gone(tree, place, time.monotonic())
    assert site.ended(run) == "FAILURE"
    assert max(_states(place)) >= last


def test_an_iteration_that_the_page_trains_shows_its_origin_figures_curves_and_checks(site: Site, tmp_path: Path) -> None:
    run = site.materialize("tiny", "t00")
    assert site.ended(run) == "SUCCESS", site.said(run)
    assert site.steps(run) == [1, 2]
    graph = {"/".join(one["assetKey"]["path"]): one for one in site.ask(_GRAPH)["assetNodes"]}
    above = {"/".join(key["path"]) for key in graph["tiny/grpo_checkpoint"]["dependencyKeys"]}
    assert above >= {"tiny/rl_prompts", "tiny/grpo_checkpoint"}
    assert {"path": ["tiny", "grpo_checkpoint"]} in graph["measured/rollouts"]["dependencyKeys"]
    if not (CHROMIUM and DRIVER):
        return
    checkpoint = site.place.found("tiny", 0)
    with chromium(tmp_path) as browser:
        person = Person(browser, site.url)
        person.open("/assets/tiny/grpo_checkpoint")
        assert person.metadata("digest")[-1] == checkpoint.checkpoint.digest
        assert person.metadata("folder")[-1] == str(checkpoint.folder)
        head, *origin = person.rows("made_from")
        assert head == ["what", "which"]
        assert dict(origin)["rows"].startswith("tiny/rl_prompts")
        assert "correctness (samples)" in person.rows("figures")[0]
        lines = browser.find_elements(By.XPATH, "//*[normalize-space(text())='[Show Markdown]']")
        lines[-1].click()
        [curves] = until(lambda: person.shown("//*[@role='dialog']//img"), "the curves", PATIENCE)
        until(lambda: int(curves.get_property("naturalWidth") or 0) > 600, "the curves are a picture")
