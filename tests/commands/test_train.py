"""`tmas train` before anything is trained: what a wrong name is told."""

from io import StringIO

import pytest
from rich.console import Console

from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.train import train_named


@pytest.mark.parametrize(("name", "told"), [
    ("demo_srt", "did you mean demo_sft"),
    ("demo_training", "`tmas run demo_training` runs it"),
    ("demo", "`tmas run demo` runs it"),
    ("cold_start_small", "`tmas build-data cold_start_small` makes it"),
])  # fmt: skip
def test_a_name_of_something_else_says_which_command_is_for_it(name: str, told: str) -> None:
    with pytest.raises(CommandFault, match=told):
        train_named(name, "", again=False, out=Console(file=StringIO()), live=False)


@pytest.mark.parametrize(("iterations", "told"), [("0..7", "demo_grpo has t00 to t01"), ("1..0", "out of range"), ("x", "cannot be read")])
def test_iterations_that_there_are_not_are_refused_with_those_there_are(iterations: str, told: str) -> None:
    with pytest.raises(CommandFault, match=told):
        train_named("demo_grpo", iterations, again=False, out=Console(file=StringIO()), live=False)
