"""Makes the pictures of the README: the demo's summary in the Dagster UI, and its report.

    make pictures        # runs the demo first, which costs nothing where it was run before; needs chromium and chromedriver
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
from urllib.error import URLError
from urllib.request import urlopen

from selenium import webdriver
from selenium.webdriver.common.by import By

from resources.deployment import Deployment

HERE = Path(__file__).resolve().parent
TMAS = str(Path(sys.executable).with_name("tmas"))
PATIENCE = 180.0
WIDTH, HEIGHT = 1440, 900


def until(look: Callable[[], object], what: str) -> None:
    """Wait until `look` finds something. Raises TimeoutError."""
    end = time.monotonic() + PATIENCE
    while not look():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {PATIENCE:g} s: {what}")
        time.sleep(0.5)


@contextmanager
def dagster_ui() -> Iterator[str]:
    """The UI on a free port, as `tmas ui` starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return bool(urlopen(f"{url}/server_info", timeout=5).status == 200)
        except (URLError, OSError):
            return False

    server = subprocess.Popen([TMAS, "ui", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(answers, "the UI answers")
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(flag)
    options.binary_location = _installed("chromium")
    driver = webdriver.Chrome(options, webdriver.ChromeService(_installed("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def _installed(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        sys.exit(f"{program} is not installed: apt-get install chromium chromium-driver")
    return found


def take(driver: webdriver.Chrome, url: str, text: str, name: str) -> None:
    """A picture of `url` once `text` is on it."""
    driver.get(url)
    until(lambda: driver.find_elements(By.XPATH, f"//*[contains(normalize-space(text()), '{text}')]"), f"{text!r} on {url}")
    time.sleep(3)  # pictures on the page and Dagster's own moving parts
    driver.save_screenshot(str(HERE / f"{name}.png"))
    print(HERE / f"{name}.png")


def main() -> None:
    subprocess.run([TMAS, "run", "demo"], check=True)
    subprocess.run([TMAS, "leaderboard"], check=True)
    reports = Path(Deployment.from_environment().reports)
    os.environ.setdefault("DAGSTER_HOME", str(Path(Deployment.from_environment().home) / "dagster"))
    with browser() as driver:
        take(driver, (reports / "demo.html").as_uri(), "Pass@1 by iteration", "report")
        with dagster_ui() as url:
            take(driver, f"{url}/assets/demo/summary?view=overview", "Pass@1", "dagster")


if __name__ == "__main__":
    main()
