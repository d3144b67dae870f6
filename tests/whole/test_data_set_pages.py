"""What a person sees of data sets in the real web server: builds launched in it, the page of every step, checks, what is out of date.

Asked as the pages ask, over the server's GraphQL, and once looked at in a browser. Some problems carry text that would break out of
a page. What the rows are is the subject of other tests.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import dagster as dg
import pytest
from selenium.webdriver.common.by import By

from tests.reports.parsed_markdown import headings, nothing_got_out, tables
from tests.scripted import launch
from tests.whole import data_sets
from tests.whole.built_sets import COLD, TRACES, no_network
from tests.whole.campaign import ROOT
from tests.whole.test_ui import CHROMIUM, DRIVER, PATIENCE, Person, chromium, in_session, until
from tmas_assets.commands.dagster_home import make_schema

pytestmark = pytest.mark.timeout(900)
HOSTILE = {
    "script": (
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> Ada weighs crates in Corvale with an odd "
        "scale. Written out: 3 + 4 * 5. What is it?", "23",
    ),
    "image": (
        "![beacon](http://127.0.0.1:9/beacon.png) Bela paints fences near Fennick on Mondays. In figures: 17 - 2 * 3. "
        "[click](javascript:alert(1)) How many?", "11",
    ),
    "tildes": (
        "~~~\n```\n</code></pre><b>bold</b>\n| a | b |\n~~~~~\nCarla sorts buttons of Garrowby into jars for the fair. "
        "In short: 2 * 9 + 1. How many?\n```", "19",
    ),
}  # fmt: skip
STEPS = {*(f"cold/{step}" for step in COLD), *(f"traces/{step}" for step in TRACES), "practice/rl_prompts"}
FOLDED = 1000
"""Characters from which on a page shows `[Show Markdown]` in the place of Markdown."""
_LAUNCH = """mutation($p: ExecutionParams!) {launchPipelineExecution(executionParams: $p) {
    __typename ... on LaunchRunSuccess {run {runId}} ... on PythonError {message}}}"""
_RUN = """query($r: ID!) {runOrError(runId: $r) {... on Run {status}}
    logsForRun(runId: $r) {... on EventConnection {events {... on ExecutionStepFailureEvent {stepKey error {message}}}}}}"""
_PAGES = """{assetNodes {assetKey {path} staleStatus staleCauses {category key {path}} description
    assetMaterializations(limit: 1) {metadataEntries {label
        ... on IntMetadataEntry {intValue} ... on MarkdownMetadataEntry {mdStr} ... on TableMetadataEntry {table {records}}}}
    assetChecksOrError {... on AssetChecks {checks {name canExecuteIndividually executionForLatestMaterialization {
        status evaluation {success description metadataEntries {label ... on TableMetadataEntry {table {records}}}}}}}}}}"""


@dataclass(frozen=True)
class Site:
    url: str
    folder: Path

    def ask(self, query: str, **variables: Any) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        answer = json.load(urlopen(request, timeout=60))
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def launch(self, job: str, **selection: Any) -> tuple[str, Any]:
        """How a run ended, and the steps that failed."""
        place = {"repositoryLocationName": "tmas", "repositoryName": "__repository__", "pipelineName": job, **selection}
        said = self.ask(_LAUNCH, p={"selector": place, "runConfigData": {}, "mode": "default"})["launchPipelineExecution"]
        assert said["__typename"] == "LaunchRunSuccess", said
        run = said["run"]["runId"]

        def ended() -> Any:
            found = self.ask(_RUN, r=run)
            return found if found["runOrError"]["status"] in ("SUCCESS", "FAILURE", "CANCELED") else None

        found = until(ended, f"the run of {job} ends", 2 * PATIENCE)
        return found["runOrError"]["status"], [event for event in found["logsForRun"]["events"] if event]

    def pages(self) -> dict[str, Any]:
        """By asset: its node, with the metadata of its last materialization by label."""
        found = {}
        for node in self.ask(_PAGES)["assetNodes"]:
            made = node["assetMaterializations"]
            node["shown"] = {entry["label"]: _value(entry) for entry in made[0]["metadataEntries"]} if made else {}
            found["/".join(node["assetKey"]["path"])] = node
        return found

    def reload(self) -> None:
        self.ask("mutation {reloadRepositoryLocation(repositoryLocationName: \"tmas\") {__typename}}")


def _stale(site: Site) -> dict[str, set[str]]:
    """What is out of date, and why."""
    return {
        name: {cause["category"] for cause in page["staleCauses"]}
        for name, page in site.pages().items() if page["staleStatus"] == "STALE"
    }  # fmt: skip


def _value(entry: dict[str, Any]) -> Any:
    if "table" in entry:
        return [json.loads(record) for record in entry["table"]["records"]]
    return entry.get("mdStr", entry.get("intValue"))


@pytest.fixture(scope="module")
def site(curating: launch.Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A web server on two sets that nobody has built; runs start in it at once, in processes of their own."""
    folder = tmp_path_factory.mktemp("pages")
    data_sets.prepare(folder, 44)
    sound = (folder / "problems.jsonl").read_text().splitlines()
    odd = [
        json.dumps({"id": name, "question": text, "answer": gold, "subject": "<b>odd</b>|x", "level": "1", "licence": "CC0-1.0"})
        for name, (text, gold) in HOSTILE.items()
    ]
    (folder / "problems.jsonl").write_text("\n".join([odd[0], *sound, *odd[1:]]) + "\n")
    data_sets.write_sets(folder, *_sets(curating.url, folder))
    home = folder / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text(
        "telemetry: {enabled: false}\nnux: {enabled: false}\n"
        "run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}\n"
    )
    (folder / "workspace.yaml").write_text(
        "load_from:\n  - python_module: {module_name: tests.whole.data_location, location_name: tmas, "
        f"working_directory: {ROOT}}}\n"
    )
    with pytest.MonkeyPatch.context() as patch, socket.socket() as taken:
        no_network(patch)
        patch.setenv("DAGSTER_HOME", str(home))
        patch.setenv("TMAS_TEST_FOLDER", str(folder))
        patch.setenv("PYTHONWARNINGS", "ignore")
        make_schema(home)
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.close()
        with (folder / "web.log").open("wb") as log:
            command = [sys.executable, "-m", "dagster_webserver", "-w", "workspace.yaml", "-p", str(port)]
            process = subprocess.Popen(command, cwd=folder, env={**os.environ}, stdout=log, stderr=log, start_new_session=True)
    try:
        url = f"http://127.0.0.1:{port}"
        until(lambda: urlopen(f"{url}/server_info").status == 200, "the web server answers")
        yield Site(url, folder)
    finally:
        for one in in_session(process.pid):
            one.kill()
        process.wait()


