"""How figures are drawn: themes, fresh axes whatever the user's own settings, PNG and SVG bytes. Same input, same bytes.

matplotlib is imported inside the one function that renders. Leaves out what is drawn.
"""

import io
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PNG_DPI = 110
LINES = (
    "#0f766e", "#c2660a", "#3b7dd8", "#b0489b", "#7a8b1f", "#d04a4a", "#6f63c9", "#2a9fb8", "#a0712b", "#7d8794",
)  # fmt: skip
"""Colours of lines side by side, to be read on either ground; with as many MARKERS they make more lines than a plot holds."""
MARKERS = "osD^vP"
_LONGEST_NAME = 34


@dataclass(frozen=True)
class Theme:
    """Colours of one look. `card` is the ground drawn upon, `paper` what is painted: None leaves it transparent."""

    ink: str
    muted: str
    grid: str
    accent: str
    second: str
    card: str
    paper: str | None


LIGHT = Theme(ink="#1c2430", muted="#5d6879", grid="#e2e7ec", accent="#0f766e", second="#c2660a", card="#ffffff", paper=None)
DARK = Theme(ink="#e7ebf0", muted="#9aa5b5", grid="#2c3542", accent="#2fc4b2", second="#f0a83c", card="#1a2029", paper=None)
PRINT = Theme(ink="#1c2430", muted="#5d6879", grid="#e2e7ec", accent="#0f766e", second="#c2660a", card="#ffffff", paper="#ffffff")


@dataclass(frozen=True)
class Picture:
    """One drawing in the looks a page needs, each a data URI. `narrow` is drawn for a phone, not scaled down."""

    alt: str
    light: str
    dark: str
    narrow_light: str
    narrow_dark: str


Draw = Callable[["Figure", Theme], None]


def alone(draw: Callable[["Axes", Theme], None]) -> Draw:
    """A drawing on the one pair of axes of its figure."""
    return lambda figure, theme: draw(figure.subplots(), theme)


def look(line: int) -> tuple[str, str]:
    """Colour and marker of line number `line`."""
    return LINES[line % len(LINES)], MARKERS[(line // len(LINES)) % len(MARKERS)]


def short(name: str) -> str:
    """A name that leaves a plot its room. One that begins with _ would be left out of a legend."""
    name = name.lstrip("_") or name
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def render(
    draw: Draw, size: tuple[float, float], theme: Theme, kind: Literal["png", "svg"], title: str = ""
) -> bytes:
    """`draw` on a fresh figure of `size` inches, whatever the user's own matplotlib settings are."""
    import matplotlib.style
    from matplotlib.figure import Figure

    settings = {
        "font.size": 10, "text.color": theme.ink, "axes.labelcolor": theme.muted, "axes.edgecolor": theme.grid,
        "xtick.color": theme.muted, "ytick.color": theme.muted, "axes.spines.top": False, "axes.spines.right": False,
        "axes.axisbelow": True, "figure.titlesize": 11, "xtick.major.size": 0,
        "ytick.major.size": 0, "legend.fontsize": 9, "text.parse_math": False, "svg.fonttype": "none",
        "svg.hashsalt": "tmas", "axes.facecolor": "none", "figure.facecolor": theme.paper or "none",
    }  # fmt: skip
    # No date and no version in the file: the same scores give the same bytes.
    unsigned = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with matplotlib.style.context(["default", settings]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure, theme)
        if title:
            figure.suptitle(title, x=0.015, ha="left")
        out = io.BytesIO()
        figure.savefig(out, format=kind, dpi=PNG_DPI, metadata=unsigned)
    return out.getvalue()


def picture(draw: Draw, height: float, alt: str, wide: float = 10.6) -> Picture:
    light, narrow = (render(draw, (width, height), LIGHT, "svg") for width in (wide, 4.0))
    uris = [data_uri(svg, "image/svg+xml") for svg in (light, _darkened(light), narrow, _darkened(narrow))]
    return Picture(alt=alt, light=uris[0], dark=uris[1], narrow_light=uris[2], narrow_dark=uris[3])


def _darkened(svg: bytes) -> bytes:
    """The same drawing in the dark theme: the looks differ in colours only, and drawing is what takes the time."""
    dark = {getattr(LIGHT, name): getattr(DARK, name) for name in ("ink", "muted", "grid", "accent", "second", "card")}
    return re.sub("|".join(dark), lambda found: dark[found.group()], svg.decode("utf-8")).encode("utf-8")


def data_uri(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{b64encode(data).decode('ascii')}"
