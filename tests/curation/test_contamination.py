"""Edited copies of evaluation problems are found; other problems of the same kind are not."""

import random
import subprocess
import sys

import pytest

from tmas_assets.curation.contamination import Evaluation, contaminated, decontaminated, indexed
from tmas_assets.records import Decontamination, Problem, SourceProblem

LAMPS = (
    "A lighthouse keeper owns 48 lamps. On the first night $a$ of them burn, and on every later night the number of burning "
    "lamps grows by the integer $b \\geq 2$ until all lamps burn. If $\\dfrac{a+1}{b^2} = \\frac{3}{4}$, find the least number "
    "of nights after which all 48 lamps burn."
)
CIRCLES = (
    "Two circles $\\omega_1$ and $\\omega_2$ with radii 7 and 12 touch each other externally at $P$. A line through $P$ meets "
    "$\\omega_1$ again at $Q$ and $\\omega_2$ again at $R$. Given that $QR = 19$, determine the sine of the angle between the "
    "line and the common tangent at $P$."
)
ORCHARD = (
    "Greta plants cherry trees along a straight road. She walks past every fifth tree and hangs a red ribbon on it; her brother "
    "hangs a blue ribbon on every eighth tree. Exactly 13 trees carry ribbons of both colours. What is the largest number of "
    "trees that may stand along the road?"
)
EQUATION = "Find all functions $f$ from the reals to the reals with $f(xf(y) + y^2) = yf(x + y)$ for all real $x$ and $y$."
SHORT = "Compute $\\binom{17}{5} - 3^7$."
CODE = (
    'def longest_plateau(heights):\n    """Return the length of the longest run of equal neighbouring heights.\n'
    '    >>> longest_plateau([4, 4, 1, 9, 9, 9, 2])\n    3\n    """\n'
)
FILLER = (
    "The teacher wrote this on the board before the lesson began and asked everyone to stay quiet. Read the text twice, and "
    "write down each step so that another reader can follow it. A sketch may help, although nothing depends on one. Several "
    "people took a long way here; there is a short one as well, which was found by accident after dinner."
)
SETTINGS = Decontamination()


def problem(id_, statement, release="contest"):
    return Problem(benchmark=release, release="one", id=id_, statement=statement, answer="17", grader="math")


def evaluation(*statements, release="contest"):
    return Evaluation(release, tuple(problem(f"e{at}", statement, release) for at, statement in enumerate(statements)))


def sources(statements):
    return [SourceProblem(problem=problem(f"c{at}", statement, "own"), source="own", licence="CC0-1.0", topic="own")
            for at, statement in enumerate(statements)]  # fmt: skip


def found(statement, *more, settings=SETTINGS):
    return contaminated(statement, indexed([CONTEST, *more], settings))


CONTEST = evaluation(LAMPS, CIRCLES, ORCHARD, EQUATION, SHORT, CODE)
EACH = pytest.mark.parametrize(("id_", "text"), list(enumerate([LAMPS, CIRCLES, ORCHARD, EQUATION, SHORT, CODE])),
                               ids=["lamps", "circles", "orchard", "equation", "short", "code"])  # fmt: skip


@EACH
def test_an_exact_copy_names_its_release_problem_and_test(id_, text):
    match = found(text)
    assert (match.release, match.problem) == ("contest", f"e{id_}")
    assert "8-grams" in match.test


@EACH
def test_a_copy_of_eight_words_a_line(id_, text):
    parts = text.split()
    assert found("\n".join(" ".join(parts[at : at + 8]) for at in range(0, len(parts), 8))).problem == f"e{id_}"


@EACH
def test_a_copy_inside_a_text_of_other_sentences(id_, text):
    assert found(f"{FILLER} {text} {FILLER}").problem == f"e{id_}"


@EACH
def test_a_copy_in_capitals_without_delimiters(id_, text):
    assert found(text.upper().replace("\\DFRAC", "\\frac").replace("\\FRAC", "\\frac").replace("\\OMEGA", "\\omega")
                 .replace("\\GEQ", "\\geq").replace("\\BINOM", "\\binom").replace("$", "")).problem == f"e{id_}"  # fmt: skip


