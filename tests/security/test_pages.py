"""A model, a benchmark's file and a file of hypotheses that attack every page: each page that a real run writes is opened in a real browser.

Nothing runs, nothing is fetched, no element, link or picture comes of a text; so with the Markdown that Dagster's UI renders. Pages that
are yet to be written are opened too, since whatever lies in the folder of reports is.
"""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from selenium import webdriver

from tests.reports.browser import needs_browser, started
from tests.reports.parsed_markdown import every
from tests.scripted import launch
from tests.scripted.replies import Asked, Reply
from tests.scripted.server import Settings
from tests.whole import deciding
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment, endpoint, experiment
from tmas_assets.assets.leaderboard import leaderboard_asset
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.site import site_asset
from tmas_assets.assets.study import StudyFile, checked_members
from tmas_assets.records import Study

TEMPLATES = Path(__file__).resolve().parents[2] / "tmas_assets" / "reports"
CANARY = "planted-canary"


class Beacon(http.server.ThreadingHTTPServer):
    """Whoever asks it anything was led here by a text."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        outer = self

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                self.send_error(404)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture(scope="module")
def beacon() -> Iterator[Beacon]:
    with Beacon() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def attack(url: str) -> str:
    """Ends every context that a page could put a text into, then runs, loads and links."""
    return (
        f"""{CANARY} "' --></pre></code></td></table></title></style></textarea></details></svg><script>window.pwned=1;fetch('{url}/fetch')</script>"""
        f"""<img src=x onerror="window.pwned=1"><img src="{url}/img.png"><svg onload="window.pwned=1"></svg><iframe src="javascript:parent.pwned=1">"""
        f"""</iframe><meta http-equiv="refresh" content="0;url={url}/moved"><base href="{url}/"><link rel=stylesheet href="{url}/css"><style>"""
        f"""@import url({url}/import);</style><a href="javascript:window.pwned=1" id=trap>x</a> ![x]({url}/md.png) [x](javascript:window.pwned=1) """
        f"""<{url}/auto> {url}/bare {{{{ 7 * 7 }}}} {{% raw %}}\n\n# heading\n\n> quote\n\n| a | b |\n|---|---|\n| c | d |\n\n```\n</script>\n```\n~~~\n"""
        f"""\x1b[31m\x1b]0;owned\x07 \u202egnp.exe\u2066 \ufeff"""
    )


@pytest.fixture(scope="module")
def written(beacon: Beacon, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dg.AssetMaterialization]]:
    """The folder of reports and every event, after a study, a decision, the leaderboard and the index of all pages."""
    text, folder = attack(beacon.url), tmp_path_factory.mktemp("attacked")

    def hostile(asked: Asked) -> Reply:
        said = deciding.script(asked).content or ""
        try:
            body = json.loads(said)
        except ValueError:
            return Reply(f"{text}\n\n{said}\n\\boxed{{{text}}}")
        return Reply(json.dumps(_attacked(body, text)), reasoning=text)

    (folder / "own.jsonl").write_text(json.dumps({"id": "p1", "question": f"What is 1 + 1? {text}", "answer": "2"}) + "\n")
    hypotheses = [{"id": "bottle", "statement": text, "goal": text, "owner": text, "success_criteria": [text], "constraints": [text], "options": [text],
                   "evidence": [{"id": "survey", "title": text, "text": text, "source": text}]}]  # fmt: skip
    (folder / "hypotheses.yaml").write_text(json.dumps(hypotheses))
    with launch.thread(Settings(), hostile) as server, dg.DagsterInstance.ephemeral() as instance:
        base = experiment(
            server.url, iterations=2, benchmark={"name": "problem_file", "release": "own", "settings": {"file": str(folder / "own.jsonl")}},
            strategy={"name": "tmas", "settings": {"candidates": 2, "verifications": 1}}, description=text,
            endpoints={"default": endpoint(server.url, revision=text)},
        ).model_dump(mode="json", exclude={"name"})  # fmt: skip
        stated = Study.model_validate(
            {"name": "attacked", "base": base, "vary": [{"field": "strategy.settings.epsilon", "values": [0.5, 1]}]}
        )
        study = StudyFile(stated, checked_members(stated, Path("defs.yaml")), Path("defs.yaml"))
        members = [member.experiment for member in study.members]
        ours = dg.Definitions(
            assets=[problems_asset(members[0].benchmark), leaderboard_asset(members), site_asset([*members, deciding.asked(server.url, folder)])],
            resources={"deployment": deployment(folder)}, executor=dg.in_process_executor,
        )  # fmt: skip
        job = dg.Definitions.merge(study.build_defs(None), ours).resolve_job_def("attacked_campaign")
        done = job.execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
        assert done.success, failure(done)
        project = deciding.Deciding(deciding.asked(server.url, folder, settings={"roster": ["market", "risk"]}), folder, instance)
        project.run()
        told = project.make("report")
        assert told.success, failure(told)
        for key in (dg.AssetKey("leaderboard"), dg.AssetKey("report_site")):
            whole = ours.resolve_implicit_global_asset_job_def()
            assert whole.execute_in_process(instance=instance, asset_selection=[key], run_config=QUIET).success
        records = instance.get_event_records(dg.EventRecordsFilter(dg.DagsterEventType.ASSET_MATERIALIZATION), limit=1000)
        return folder / "reports", [record.asset_materialization for record in records if record.asset_materialization]


def _attacked(value: object, text: str) -> object:
    if isinstance(value, str):
        return f"{value} {text}" if " " in value else value
    if isinstance(value, list):
        return [_attacked(one, text) for one in value]
    return {name: _attacked(one, text) for name, one in value.items()} if isinstance(value, dict) else value


