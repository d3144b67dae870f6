"""The page in a real browser: nothing of a model's text runs, and what should be seen is seen.

Needs Debian's chromium and chromium-driver; skipped only where they are absent.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.reports.browser import needs_browser, started
from tmas_assets.reports.experiment_page import experiment_page
from tmas_assets.reports.experiment_report import ExperimentReport

pytestmark = needs_browser

PROBLEMS, ITERATIONS = 12, 5
ATTACK = (
    """</pre></title></style><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    """<svg onload="document.title='owned'"><a href="javascript:document.title='owned'" id=trap>solution</a>"""
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with started(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def opened(
    browser: webdriver.Chrome, report_of: Callable[..., ExperimentReport], tmp_path: Path
) -> webdriver.Chrome:
    """The page of a report whose description, model and first problem are attacks, freshly loaded."""
    report = report_of(PROBLEMS, ITERATIONS)
    first = report.problems[0].model_copy(update={"problem": ATTACK, "statement": ATTACK})
    models = tuple(used.model_copy(update={"model": ATTACK}) for used in report.models)
    attacked = {"problems": (first, *report.problems[1:]), "models": models, "description": ATTACK}
    file = tmp_path / "page.html"
    file.write_text(experiment_page(report.model_copy(update=attacked)), encoding="utf-8")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.get(file.as_uri())
    return browser


def shown(browser: webdriver.Chrome, selector: str) -> int:
    """How many elements match and take up room on the page."""
    count = "return [...document.querySelectorAll(arguments[0])].filter(e => e.getClientRects().length).length"
    found = browser.execute_script(count, selector)
    assert isinstance(found, int)
    return found


def test_text_of_models_and_problems_neither_runs_nor_becomes_elements(opened: webdriver.Chrome) -> None:
    assert opened.title == "tmas_imo on imo_answerbench"
    assert opened.execute_script("return document.scripts.length") == 0
    assert opened.find_elements(By.ID, "trap") == []
    assert opened.find_element(By.CSS_SELECTOR, "p.lead").text == ATTACK
    # Neither an error nor a blocked script or picture: there was nothing to block.
    assert opened.get_log("browser") == []


def test_tables_and_heat_map_are_there_to_be_seen(opened: webdriver.Chrome) -> None:
    assert shown(opened, "table.scores tbody tr") == ITERATIONS
    assert shown(opened, "table.heat.right td") == PROBLEMS * ITERATIONS
    assert shown(opened, "table.heat.verifier td") == 0
    assert shown(opened, "#tokens tbody tr") == 6
    loaded = "return [...document.images].every(one => one.complete && one.naturalWidth > 100)"
    assert opened.execute_script(loaded)
    assert opened.execute_script("return document.images.length") == 4


def test_the_switch_changes_the_map_without_a_script(opened: webdriver.Chrome) -> None:
    opened.find_element(By.CSS_SELECTOR, "label[for=map-verifier]").click()
    assert shown(opened, "table.heat.verifier td") == PROBLEMS * ITERATIONS
    assert shown(opened, "table.heat.right td") == 0


def test_a_problem_id_opens_its_statement(opened: webdriver.Chrome) -> None:
    assert not opened.find_element(By.ID, "problem-1").is_displayed()
    opened.find_element(By.CSS_SELECTOR, "table.heat.right tbody a").click()
    statement = opened.find_element(By.ID, "problem-1")
    assert statement.is_displayed()
    assert statement.text == ATTACK


def test_a_phone_scrolls_tables_and_never_the_page(opened: webdriver.Chrome) -> None:
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    opened.refresh()
    assert opened.execute_script("return document.documentElement.scrollWidth") == 390
    assert shown(opened, "table.heat.right td") == PROBLEMS * ITERATIONS
    narrow = "const one = document.querySelector('#scores picture'); return one.querySelector('img').currentSrc === "
    assert opened.execute_script(f"{narrow} one.querySelectorAll('source')[1].srcset")


def test_the_dark_look_changes_ground_and_pictures(opened: webdriver.Chrome) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    picture = "return document.querySelector('#scores picture img').currentSrc"
    looks = []
    for scheme in ("light", "dark"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        opened.refresh()
        looks.append((opened.execute_script(ground), opened.execute_script(picture)))
    assert looks[0][0] == "rgb(246, 248, 249)"
    assert looks[1][0] == "rgb(18, 22, 28)"
    assert looks[0][1] != looks[1][1]
