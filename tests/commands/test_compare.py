"""`tmas compare` as a user types it: what cannot be compared is said in a sentence."""

import pytest

from tests.commands.test_tmas import tmas


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("demo", "demo"), "demo compared with itself differs by nothing; name two experiments"),
        (("demo", "dem"), "no experiment 'dem'; did you mean demo?"),
        (("demo", "dem"), "tmas_assets/defs. Add one there as <name>/defs.yaml"),
        (("demo", "math500_tmas_small"), "demo and math500_tmas_small have not run under the present settings; `tmas run demo`, `tmas"),
    ],
)
def test_a_fault_is_a_sentence_and_an_exit_code(arguments, text, tmp_path):
    done = tmas("compare", *arguments, cwd=tmp_path, TMAS_HOME=str(tmp_path))
    assert (done.returncode, "Traceback" in done.stderr + done.stdout) == (1, False)
    assert text in done.stderr


def test_it_explains_itself_with_an_example():
    done = tmas("compare", "--help")
    assert done.returncode == 0
    assert "tmas compare my_tmas my_self_refine" in done.stdout