def test_a_copy_in_other_latex():
    copy = LAMPS.replace("$\\dfrac{a+1}{b^2} = \\frac{3}{4}$", "\\[\\left( a + 1 \\right) / b^{2} = \\tfrac34\\]")
    copy = copy.replace("$b \\geq 2$", "\\(b ≥ 2\\)")
    assert copy.count("$") == 2
    assert found(copy).problem == "e0"


def test_a_copy_with_other_names_for_everything():
    copy = CIRCLES.replace("\\omega", "\\Gamma").replace("P", "X").replace("Q", "U").replace("R", "V")
    assert found(copy).problem == "e1"
    assert found(EQUATION.replace("f", "g", 1).replace("f(", "g(").replace("x", "s").replace("y", "t")).problem == "e3"


def test_numbers_in_words():
    assert found(LAMPS.replace("48", "forty-eight")).problem == "e0"
    assert found(ORCHARD.replace("13", "thirteen")).problem == "e2"


@EACH
def test_each_word_that_is_changed_alone(id_, text):
    index = indexed([CONTEST], SETTINGS)
    parts = text.split(" ")
    for at, word in enumerate(parts):
        if word.isalpha() and word.islower() and len(word) > 2:
            copy = " ".join([*parts[:at], "purple", *parts[at + 1 :]])
            match = contaminated(copy, index)
            assert match is not None, copy
            assert match.problem == f"e{id_}"


@pytest.mark.parametrize("text", [LAMPS, CIRCLES, ORCHARD])
def test_every_seventh_word_changed_leaves_no_8_gram_and_is_found(text):
    parts = [part if at % 7 or not part.isalpha() else "purple" for at, part in enumerate(text.split(" "), start=1)]
    assert found(" ".join(parts)) is not None


def test_sentences_in_another_order():
    first, second, third = CIRCLES.split(". ", 2)
    assert found(f"{third} {second}. {first}.").problem == "e1"


def test_a_rewording_that_keeps_figures_and_most_names():
    copy = (
        "Greta puts cherry trees along a straight street. Each fifth tree she passes gets a red ribbon; her brother ties a blue "
        "ribbon on each eighth tree. Just 13 trees bear ribbons of both colours. How many trees may stand along the road at most?"
    )
    assert found(copy).problem == "e2"


def test_many_edited_copies_of_one_problem_are_all_copies():
    draw = random.Random(5)
    copies = []
    for _ in range(12):
        parts = ORCHARD.split(" ")
        for at in draw.sample(range(len(parts)), 3):
            parts[at] = draw.choice(["purple", "seldom", "kettle"]) if parts[at].isalpha() else parts[at]
        copies.append(" ".join(parts))
    screened = decontaminated(sources(copies), [CONTEST], SETTINGS)
    assert screened.kept == ()


CLEAN = (
    "A lighthouse stands 48 metres above the sea. How far away is a ship that is seen under an angle of 3 degrees?",
    "Two circles with radii 5 and 9 touch each other internally at $P$. Find the area between them.",
    "Find all functions $f$ from the reals to the reals with $f(x + f(y)) = f(x) + y$ for all real $x$ and $y$.",
    "Find all positive integers $n$ such that $n^2 + 3n$ is a perfect square.",
    "Compute $\\binom{16}{4} - 2^7$.",
    "Greta walks past 13 trees. What is the largest number of trees that may stand along the road?",
    'def longest_word(words):\n    """Return the length of the longest word.\n    >>> longest_word(["a", "abc"])\n    3\n    """\n',
    "",
    "...",
)


@pytest.mark.parametrize("text", CLEAN)
def test_another_problem_of_the_same_kind_is_clean(text):
    assert found(text) is None


def test_the_same_story_with_other_numbers_is_another_problem():
    assert found(CIRCLES.replace("7", "5").replace("12", "8").replace("19", "13")) is None


SUMS = [(4, 3), (8, 1), (6, 6), (2, 9), (7, 5), (9, 4), (5, 1), (3, 3)]


