"""What models, servers and files say is printed as it is: a terminal obeys none of it, and rich takes none of it for markup."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tmas_assets.commands.terminal import terminal

COMMANDS = Path(__file__).resolve().parents[2] / "tmas_assets" / "commands"
HOSTILE = {
    "colours": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "clear": "\x9b2J\x9b",
    "backspaces": "safe\b\b\b\bevil",
    "return": "safe\rowned",
    "direction": "abc\u202egnp.exe",
    "isolates": "\u2066abc\u2069",
    "nul": "a\x00b",
    "surrogate": "a\ud800b",
}


@pytest.fixture(params=[False, True], ids=["out", "err"])
def console(request: pytest.FixtureRequest) -> Console:
    """As a command gets it, on a terminal of 200 columns with colours."""
    made = terminal(stderr=request.param)
    made.file, made._width, made._force_terminal, made._color_system = io.StringIO(), 200, True, None  # type: ignore[assignment]
    return made


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_control_character_of_a_text_reaches_the_terminal(console: Console, text: str) -> None:
    table = Table("head", title=Text(text))
    table.add_row(text)
    table.add_row(Text(text, style="bold"))
    for shown in (text, Text(text), Text.assemble(("x", "bold"), text), table):
        console.print(shown)
    console.print(text, soft_wrap=True, highlight=False, style="yellow")
    written = said(console)
    assert not set(written) & set("\x00\x07\b\r\x9b\u202e\u2066\u2069\ud800")
    assert "\x1b]" not in written
    assert "\x1b[31m" not in written
    written.encode("utf-8")


@pytest.mark.parametrize("text", ["[red]x[/red]", "[/x]", "[link=http://evil.example]x[/link]", "a[b][0]", ":warning:", "[bold", "\\[red]"])
def test_brackets_and_colons_of_a_text_are_no_markup(console: Console, text: str) -> None:
    table = Table("head")
    table.add_row(text)
    console.print(text)
    console.print(table)
    assert said(console).count(text) == 2


def test_a_commands_own_markup_and_its_styles_still_work(console: Console) -> None:
    console._color_system = None
    console.print("[bold]name[/]: x", markup=True, highlight=False)
    assert "[bold]" not in said(console)
    assert "name: x" in said(console).replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_no_command_makes_a_console_of_its_own() -> None:
    """Also of those that are yet to be written."""
    every = [*COMMANDS.glob("*.py"), COMMANDS.parent / "cli.py"]
    made = [path.name for path in every if "Console(" in path.read_text() and path.name != "terminal.py"]
    assert made == []
