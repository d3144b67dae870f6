"""The report site of real campaigns on hostile replies: every link leads somewhere, no text acts, only what changed is made anew.

Six strategies, so that what any of them yields has a sensible page. Browser tests are skipped only where there is no Chromium.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dagster as dg
import pytest

from tests.reports.browser import needs_browser, started
from tests.scripted import launch
from tests.scripted.replies import Asked, Reply, default
from tests.whole.conftest import Project
from tests.whole.experiments import deployment, experiment
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.assets.site import make_site
from tmas_assets.assets.summary import summarise
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.site.cell_pages import write_cell_pages
from tmas_assets.memory import live
from tmas_assets.records import Experiment
from tmas_assets.reports.site.solved import solved

ATTACK = (
    """</pre></details></title></style><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    """<a href="javascript:document.title='owned'">[x](javascript:1)</a> **bold** \u202egnorw\u0000 {{ 7 * 7 }} &lt;b&gt;"""
)
STRATEGIES = {
    "tmas": {"candidates": 3, "verifications": 2, "epsilon": 0.4},
    "rse": {"population": 2},
    "mas_tts": {"experts": 2, "critic_iterations": 1},
    "tree_of_thoughts": {"steps": 2, "keep": 1, "proposals": 2, "evaluations": 1},
    "verify_refine": {"candidates": 2, "verifications": 1, "refinements": 1},
    "self_consistency": {"samples": 3},
}
URLS = ("href", "src", "srcset", "action", "data", "poster", "background", "formaction", "xlink:href")


def hostile(asked: Asked) -> Reply:
    """The default reply with the attack in every free text of it."""
    content = default(asked).content or ""
    try:
        found = json.loads(content)
    except ValueError:
        return Reply(f"{ATTACK}\n\n{content}")
    return Reply(json.dumps(_attacked(found)))


