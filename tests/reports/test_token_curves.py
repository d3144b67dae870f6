"""Pass@1 against tokens: which lines are drawn, the same bytes, and names that are only names."""

from base64 import b64decode

from tests.reports.test_leaderboard import row
from tmas_assets.reports.standing import CurvePoint, LeaderboardRow
from tmas_assets.reports.token_curves import MOST_LINES, has_curves, token_curves_picture, token_curves_png


def curve(name: str, *tokens: float) -> LeaderboardRow:
    points = tuple(
        CurvePoint(iteration=t, calls=t + 1, tokens=one, usage_unknown=0, value=0.1 * t, low=0.0, high=0.1 * t + 0.2, missing=0)
        for t, one in enumerate(tokens)
    )
    return row(name, None).model_copy(update={"curve": points})


def svg(rows: list[LeaderboardRow]) -> str:
    return b64decode(token_curves_picture(rows).light.removeprefix("data:image/svg+xml;base64,")).decode()


def test_every_line_is_named_up_to_the_most_that_can_be_told_apart() -> None:
    drawn = svg([curve(f"method{i}", 100, 2000) for i in range(MOST_LINES + 2)])
    assert all(f">method{i}<" in drawn for i in range(MOST_LINES))
    assert f">method{MOST_LINES}<" not in drawn


def test_the_same_rows_give_the_same_bytes_small_enough_to_travel_inline() -> None:
    rows = [curve(f"m{i}", *(10.0 * 2**t for t in range(20))) for i in range(12)]
    png = token_curves_png(rows, "t")
    assert png == token_curves_png(rows, "t")
    assert len(png) < 120_000


def test_a_name_is_text_and_no_markup() -> None:
    drawn = svg([curve("_</text><script>x</script> $x^2$", 10)])
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


def test_an_experiment_without_tokens_has_no_line() -> None:
    assert not has_curves([curve("free", 0), row("none", None)])
    assert has_curves([curve("one", 5)])
    assert ">one<" in svg([curve("free", 0), curve("one", 5)])
