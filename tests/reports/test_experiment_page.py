"""The static page: whole, self-contained, and with every text of a model or problem shown as text."""

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from jinja2 import UndefinedError

from tmas_assets.records import RoleTokens, Score
from tmas_assets.reports.experiment_page import experiment_page
from tmas_assets.reports.experiment_report import (
    BankSize,
    ExperimentReport,
    InputDigest,
    ModelUse,
    ParseErrors,
    ProblemCell,
    ProblemRow,
    Setting,
    token_lines,
)
from tmas_assets.reports.page import render_page

Reports = Callable[..., ExperimentReport]
HOSTILE = (
    """</pre></style></title><script>alert("1")</script><img src=x onerror='alert(2)'><svg/onload=alert(3)>"""
    """ [a](javascript:alert(4)) **bold** `code` | {{ 7 * 7 }} {% raw %} " onmouseover="alert(5) &lt;i&gt; <!-- """
)
VOID = {"meta", "img", "source", "br", "input"}


class Reading(HTMLParser):
    """What a browser would make of the page: elements with attributes, text by element, and the open elements."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text.append(data)

    def of(self, tag: str, class_: str = "") -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and (not class_ or class_ in (attributes.get("class") or "").split())
        ]


def hostile(score: Score) -> ExperimentReport:
    """A report whose every free text is an attack."""
    text = HOSTILE
    tokens = (RoleTokens(role=text, calls=1, prompt_tokens=2, completion_tokens=3, unknown=1),)
    quoted = score.model_copy(
        update=dict.fromkeys(("experiment", "benchmark", "release", "grader", "grader_version", "grades_digest"), text)
    )
    return ExperimentReport(
        name=text, description=text, benchmark=text, release=text, licence=text, strategy=text,
        settings=(Setting(name=text, value=text),), models=(ModelUse(model=text, identity=text, roles=(text, text)),),
        scores=(quoted,), figures=(), agreement=None, spent=(), tokens_scratch=tokens, tokens_paid=tokens,
        problems=(
            ProblemRow(problem=text, statement=text, cells=(
                ProblemCell(iteration=0, right=1, answers=2, mean_verifier=0.5),)),
        ),
        banks=(BankSize(iteration=0, bank="experience", live=1, snapshots=1),),
        parse_errors=(ParseErrors(role=text, errors=1, total=2),), digests=(InputDigest(name=text, digest=text),),
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(report_of: Reports) -> str:
    return experiment_page(report_of(7, 2))


@pytest.fixture(scope="module")
def attacked(score_of: Callable[..., Score]) -> tuple[ExperimentReport, str]:
    report = hostile(score_of(0, [0.5], 2))
    return report, experiment_page(report)


def test_the_page_is_well_formed_html_with_nothing_left_open(page: str) -> None:
    assert Reading(page).open == []


def test_text_of_models_and_problems_adds_no_element_and_no_attribute(attacked: tuple[ExperimentReport, str]) -> None:
    report, shown = attacked
    calm = report.model_validate_json(report.model_dump_json().replace(_as_json(HOSTILE), "calm"))
    one, other = Reading(shown), Reading(experiment_page(calm))
    assert "calm" in "".join(other.text)
    assert [(tag, sorted(attributes)) for tag, attributes in one.elements] == [
        (tag, sorted(attributes)) for tag, attributes in other.elements
    ]
    assert one.of("script") == []


def _as_json(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def test_hostile_text_is_shown_to_the_letter_in_every_place(attacked: tuple[ExperimentReport, str]) -> None:
    report, shown = attacked
    # The score names its experiment, benchmark and release again, which the page does not repeat.
    fields = report.model_dump_json().count(_as_json(HOSTILE)) - 3
    assert "".join(Reading(shown).text).count(HOSTILE) >= fields


def test_control_characters_and_lone_surrogates_are_made_visible(report_of: Reports) -> None:
    dirty = ProblemRow(problem="p", statement="a\x00b\ud800c\u202ed\x1be\r\nf\tg", cells=())
    page = experiment_page(report_of(1, 1).model_copy(update={"problems": (dirty,)}))
    assert "a\ufffdb\ufffdc\ufffdd\ufffde\nf\tg" in page
    assert page.encode("utf-8")


def test_nothing_is_loaded_from_anywhere_and_scripts_are_forbidden(page: str) -> None:
    reading = Reading(page)
    sources = [one.get("src") or one.get("srcset") or "" for one in (*reading.of("img"), *reading.of("source"))]
    assert len(sources) == 16
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not {"script", "link", "iframe", "object", "embed", "form"} & {tag for tag, _ in reading.elements}
    policy = next(one["content"] for one in reading.of("meta") if one.get("http-equiv"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert "url(" not in page


def test_the_same_report_gives_the_same_bytes_and_the_time_is_only_shown_when_given(
    report_of: Reports, page: str
) -> None:
    assert experiment_page(report_of(7, 2)) == page
    undated = experiment_page(report_of(7, 2).model_copy(update={"generated_at": None}))
    assert undated == page.replace("Made 2026-03-04 05:06 UTC. ", "")
    assert "Made " not in undated


def test_four_hundred_problems_over_twenty_iterations_stay_under_a_megabyte(report_of: Reports) -> None:
    page = experiment_page(report_of(400, 20))
    reading = Reading(page)
    shades = {f"s{n}" for n in range(11)}
    assert sum(one.get("class") in shades for one in reading.of("td")) == 2 * 400 * 20
    assert len(page.encode()) < 1_000_000


def test_every_problem_leads_to_its_statement(page: str) -> None:
    reading = Reading(page)
    links = [one["href"] for one in reading.of("a")]
    assert links == ["index.html"] + [f"#problem-{n}" for n in range(1, 8)] * 2
    assert [one["id"] for one in reading.of("pre")] == [f"problem-{n}" for n in range(1, 8)]


def test_problems_with_pages_of_their_own_are_led_to_by_id_and_by_cell(report_of: Reports) -> None:
    report = report_of(3, 2)
    named = [row.problem for row in report.problems]
    reading = Reading(experiment_page(report, {named[0]: "tmas_imo/a%252Fb"}))
    links = [one["href"] for one in reading.of("a")]
    assert links.count("tmas_imo/a%252Fb/index.html") == 3  # both maps and the statement
    assert [links.count(f"tmas_imo/a%252Fb/t0{t}.html") for t in range(3)] == [2, 2, 0]
    assert [links.count(f"#problem-{n}") for n in (1, 2, 3)] == [0, 2, 2]


def test_every_score_shows_its_interval_and_the_samples_behind_it(
    report_of: Reports, score_of: Callable[..., Score]
) -> None:
    score = score_of(3, [0.25, 0.5, 1.0], 32, missing=64)
    text = "\n".join(Reading(experiment_page(report_of(3, 1).model_copy(update={"scores": (score,)}))).text)
    assert score.low is not None
    assert score.high is not None
    for shown in ("58.33", f"{100 * score.low:.1f} – {100 * score.high:.1f}", "3 × 32", "64 of 160 missing", "(partial)"):
        assert shown in text


def test_an_experiment_that_has_not_begun_has_a_page(report_of: Reports, score_of: Callable[..., Score]) -> None:
    nothing = dict.fromkeys(("figures", "tokens_scratch", "tokens_paid", "problems", "banks", "parse_errors", "digests"), ())
    for scores in ((), (score_of(0, [], 8, missing=80),)):
        page = experiment_page(report_of(1, 1).model_copy(update={**nothing, "scores": scores}))
        assert "no answer is graded yet" in page
        assert Reading(page).of("img") == []


def test_a_strategy_without_verifiers_has_no_verifier_map(report_of: Reports) -> None:
    report = report_of(2, 2)
    problems = tuple(
        row.model_copy(update={"cells": tuple(c.model_copy(update={"mean_verifier": None}) for c in row.cells)})
        for row in report.problems
    )
    reading = Reading(experiment_page(report.model_copy(update={"problems": problems})))
    assert len(reading.of("table", "heat")) == 1
    assert len(reading.of("input")) == 1


def test_both_accounts_of_tokens_stand_in_one_line_a_role() -> None:
    row = RoleTokens(role="summary", calls=1, prompt_tokens=2, completion_tokens=3, unknown=0)
    other = row.model_copy(update={"role": "solution"})
    assert [(line.role, line.scratch, line.paid) for line in token_lines([row, other], [row])] == [
        ("solution", other, None),
        ("summary", row, row),
    ]


def test_unknown_usage_makes_the_total_a_lower_bound(report_of: Reports, page: str) -> None:
    report = report_of(7, 2)
    assert "≥ " in page
    assert "≥ " not in experiment_page(report.model_copy(update={"tokens_paid": report.tokens_scratch}))


def test_a_name_nobody_passes_to_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_page("experiment.html.jinja")