def _sets(url: str, folder: Path, normal: int = 6) -> list[Any]:
    cold = data_sets.cold_start(
        url, folder, targets={"normal": normal, "experience": 3, "guideline": 6},
        simulation={"problems": 8, "iterations": 2, "settings": {"candidates": 2, "verifications": 1}},
    )  # fmt: skip
    return [cold, data_sets.team_traces(url, folder, target=3)]


@pytest.fixture(scope="module")
def built(site: Site) -> Site:
    """The same after one build was launched in it, and the other beside it, which spares a process."""
    status, failed = site.launch("cold_build")
    assert status == "SUCCESS", failed
    with dg.DagsterInstance.from_config(str(site.folder / "dagster")) as instance:
        [made] = data_sets.build(data_sets.stated_in(site.folder)[1:], site.folder, instance)
    assert made.success
    return site


def test_a_build_launched_in_the_web_server_leaves_every_page_whole_and_nothing_out_of_date(built: Site) -> None:
    pages = built.pages()
    assert set(pages) == STEPS
    assert {page["staleStatus"] for page in pages.values()} == {"FRESH"}
    assert all(page["description"] for page in pages.values())
    checks = [check for page in pages.values() for check in page["assetChecksOrError"]["checks"]]
    assert len(checks) > 20
    assert {check["executionForLatestMaterialization"]["status"] for check in checks} == {"SUCCEEDED"}
    assert {check["canExecuteIndividually"] for check in checks} == {"CAN_EXECUTE"}


