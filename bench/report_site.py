"""How long the report site takes, and how large it gets: 50 problems x 20 iterations x 32 answers, written without a model.

Prints the cells' own making apart, then the site: the first time, with nothing new, and with one problem's last iteration made again;
the size of the first pages, peak memory, and, with --browser and Debian's Chromium, seconds until they stand there without an error.

    python -m bench.report_site FOLDER [--problems 50] [--iterations 20] [--candidates 8] [--repeats 4] [--browser]

FOLDER keeps the cells: a second run with the same sizes finds them.
"""

import argparse
import resource
import shutil
import time
from pathlib import Path

from bench._synthetic_cells import experiment, write_cells
from resources.deployment import Deployment
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.summary import summarise
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.problems import read_table
from tmas_assets.engine.site.cell_pages import PagesMade, write_cell_pages
from tmas_assets.records import Problem


class _Clock:
    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        return f"{time.perf_counter() - self.wall:7.1f} s, of them {time.process_time() - self.cpu:6.1f} s CPU"


def _peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _pages(deployment: Deployment, cells: CellStore, problems: tuple[Problem, ...], what: str) -> PagesMade:
    files = gather(cells, problems).files
    before, clock = _peak(), _Clock()
    made = write_cell_pages(Path(deployment.reports), cells, problems, files)
    print(f"{what:34} {clock}; {made.rendered} rendered, {made.kept} kept; peak memory {_peak():.0f} MiB, {before:.0f} before")
    return made


def _opened(pages: list[Path], profile: Path) -> None:
    from tests.reports.browser import started

    with started(profile) as browser:
        for page in pages:
            clock = _Clock()
            browser.get(page.as_uri())
            seen = browser.get_log("browser")  # type: ignore[no-untyped-call]
            print(f"{page.name:34} {clock} until it stands; console: {seen or 'nothing'}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the report site on synthetic cells.")
    parser.add_argument("folder", type=Path)
    for name, default in (("problems", 50), ("iterations", 20), ("candidates", 8), ("repeats", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    folder: Path = given.folder.absolute()
    deployment = Deployment(
        home=str(folder / "home"), reports=str(folder / "reports"), store_root=str(folder / "store"),
        call_log_url=f"sqlite:///{folder}/calls.sqlite", serve_python="/nonexistent/python", grading_workers=1,
    )  # fmt: skip
    asked = experiment(given.problems, given.iterations, given.candidates, given.repeats)
    folder.mkdir(parents=True, exist_ok=True)
    clock = _Clock()
    if next(deployment.store().partitions((asked.name, "benchmark_scores"), cells_of(deployment, asked).variant), None) is None:
        write_cells(deployment, asked)
        print(f"{'cells written':34} {clock}")
    shutil.rmtree(deployment.reports, ignore_errors=True)
    cells, problems = cells_of(deployment, asked), read_table(deployment.store(), asset_name(asked.benchmark)).problems
    assert _pages(deployment, cells, problems, "pages of problems and iterations").kept == 0
    assert _pages(deployment, cells, problems, "again, nothing new").rendered == 0
    last = Path(deployment.reports) / asked.name / problems[0].id / f"t{given.iterations - 1:02d}.html"
    last.unlink()
    assert _pages(deployment, cells, problems, "again, one page missing").rendered == 1
    clock = _Clock()
    made = summarise(deployment, asked)
    print(f"{'summary with its page and index':34} {clock}")
    top = Path(deployment.reports)
    everything = [path for path in top.rglob("*.html")]
    print(f"{len(everything):,} pages, {sum(path.stat().st_size for path in everything) / 2**20:.0f} MiB")
    first = [top / "index.html", made.page]
    largest = max(everything, key=lambda path: path.stat().st_size)
    for path in (*first, largest):
        print(f"{path.relative_to(top)!s:34} {path.stat().st_size / 1e6:.2f} MB")
    if given.browser:
        _opened([*first, largest.parent / "index.html", largest], folder / "profile")


if __name__ == "__main__":
    main()
