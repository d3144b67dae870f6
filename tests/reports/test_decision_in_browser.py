"""The page of a decision in a real browser: nothing that a model, a person or a file says runs or becomes an element.

Needs Debian's chromium and chromium-driver; skipped only where they are absent.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.reports.browser import needs_browser, started
from tests.reports.decided import report
from tmas_assets.reports.decision_report import decision_page

pytestmark = needs_browser
ATTACK = (
    """</pre></title></style></details><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    """<svg onload="document.title='owned'"><a href="javascript:document.title='owned'" id=trap>report</a>{{ 7 * 7 }}"""
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with started(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def opened(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> webdriver.Chrome:
    """A report in which every text that anybody could have written is the attack."""
    file: Path = tmp_path_factory.mktemp("page") / "decision.html"
    file.write_text(decision_page(report(ATTACK)), encoding="utf-8")
    browser.get(file.as_uri())
    return browser


def test_no_text_runs_or_becomes_an_element(opened: webdriver.Chrome) -> None:
    opened.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert opened.title == f"{ATTACK} decided by decided"
    assert opened.execute_script("return document.scripts.length") == 0
    assert opened.execute_script("return document.images.length") == 0
    assert opened.execute_script("return document.querySelectorAll('svg, main a, header a').length") == 0
    assert opened.find_elements(By.ID, "trap") == []
    assert opened.find_element(By.CSS_SELECTOR, "p.lead").text == ATTACK
    assert opened.get_log("browser") == []


def test_decision_dissent_registers_and_people_are_there_to_be_seen(opened: webdriver.Chrome) -> None:
    def rows(section: str) -> int:
        return len(opened.find_elements(By.CSS_SELECTOR, f"#{section} tbody tr"))

    assert opened.find_element(By.CSS_SELECTOR, ".tiles .main b").text == "No go"
    assert (rows("risks"), rows("calculations"), rows("people"), rows("audit")) == (1, 1, 1, 2)
    assert rows("assumptions") == 3
    assert len(opened.find_elements(By.CSS_SELECTOR, "#dissent li")) == 4
    assert opened.find_element(By.CSS_SELECTOR, "#findings .person").text == f"written by {ATTACK}"


def test_a_phone_scrolls_tables_and_never_the_page(opened: webdriver.Chrome) -> None:
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    opened.refresh()
    assert opened.execute_script("return document.documentElement.scrollWidth") == 390
