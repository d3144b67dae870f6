"""The consoles that commands print to: text is shown as it is, whoever wrote it.

Models, servers and files say much of what is printed. So nothing in square brackets is read as a style and no `:word:` as a picture
unless a command asks for it (`markup=True`, of its own words), and a control character, which a terminal would obey (clear, retitle,
write to the clipboard, turn the direction of reading), comes out as U+FFFD. Leaves out layout.
"""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from tmas_assets.reports.notation import printable


def terminal(*, stderr: bool = False) -> Console:
    """A console on standard output, or on standard error."""
    console = Console(stderr=stderr, markup=False, emoji=False)
    console.push_render_hook(_Printable())
    return console


class _Printable(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Cleaned(one) for one in renderables]


class _Cleaned:
    """What it holds, without control characters in its texts; rich's own codes, which are no text, stay."""

    def __init__(self, held: ConsoleRenderable) -> None:
        self.held = held

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _clean(console.render(self.held, options))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.held)


def _clean(segments: Iterable[Segment]) -> Iterable[Segment]:
    for text, style, control in segments:
        yield Segment(text, style, control) if control else Segment(printable(text), style)