def test_every_page_shows_rows_counts_by_reason_and_five_rows_without_a_click(built: Site) -> None:
    seen = 0
    for name, page in built.pages().items():
        shown = page["shown"]
        whole, *reasons = shown["counts"]
        assert (int(whole["kept"]), whole["reason"]) == (shown["rows"], "in all"), name
        assert int(whole["came"]) - int(whole["kept"]) == sum(int(line["dropped"]) for line in reasons), name
        assert {line["reason"] for line in reasons} == {line["reason"] for line in shown.get("dropped", [])}, name
        if name.endswith("/data_card"):
            assert headings(shown["card"])[0].startswith("Data set"), name
            continue
        rows = min(5, shown["rows"])
        assert rows > 0, name
        whole_rows = shown["sample_rows"]
        in_full = [title for title in headings(whole_rows) if title.startswith("Row ")] or tables(whole_rows)[0][1:]
        assert len(in_full) == rows, name
        if len(whole_rows) < FOLDED:
            seen += 1
        else:
            places = [line["row"] for line in shown["sample"]]
            assert places == [title.split()[1] if isinstance(title, str) else title[0] for title in in_full], name
            assert all(any(text for column, text in line.items() if column != "row") for line in shown["sample"]), name
    assert seen < len(STEPS) - 2, "no page needed rows in short"


def test_hostile_problems_stay_text_in_the_markdown_of_every_page(built: Site) -> None:
    pages = built.pages()
    for page in pages.values():
        for label, text in page["shown"].items():
            if label in ("sample_rows", "card"):
                nothing_got_out(text, images=label == "card")
    shown = pages["cold/source_problems"]["shown"]["sample_rows"]
    assert HOSTILE["script"][0] in shown.replace("\n", " ")


@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs the Debian packages chromium and chromium-driver")
def test_a_browser_shows_hostile_problems_as_text(built: Site, tmp_path: Path) -> None:
    with chromium(tmp_path) as browser:
        person = Person(browser, built.url)
        person.open("/assets/cold/source_problems")
        head, *lines = person.rows("sample")
        assert head == ["row", "fields", "text"]
        assert len(lines) == 5
        assert "<script>document.title='owned'</script><img src=x" in lines[0][2]
        assert "</code></pre><b>bold</b>" in lines[-1][2]
        person.click("[Show Markdown]")
        [dialog] = until(lambda: person.shown("//*[@role='dialog'][.//table]"), "the sample rows")
        assert "<script>document.title='owned'</script><img src=x" in dialog.text
        assert "</code></pre><b>bold</b>" in dialog.text
        assert "topic <b>odd</b>|x" in " ".join(dialog.text.split())
        assert dialog.find_elements(By.XPATH, ".//img|.//script|.//b|.//a") == []
        widest = browser.execute_script(
            "return Math.max(...[...arguments[0].querySelectorAll('*')].filter(one => one.clientWidth)"
            ".map(one => one.scrollWidth - one.clientWidth))",
            dialog,
        )
        assert widest <= 1, "a text of a row is wider than the page"
        assert "owned" not in browser.title


def test_a_changed_target_dates_its_rows_and_a_step_made_alone_dates_what_reads_it_and_shows_what_its_check_misses(
    built: Site, curating: launch.Running
) -> None:
    data_sets.write_sets(built.folder, *_sets(curating.url, built.folder, normal=500))
    built.reload()
    until(lambda: set(built.pages()) == STEPS, "the location is loaded again")
    assert _stale(built) == {"cold/normal": {"CODE"}}
    normal = {"path": ["cold", "normal"]}
    met = {"assetKey": normal, "name": "targets_met"}
    status, failed = built.launch("__ASSET_JOB", assetSelection=[normal], assetCheckSelection=[met])
    assert status == "SUCCESS", failed
    assert _stale(built) == {"cold/data_card": {"DATA"}, "practice/rl_prompts": {"DATA"}}
    page = built.pages()["cold/normal"]
    rows = page["shown"]["rows"]
    assert 0 < rows < 500
    [found] = [check for check in page["assetChecksOrError"]["checks"] if check["name"] == "targets_met"]
    [others] = {
        check["executionForLatestMaterialization"] is None
        for check in page["assetChecksOrError"]["checks"] if check["name"] != "targets_met"
    }  # fmt: skip
    assert others, "checks that were not asked for ran"
    evaluation = found["executionForLatestMaterialization"]["evaluation"]
    assert not evaluation["success"]
    table = next(_value(entry) for entry in evaluation["metadataEntries"] if entry["label"] == "offending")
    assert table == [{"id": "normal", "what": f"{rows} rows of 500"}]
