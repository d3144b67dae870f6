"""How long the report site takes, and how large it gets: 50 problems x 20 iterations x 32 answers, written without a model.

Bars: all pages with their summary in 2 minutes, index and page of the experiment below 2 MB each, and nothing on Chromium's console. Also
printed: pages again with nothing new and with one missing, and peak memory.

    python -m bench.report_site [--home FOLDER] [--problems 50] [--iterations 20] [--candidates 8] [--repeats 4]

FOLDER keeps the cells: a second run with the same sizes finds them. Without Debian's chromium and chromium-driver no page is opened, and said.
"""

import json
import resource
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench._synthetic_cells import experiment, sizes, write_cells
from resources.deployment import Deployment
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.summary import summarise
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.problems import read_table
from tmas_assets.engine.site.cell_pages import PagesMade, write_cell_pages
from tmas_assets.records import Experiment, Problem

SECONDS_BAR, FIRST_PAGE_BAR = 120, 2_000_000


class _Clock:
    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    @property
    def wall(self) -> float:
        return time.perf_counter() - self._wall

    @property
    def cpu(self) -> float:
        return time.process_time() - self._cpu

    def __str__(self) -> str:
        return f"{self.wall:7.1f} s, of them {self.cpu:6.1f} s CPU"


def _peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _pages(deployment: Deployment, cells: CellStore, problems: tuple[Problem, ...], what: str) -> PagesMade:
    files = gather(cells, problems).files
    before, clock = _peak(), _Clock()
    made = write_cell_pages(Path(deployment.reports), cells, problems, files)
    print(f"{what:34} {clock}; {made.rendered} rendered, {made.kept} kept; peak memory {_peak():.0f} MiB, {before:.0f} before")
    return made


def _console(pages: list[Path], profile: Path) -> list[str]:
    """What Chromium's console holds after each of the pages."""
    from tests.reports.browser import started

    found = []
    with started(profile) as browser:
        for page in pages:
            browser.get(page.as_uri())
            found += [f"{page.name}: {line['message']}" for line in browser.get_log("browser")]  # type: ignore[no-untyped-call]
    return found


def main() -> int:
    given = sizes(__doc__).parse_args()
    with TemporaryDirectory() as temporary:
        return measure(experiment(given.problems, given.iterations, given.candidates, given.repeats), (given.home or Path(temporary)).absolute())


def measure(asked: Experiment, folder: Path) -> int:
    """0 where the bars hold."""
    deployment = Deployment(
        home=str(folder / "home"), reports=str(folder / "reports"), store_root=str(folder / "store"),
        call_log_url=f"sqlite:///{folder}/calls.sqlite", serve_python="/nonexistent/python", grading_workers=1,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    if next(deployment.store().partitions((asked.name, "benchmark_scores"), cells_of(deployment, asked).variant), None) is None:
        write_cells(deployment, asked)
    top = Path(deployment.reports)
    shutil.rmtree(top, ignore_errors=True)
    cells, problems = cells_of(deployment, asked), read_table(deployment.store(), asset_name(asked.benchmark)).problems
    clock = _Clock()
    _pages(deployment, cells, problems, "pages of problems and iterations")
    seconds, cpu = clock.wall, clock.cpu
    assert _pages(deployment, cells, problems, "again, nothing new").rendered == 0
    (top / asked.name / problems[0].id / f"t{asked.iterations - 1:02d}.html").unlink()
    assert _pages(deployment, cells, problems, "again, one page missing").rendered == 1
    clock = _Clock()
    made = summarise(deployment, asked)
    seconds, cpu = seconds + clock.wall, cpu + clock.cpu
    everything = list(top.rglob("*.html"))
    first = {page.name: page.stat().st_size for page in (top / "index.html", made.page)}
    largest = max(everything, key=lambda path: path.stat().st_size)
    print(f"{len(everything):,} pages, {sum(path.stat().st_size for path in everything) / 2**20:.0f} MiB, largest {largest.stat().st_size / 1e6:.2f} MB")
    shown = shutil.which("chromium") is not None and shutil.which("chromedriver") is not None
    console = _console([top / "index.html", made.page, largest.parent / "index.html", largest], folder / "profile") if shown else []
    held = seconds < SECONDS_BAR and max(first.values()) < FIRST_PAGE_BAR and not console
    print(json.dumps({
        "bench": "report_site", "seconds": round(seconds), "cpu_seconds": round(cpu), "seconds_bar": SECONDS_BAR, "first_pages_bytes": first,
        "first_page_bar": FIRST_PAGE_BAR, "console": console if shown else "not looked at: apt-get install chromium chromium-driver", "held": held,
    }))  # fmt: skip
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