def sum_of(a, b):
    return f"State the final answer to the following arithmetic problem: {a} + {b} ="


@pytest.mark.parametrize("count", [1, 8])
def test_of_a_template_the_numbers_decide(count):
    index = indexed([evaluation(*(sum_of(*pair) for pair in SUMS[:count]))], SETTINGS)
    wrong = [(a, b) for a in range(1, 10) for b in range(1, 10)
             if (contaminated(sum_of(a, b), index) is not None) != ((a, b) in SUMS[:count])]  # fmt: skip
    assert wrong == []


def test_a_longer_sum_with_the_same_numbers_in_it_is_clean():
    index = indexed([evaluation(*(sum_of(*pair) for pair in SUMS))], SETTINGS)
    assert contaminated("State the final answer to the following arithmetic problem: 4 + 6 + 9 + 3 =", index) is None


def cipher(word):
    return f"The text below was written with a secret alphabet. Decrypt it and give back the plain text and nothing else: {word}"


WORDS = ["qwzrt plokm", "asdfg yxcvb", "mnbvc lkjhg", "rtzui poiuz", "ghjkl werty", "uioph qasde", "vbnmk jhgfd", "edcrf tgbzh"]


def test_of_a_template_without_numbers_the_data_decide():
    candidates = sources([cipher(word) for word in WORDS])
    screened = decontaminated(candidates, [evaluation(cipher(WORDS[3]), LAMPS)], SETTINGS)
    assert [one.problem for one in screened.dropped] == ["c3"]
    assert "template" in screened.dropped[0].detail


def test_an_instruction_that_every_problem_has_is_no_evidence():
    form = " Put your final answer in a box, give every number as a reduced fraction, and write no unit after it."
    evaluations = [evaluation(*(text + form for text in (LAMPS, CIRCLES, ORCHARD, EQUATION, SHORT)))]
    assert contaminated("How many edges does a cube have?" + form, indexed(evaluations, SETTINGS)) is None


def test_dropped_candidates_name_release_problem_test_and_figures_and_the_order_stays():
    screened = decontaminated(sources([CLEAN[0], LAMPS, CLEAN[1], CIRCLES]), [CONTEST], SETTINGS)
    assert [one.problem.id for one in screened.kept] == ["c0", "c2"]
    assert [(one.problem, one.reason) for one in screened.dropped] == [("c1", "contest"), ("c3", "contest")]
    assert screened.dropped[0].detail.startswith("contest e0, n-grams: holds 1.00 of its ")
    assert screened.dropped[0].statement == LAMPS


def test_a_check_with_the_same_pool_says_what_the_step_said():
    statements = [*map(cipher, WORDS), LAMPS, *CLEAN, ORCHARD.replace("cherry", "apple")]
    evaluations = [CONTEST, evaluation(cipher(WORDS[3]), release="ciphers")]
    index = indexed(evaluations, SETTINGS, statements)
    screened = decontaminated(sources(statements), evaluations, SETTINGS)
    assert {one.problem.statement for one in screened.kept} == {text for text in statements if contaminated(text, index) is None}


def test_the_settings_decide():
    half = f"{FILLER} Exactly 13 trees carry ribbons of both colours. What is the largest number of trees that may stand along it?"
    assert found(half) is None
    assert found(half, settings=Decontamination(overlap=0.2)).problem == "e2"


def test_without_evaluation_problems_everything_is_clean():
    assert decontaminated(sources([LAMPS]), [], SETTINGS).dropped == ()
    assert contaminated(LAMPS, indexed([evaluation("")], SETTINGS)) is None


def test_another_hash_seed_gives_the_same_bytes():
    code = (
        "from tests.curation.test_contamination import *\n"
        "print(decontaminated(sources([*map(cipher, WORDS), LAMPS.replace('night', 'day'), ORCHARD, *CLEAN]), "
        "[CONTEST, evaluation(cipher(WORDS[3]))], SETTINGS))"
    )
    said = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True,
                       text=True, check=True).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(said) == 1
