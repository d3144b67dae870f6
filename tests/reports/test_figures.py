"""Figures as bytes: small enough to travel inline, the same every time, and true to the scores."""

import io
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from collections.abc import Callable
from struct import unpack

import matplotlib as mpl
import pytest
from PIL import Image

from tmas_assets.records import RoleTokens, Score
from tmas_assets.reports.drawing import Picture
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.figures import (
    curve_markdown,
    memory_picture,
    pass_at_1_picture,
    pass_at_1_png,
    tokens_picture,
)

Scores = Callable[..., Score]
Reports = Callable[..., ExperimentReport]
INLINE_LIMIT = 60_000


def chunks(png: bytes) -> list[str]:
    at, names = 8, []
    while at < len(png):
        (length,) = unpack(">I", png[at : at + 4])
        names.append(png[at + 4 : at + 8].decode("ascii"))
        at += 12 + length
    return names


def inked_rows(png: bytes, colour: tuple[int, int, int]) -> list[int]:
    """Rows of the picture that hold a pixel of exactly this colour."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    wide, high = picture.size
    return [y for y in range(high) if any(picture.getpixel((x, y)) == colour for x in range(wide))]


def test_the_longest_curve_fits_inline_metadata(score_of: Scores) -> None:
    png = pass_at_1_png([score_of(t, [0.3 + 0.01 * (t % 7), 0.9, 0.1], 8) for t in range(60)])
    assert Image.open(io.BytesIO(png)).format == "PNG"
    assert len(png) < INLINE_LIMIT


def test_the_same_scores_give_the_same_bytes_whatever_the_users_settings_are(report_of: Reports) -> None:
    report = report_of(5, 4)
    plain = (pass_at_1_png(report.scores), pass_at_1_picture(report.scores), memory_picture(report.banks))
    with mpl.rc_context({"font.size": 31, "axes.grid": True, "lines.linewidth": 9, "svg.hashsalt": None}):
        assert (pass_at_1_png(report.scores), pass_at_1_picture(report.scores), memory_picture(report.banks)) == plain
        assert mpl.rcParams["font.size"] == 31


def test_order_of_the_scores_does_not_show(report_of: Reports) -> None:
    scores = report_of(5, 4).scores
    assert pass_at_1_png(scores[::-1]) == pass_at_1_png(scores)


def test_a_picture_carries_no_date_and_no_program(report_of: Reports) -> None:
    assert set(chunks(pass_at_1_png(report_of(3, 2).scores))) == {"IHDR", "pHYs", "IDAT", "IEND"}


def test_a_better_score_is_drawn_higher(score_of: Scores) -> None:
    # Both have one other iteration at 90 %, which fixes the axis; only the curve's colour is looked for.
    accent = (15, 118, 110)
    low, high = (pass_at_1_png([score_of(0, [0.9] * 40, 10), score_of(1, [rate] * 40, 10)]) for rate in (0.2, 0.8))
    assert max(inked_rows(high, accent)) < max(inked_rows(low, accent))


def test_a_missing_iteration_is_a_gap_and_not_a_line(score_of: Scores) -> None:
    ends = [score_of(0, [0.5] * 20, 10), score_of(4, [0.5] * 20, 10)]
    whole = [*ends, *(score_of(t, [0.5] * 20, 10) for t in (1, 2, 3))]

    def columns(png: bytes) -> set[int]:
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        wide, high = picture.size
        return {x for x in range(wide) for y in range(high) if picture.getpixel((x, y)) == (15, 118, 110)}

    assert len(columns(pass_at_1_png(whole))) > 500
    assert len(columns(pass_at_1_png(ends))) < 40


def test_one_iteration_and_an_iteration_without_answers_can_be_drawn(score_of: Scores) -> None:
    one, none = score_of(0, [0.5, 1.0], 8), score_of(1, [], 8, missing=16)
    assert pass_at_1_png([one]) == pass_at_1_png([one, none])
    assert len(pass_at_1_png([none])) > 1000


def test_scores_of_two_experiments_are_not_one_curve(score_of: Scores) -> None:
    with pytest.raises(ValueError, match="one experiment, found"):
        pass_at_1_png([score_of(0, [0.5], 8), score_of(1, [0.5], 8, experiment="other")])
    with pytest.raises(ValueError, match="found \\[\\]"):
        pass_at_1_png([])


def test_two_scores_of_one_iteration_are_refused(score_of: Scores) -> None:
    with pytest.raises(ValueError, match="two scores of one iteration"):
        pass_at_1_png([score_of(0, [0.5], 8), score_of(0, [0.6], 8)])


def test_markdown_holds_the_very_picture(report_of: Reports) -> None:
    png = pass_at_1_png(report_of(3, 2).scores)
    before, data = curve_markdown(png, "curve").split(",")
    assert before == "![curve](data:image/png;base64"
    assert b64decode(data.removesuffix(")")) == png


def test_page_pictures_are_four_different_svgs_that_load_nothing(report_of: Reports) -> None:
    report = report_of(3, 3)
    drawn: list[Picture] = [
        pass_at_1_picture(report.scores),
        tokens_picture(report.tokens_scratch, report.tokens_paid),
        memory_picture(report.banks),
    ]
    for one in drawn:
        looks = {one.light, one.dark, one.narrow_light, one.narrow_dark}
        assert len(looks) == 4
        for uri in looks:
            svg = b64decode(uri.removeprefix("data:image/svg+xml;base64,"))
            tree = ElementTree.fromstring(svg)
            assert not any(node.tag.endswith(("script", "image", "foreignObject")) for node in tree.iter())
            links = [value for node in tree.iter() for name, value in node.attrib.items() if name.endswith("href")]
            assert all(link.startswith("#") for link in links)


def test_a_role_named_like_a_formula_is_drawn_as_it_is() -> None:
    odd = RoleTokens(role=r"$\frac{1}$<b>", calls=1, prompt_tokens=5, completion_tokens=7, unknown=0)
    svg = b64decode(tokens_picture([odd], []).light.removeprefix("data:image/svg+xml;base64,"))
    assert r"$\frac{1}$<b>" in "".join(ElementTree.fromstring(svg).itertext())


def test_drawing_and_template_libraries_load_only_when_used() -> None:
    rooms = "tables, leaderboard, experiment_report, figures"
    code = f"import sys; from tmas_assets.reports import {rooms}; print([m for m in sys.modules if m in sys.argv])"
    heavy = ["matplotlib", "jinja2", "rich", "mpmath", "numpy", "torch"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
