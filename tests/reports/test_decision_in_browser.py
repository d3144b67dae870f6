"""The page of a decision in a real browser: nothing that a model, a person or a file says runs or becomes an element.

Needs Debian's chromium and chromium-driver; skipped only where they are absent.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from tests.reports.decided import report
from tmas_assets.reports.decision_report import decision_page

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs the packages chromium and chromium-driver")
ATTACK = (
    """</pre></title></style></details><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    """<svg onload="document.title='owned'"><a href="javascript:document.title='owned'" id=trap>report</a>{{ 7 * 7 }}"""
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield started
    started.quit()


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
    assert opened.execute_script("return document.querySelectorAll('svg, a').length") == 0
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