LOOK = """
document.querySelectorAll('details').forEach(one => one.open = true);
const strange = [...document.querySelectorAll('script,iframe,object,embed,base,form,link,[onerror],[onload],#trap,meta[http-equiv=refresh]')];
const links = [...document.querySelectorAll('a[href]')].map(one => one.getAttribute('href'));
const pictures = [...document.images].map(one => one.currentSrc || one.src);
return {
  pwned: window.pwned === undefined ? null : window.pwned,
  strange: strange.map(one => one.outerHTML.slice(0, 80)),
  links: links.filter(one => /^[a-z]+:|^\\/\\//i.test(one)),
  pictures: pictures.filter(one => !one.startsWith('data:')),
  seen: document.documentElement.innerText.includes('planted-canary'),
  control: /[\\x00-\\x08\\x0b-\\x1f\\x7f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]/.test(document.documentElement.innerText),
  policy: [...document.querySelectorAll('meta[http-equiv=Content-Security-Policy]')].map(one => one.content),
};
"""


@needs_browser
def test_no_page_runs_loads_or_becomes_anything_of_a_text(
    written: tuple[Path, list[dg.AssetMaterialization]], beacon: Beacon, tmp_path: Path
) -> None:
    reports, _ = written
    pages = sorted(reports.rglob("*.html"))
    seen = {}
    with started(tmp_path / "profile") as browser:
        for page in pages:
            browser.get(page.as_uri())
            found, name = browser.execute_script(LOOK), page.relative_to(reports).as_posix()
            assert browser.current_url == page.as_uri(), name
            assert (found["pwned"], found["strange"], found["links"], found["pictures"], found["control"]) == (None, [], [], [], False), name
            assert found["policy"] == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"], name
            assert browser.get_log("browser") == [], name
            seen[name] = found["seen"]
        _the_browser_would_have_told(browser, tmp_path, beacon)
    # the attack is really on the pages: those of an experiment, a decision, a study, a problem
    assert {"leaderboard.html", "attacked.html", "attacked_epsilon_0_5.html"} <= set(seen)
    assert seen["attacked_epsilon_0_5.html"]
    assert [name for name in seen if name.startswith("decided/") and seen[name]]
    assert beacon.asked == ["/fetch", "/img.png"] or set(beacon.asked) >= {"/img.png"}


def _the_browser_would_have_told(browser: webdriver.Chrome, folder: Path, beacon: Beacon) -> None:
    """The same attack on a page without escapes and without a policy runs: the checks above can fail."""
    assert beacon.asked == []
    naive = folder / "naive.html"
    naive.write_text(f"<!doctype html><title>x</title><script>window.pwned=1</script><img src='{beacon.url}/img.png' onerror='window.pwned=1'><a id=trap>")
    browser.get(naive.as_uri())
    found = browser.execute_script(LOOK)
    assert found["pwned"] == 1
    assert found["strange"]
    assert found["pictures"]
    assert beacon.asked == ["/img.png"]


@needs_browser
def test_the_policy_alone_would_stop_a_text_that_was_not_escaped(beacon: Beacon, tmp_path: Path) -> None:
    """The second bolt: the attack as it is, inside the frame of every page."""
    from tmas_assets.reports.page import _environment

    beacon.asked.clear()
    frame = _environment().from_string('{% extends "page.html.jinja" %}{% block body %}{% autoescape false %}{{ text }}{% endautoescape %}{% endblock %}')
    page = tmp_path / "bare.html"
    bare = attack(beacon.url).replace('<meta http-equiv="refresh"', "<meta")  # no policy of a document holds a refresh back
    page.write_text(frame.render(text=bare, generated_at=None), encoding="utf-8")
    with started(tmp_path / "profile") as browser:
        browser.get(page.as_uri())
        assert browser.execute_script("return window.pwned === undefined")
        assert browser.execute_script("return document.scripts.length") > 0
    assert beacon.asked == []


def test_markdown_that_the_ui_renders_has_no_html_link_or_picture_of_a_text(written: tuple[Path, list[dg.AssetMaterialization]]) -> None:
    reports, events = written
    texts = {
        f"{event.asset_key.to_user_string()} {name}": value.md_str or ""
        for event in events for name, value in event.metadata.items() if isinstance(value, dg.MarkdownMetadataValue)
    }  # fmt: skip
    texts |= {path.name: path.read_text(encoding="utf-8") for path in reports.rglob("*.md")}
    assert any(CANARY in text for text in texts.values())
    assert any("data:image/png" in text for text in texts.values())
    for name, text in texts.items():
        tokens = every(text)
        assert not {"html_block", "html_inline", "link_open"} & {token.type for token in tokens}, name
        assert [token.attrs["src"] for token in tokens if token.type == "image" and not str(token.attrs["src"]).startswith("data:image/png;")] == [], name
        assert not set(text) & set("\x00\x07\x1b\u202e\u2066\ufeff"), name


def test_every_template_stands_in_the_frame_and_switches_no_escape_off() -> None:
    """Also those that are yet to be written. Parts are no pages: they are called from one."""
    from tmas_assets.reports.page import _environment

    assert _environment().autoescape is True
    for path in TEMPLATES.rglob("*.jinja"):
        text = path.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", ""), path.name
        assert "autoescape" not in text, path.name
        part = path.name in ("page.html.jinja",) or path.name.endswith(("parts.html.jinja", "_section.html.jinja"))
        assert part or text.startswith('{% extends "page.html.jinja" %}'), path.name
        assert not [word for word in ("<script", "javascript:", "http://", "https://", "src=\"/", "url(") if word in text], path.name
