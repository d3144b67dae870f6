"""The `tmas` command as a user types it: faults without a traceback, exit codes, files line for line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tmas_assets.cli import main

TMAS = Path(sys.executable).with_name("tmas")


def tmas(*arguments: str, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [TMAS, *arguments],
        env={**os.environ, "COLUMNS": "200", **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("run", "dem"), 1, "no experiment 'dem'; did you mean demo?"),
        (("run", "demo", "--iterations", "0..9"), 1, "iterations 0..9 are out of range: demo has t00 to t03"),
        (("run", "demo", "--iterations", "soon"), 1, "iterations 'soon' cannot be read"),
        (("run", "tmas_banks", "--iterations", "0..1"), 1, "tmas_banks is a study, and its members have iterations of their own"),
        (("run", "tmas_bank"), 1, "no experiment 'tmas_bank'; did you mean tmas_banks?"),
        (("compare", "tmas_banks"), 1, "tmas_banks: no member has a summary yet; make them with `tmas run tmas_banks`"),
        (("compare", "demo"), 1, "demo is one experiment; name another one"),
        (("compare", "demo", "tmas_banks"), 1, "tmas_banks is a study and not one experiment"),
        (("report", "tmas_banks"), 1, "Nothing was run yet: `tmas run tmas_banks_both_on`"),
        (("leaderboard",), 1, "no experiment has a summary yet"),
        (("build-data", "cold_start_smal"), 1, "no data set 'cold_start_smal'; did you mean cold_start_small?"),
        (("build-data", "demo_grpo"), 1, "demo_grpo is a training run; its prompts are made with the set that they come from: `tmas build-data cold_start_small`"),
        (("report", "demo"), 1, "problems/reasoning_gym_demo problems: no file at"),
        (("report", "demo"), 1, "`tmas run demo`"),
        (("grade", "nothing.jsonl", "--out", "x.jsonl"), 1, "no file nothing.jsonl"),
        (("grade", "nothing.jsonl", "--out", "gone/x.jsonl"), 1, "no folder gone"),
        (("serve", "no/such/folder"), 1, "model folder missing"),
        (("run",), 2, "Missing argument"),
        (("dance",), 2, "No such command"),
    ],
)
def test_a_fault_is_a_sentence_and_an_exit_code(arguments, code, text, tmp_path, monkeypatch, capsys):
    """In this process: that of a user differs in its imports, which take seconds."""
    monkeypatch.setenv("DAGSTER_HOME", "")  # the command may set it; this takes it back
    monkeypatch.delenv("DAGSTER_HOME")
    monkeypatch.setenv("TMAS_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["tmas", *arguments])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, "Traceback" in said.err + said.out) == (code, False)
    assert text in said.err


@pytest.mark.parametrize(("argument", "code", "text"), [("dem", 1, "did you mean demo?"), ("--dance", 2, "No such option")])
def test_a_fault_ends_the_process_with_the_sentence_and_the_code(argument, code, text, tmp_path):
    done = tmas("run", argument, cwd=tmp_path, TMAS_HOME=str(tmp_path))
    assert (done.returncode, "Traceback" in done.stderr + done.stdout) == (code, False)
    assert text in done.stderr


def test_the_experiments_are_listed(tmp_path):
    done = tmas("experiments", TMAS_HOME=str(tmp_path))
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("demo", "imo_answerbench_tmas", "math500_tmas_small"))
    assert "tmas_banks is a study of 4: _both_on, _experience_off, _guideline_off, _both_off" in done.stdout


def test_each_command_explains_itself_with_an_example():
    for command in ("run", "report", "serve", "grade"):
        done = tmas(command, "--help")
        assert done.returncode == 0
        assert f"tmas {command}" in done.stdout


def test_grading_a_file_gives_a_line_for_a_line(tmp_path):
    rows = [
        {"id": "a", "kind": "math", "gold": "1/2", "response": "So \\boxed{0.5}."},
        {"id": "b", "kind": "math", "gold": "12", "response": "\\boxed{13}"},
        {"id": "c", "kind": "poem", "gold": "x", "response": "y"},
    ]
    lines = [json.dumps(row) for row in rows]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, '{"id": "torn']) + "\n")
    done = tmas("grade", "in.jsonl", "--out", "out.jsonl", cwd=tmp_path, TMAS_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    graded = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["outcome"] for row in graded] == ["right", "wrong", "failed", "failed"]
    assert "poem" in graded[2]["reason"]
    assert "line 4" in graded[3]["reason"]