def _attacked(value: object) -> object:
    if isinstance(value, dict):
        return {name: _attacked(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_attacked(part) for part in value]
    return f"{value} {ATTACK}" if isinstance(value, str) and " " in value else value


@dataclass
class Page(HTMLParser):
    """What a browser would make of a page."""

    path: Path
    tags: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.attributes.add(name)
            if name in URLS and not (value or "").startswith("data:image/svg+xml;base64,"):
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def pages_of(top: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(top.rglob("*.html"))}


def asked(url: str, name: str, iterations: int, **change: object) -> Experiment:
    repeats = 2 if name == "tmas" else 1
    default_ = {"urls": [url], "model": "scripted", "revision": "1", "structured_output": True}
    return experiment(
        url, name=f"site_{name}", strategy={"name": name, "settings": STRATEGIES[name]}, iterations=iterations, repeats=repeats,
        benchmark={
            "name": "reasoning_gym", "release": "tests", "limit": 2,
            "settings": {"tasks": [{"name": "chain_sum"}], "size": 4, "seed": 5},
        },
        endpoints={"default": default_}, **change,
    )  # fmt: skip


@dataclass(frozen=True)
class Site:
    folder: Path
    url: str

    @property
    def top(self) -> Path:
        return self.folder / "reports"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    home = folder / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with dg.DagsterInstance.local_temp(str(home)) as instance, launch.thread(script=hostile) as server:
        for name in STRATEGIES:
            Project(asked(server.url, name, 1 if name == "self_consistency" else 2), folder, instance).run()
        yield Site(folder, server.url)


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[Path, Page]:
    return pages_of(site.top)


def test_every_link_leads_to_a_page_and_a_place_on_it_and_every_page_is_led_to(site: Site, pages: dict[Path, Page]) -> None:
    reached = {site.top / "index.html"}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            assert (parts.scheme, parts.netloc, parts.path[:1] == "/") == ("", "", False), (path, link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target in pages, f"{path}: {link} leads to no page"
            assert not parts.fragment or unquote(parts.fragment) in pages[target].ids, f"{path}: {link} leads to no place"
            reached.add(target)
    assert reached == set(pages)
    cells = sum(2 * (1 if name == "self_consistency" else 2) for name in STRATEGIES)
    assert len(pages) == 1 + len(STRATEGIES) + 2 * len(STRATEGIES) + cells


def test_no_text_of_a_model_becomes_an_element_and_no_page_names_a_folder_of_this_machine(site: Site, pages: dict[Path, Page]) -> None:
    attacked = 0
    for path, page in pages.items():
        assert not {"script", "iframe", "object", "embed", "form", "link", "base"} & set(page.tags), path
        assert not [name for name in page.attributes if name.startswith("on")], path
        assert len(page.ids) == len(set(page.ids)), path
        text = "".join(page.text)
        attacked += "<script>document.title='owned'</script>" in text
        assert not {"\u202e", "\x00"} & set(text), path
        assert str(site.folder) not in path.read_text(encoding="utf-8"), path
    assert attacked >= len(STRATEGIES) * 2


def test_a_problem_page_has_a_mark_for_every_rollout_and_a_line_for_every_entry(site: Site, pages: dict[Path, Page]) -> None:
    place = deployment(site.folder)
    for name in STRATEGIES:
        cells = cells_of(place, asked(site.url, name, 2))
        problem = table_of(place, cells.experiment).problems[0]
        page = pages[site.top / cells.experiment.name / problem.id / "index.html"]
        marks = [link for link in page.links if "#" in link and link.partition("#")[2].startswith("r")]
        read = [cells.read(t, problem)[0] for t in range(1 if name == "self_consistency" else 2)]
        rollouts = [rollout.id for rounds in read for one in rounds for rollout in one.rollouts]
        assert sorted(link.partition("#")[2] for link in marks) == sorted(rollouts)
        entries = sum(len(one.memory.entries) for one in read[-1])
        assert "".join(page.text).count("read from ") == entries
        assert name not in ("tmas", "rse") or entries


def test_turns_of_roles_that_write_no_bank_are_shown(site: Site, pages: dict[Path, Page]) -> None:
    place = deployment(site.folder)
    cells = cells_of(place, asked(site.url, "mas_tts", 2))
    problem = table_of(place, cells.experiment).problems[0]
    turns = [turn for one in cells.read(1, problem)[0] for turn in one.memory.turns]
    assert turns
    text = "".join(pages[site.top / cells.experiment.name / problem.id / "t01.html"].text)
    assert all(turn.id in text for turn in turns)


def test_lines_that_a_page_says_prompts_held_are_those_in_the_prompts(site: Site) -> None:
    place = deployment(site.folder)
    cells = cells_of(place, asked(site.url, "tmas", 2))
    held_anything = 0
    with closing(place.call_log()) as log:
        for problem in table_of(place, cells.experiment).problems[:2]:
            before = {one.repeat: one.memory for one in cells.read(0, problem)[0]}
            for round_ in cells.read(1, problem)[0]:
                memory = before[round_.repeat]
                for shown in solved(cells.experiment.strategy, round_, (), memory).shown:
                    for id_ in shown.rollouts:
                        rollout = next(one for one in round_.rollouts if one.id == id_)
                        call = asyncio.run(log.get(rollout.trace.call))
                        assert call is not None
                        prompt = "\n".join(message.content for message in call.request.messages)
                        there = [entry.id for entry in live(memory.entries, shown.bank) if f"\n{entry.id} ({entry.polarity}) " in prompt]
                        assert tuple(there) == shown.entries
                        held_anything += len(there)
    assert held_anything


def stamps(site: Site, name: str) -> dict[str, int]:
    top = site.top / name
    return {str(path.relative_to(top)): path.stat().st_ino for path in top.rglob("*.html")}


def test_nothing_new_renders_nothing_a_new_iteration_only_what_it_touches_and_a_problem_that_is_gone_takes_its_pages(site: Site) -> None:
    place, name = deployment(site.folder), "site_verify_refine"
    cells = cells_of(place, asked(site.url, "verify_refine", 2))
    problems = table_of(place, cells.experiment).problems[:2]
    files = gather(cells, problems).files
    assert write_cell_pages(site.top, cells, problems, files).rendered == 0
    before = stamps(site, name)
    # as if the second iteration had not been there yet
    earlier = [file for file in files if file.partition.startswith("t00/")]
    made = write_cell_pages(site.top, cells, problems, earlier)
    assert (made.rendered, made.removed) == (4, 2)  # each first iteration loses its way on, each problem a row
    back = write_cell_pages(site.top, cells, problems, files)
    assert (back.rendered, back.removed) == (6, 0)
    assert stamps(site, name).keys() == before.keys()
    one = [file for file in files if file.partition.endswith(f"/{problems[0].id}")]
    assert write_cell_pages(site.top, cells, problems[:1], one).removed == 3
    assert not (site.top / name / problems[1].id).exists()
    summarise(place, cells.experiment)
    assert stamps(site, name).keys() == before.keys()


def test_other_files_and_pages_of_people_are_never_taken_away(site: Site) -> None:
    place, name = deployment(site.folder), "site_rse"
    cells = cells_of(place, asked(site.url, "rse", 2))
    problems = table_of(place, cells.experiment).problems[:2]
    files = gather(cells, problems).files
    beside = site.top / name / problems[1].id
    (beside / "notes.html").write_text("<p>mine</p>")
    write_cell_pages(site.top, cells, problems[:1], [file for file in files if file.partition.endswith(problems[0].id)])
    assert [path.name for path in beside.iterdir()] == ["notes.html"]
    (beside / "notes.html").unlink()
    write_cell_pages(site.top, cells, problems, files)


def test_pages_of_experiments_that_are_stated_no_more_go_and_the_index_forgets_them(site: Site) -> None:
    place = deployment(site.folder)
    gone, kept = asked(site.url, "self_consistency", 1), [asked(site.url, name, 2) for name in STRATEGIES if name != "self_consistency"]
    made = make_site(place, kept)
    assert made.removed == ("site_self_consistency",)
    assert not (site.top / "site_self_consistency.html").exists()
    index = Page(site.top / "index.html")
    assert sorted(index.links) == sorted(f"{one.name}.html" for one in kept)
    summarise(place, gone)
    assert "site_self_consistency.html" in Page(site.top / "index.html").links


def test_a_page_that_cannot_be_written_leaves_the_old_one_and_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file where a folder is needed")
    place = deployment(site.folder, reports=str(tmp_path / "reports"))
    cells = cells_of(place, asked(site.url, "rse", 2))
    with pytest.raises(dg.Failure, match=r"page .*/reports/site_rse/.*could not write .* TMAS_REPORTS"):
        summarise(place, cells.experiment)


@needs_browser
def test_pages_open_in_a_browser_without_errors_at_both_widths(site: Site, tmp_path: Path) -> None:
    top = site.top
    names = ["index.html", "site_tmas.html", *(f"site_{name}/chain_sum-0000/{page}" for name in STRATEGIES for page in ("index.html", "t00.html"))]
    with started(tmp_path / "profile") as browser:
        for width in (1280, 390):
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
            )
            for name in names:
                browser.get((top / name).as_uri())
                browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
                assert browser.title != "owned", name
                assert browser.get_log("browser") == [], name
                wide = browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert wide <= 0, f"{name} at {width} pixels scrolls sideways"
