"""`tmas strategies`: every strategy is listed, and each shows all its settings with default, bounds and meaning."""

import io
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.field_docs import field_docs
from tmas_assets.commands.strategies import show_strategies
from tmas_assets.strategies import strategies, strategy


def shown(name: str = "") -> str:
    out = Console(file=io.StringIO(), width=80)
    show_strategies(name, out=out)
    return out.file.getvalue()  # type: ignore[attr-defined]


def test_every_strategy_has_a_line_that_fits_80_columns() -> None:
    lines = shown().splitlines()
    assert max(len(line) for line in lines) <= 80
    assert {line.split()[0] for line in lines if line[:1].isalpha()} >= set(strategies())
    (single,) = [line for line in lines if line.startswith("single")]
    assert single.split()[-1] == "1"


@pytest.mark.parametrize("name", sorted(strategies()))
def test_every_setting_is_shown_with_its_default_and_what_it_means(name: str) -> None:
    docs = {one.path.partition(".")[0]: one for one in field_docs(strategy(name).Settings)}
    assert set(docs) == set(strategy(name).Settings.model_fields)
    text = shown(name)
    assert all(f"\n{one.path}: " in text for one in field_docs(strategy(name).Settings))
    assert [one.path for one in field_docs(strategy(name).Settings) if not one.text and "." not in one.path] in ([], ["similarity"])
    assert not any(word in text for word in ("FieldInfo", "Annotated", "tuple[", "typing"))


def test_defaults_bounds_choices_and_iterations_are_said() -> None:
    text = shown("tmas")
    assert "epsilon: 0.2  (number, ≥ 0, ≤ 1)" in text
    assert "banks: [experience, guideline]  (list of experience | guideline)" in text
    assert "refine_from: paired  (paired | best | all)" in text
    assert "Lines at least this alike are near-duplicates." in text
    assert "iterations: 1\n" in shown("single")
    assert "iterations: at most 2 with these defaults" in shown("pacore")
    assert "widths: [16]  (list of whole number ≥ 1, at least 1)" in shown("pacore")
    assert "refinements: 4  (whole number | none, ≥ 1)" in shown("verify_refine")


def test_a_name_that_is_none_gets_the_nearest_one() -> None:
    with pytest.raises(CommandFault, match="no strategy 'tms'; did you mean tmas"):
        shown("tms")


def test_the_version_is_told() -> None:
    done = subprocess.run([Path(sys.executable).with_name("tmas"), "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"tmas-assets {version('tmas-assets')}\n")
