"""RL rows: the prompts are those of test time, what is said to be shown is shown, and every row can be rendered again."""

import re

import pytest

from tests.strategies.team import LocalTeam, go
from tests.training.rounds import SETTINGS, candidate, grade, rate, saying, seen, simulated
from tmas_assets.agents.asking import Limits
from tmas_assets.agents.chat_marks import broken
from tmas_assets.memory import live
from tmas_assets.records import RlRow
from tmas_assets.strategies.tmas import Settings
from tmas_assets.training.rl_rows import (
    NOT_CHOSEN,
    experience_rows,
    guideline_rows,
    normal_rows,
    prompt_digest,
    rerender,
)

KINDS = {"experience": experience_rows, "guideline": guideline_rows}
LINE = re.compile(r"^([eg]\d{3}) \((\w+)\) (.*)$", re.MULTILINE)


def rows(kind, rounds, settings=SETTINGS, most=100, seed=0):
    return KINDS[kind](rounds, settings, data_set="cold", most=most, seed=seed)


def normal(of, settings=SETTINGS, p=0.5):
    return normal_rows(of, rate(of, p), settings, data_set="cold", most=1)


@pytest.mark.parametrize("settings", [SETTINGS, SETTINGS.model_copy(update={"limits": Limits(example=True)}), Settings(candidates=4, verifications=1, refine_from="all", epsilon=0.5)], ids=["paired", "example", "all"])  # fmt: skip
def test_every_prompt_is_one_that_the_solution_agent_sends_on_the_same_rounds(settings):
    of, team = candidate(), LocalTeam(saying("1", "2"))
    rounds = [seen(one, of) for one in go(team, of.problem, "tmas", settings, 4)]
    sent = {request.messages for request in team.by_role("solution")}
    made = {row.prompt for kind in KINDS for row in rows(kind, rounds[:3], settings)}
    showing = {prompt for prompt in sent if any(mark in prompt[-1].content for mark in ("\nNotes:\n", "\nStrategies already tried:\n"))}
    assert normal(of, settings)[0].prompt in sent
    assert len(showing) > 3
    assert showing <= made


def test_the_first_message_is_the_system_message_and_example_turns_stay():
    with_example = Settings(candidates=2, verifications=1, limits=Limits(example=True))
    rounds = simulated(iterations=1, settings=with_example)
    for row in (*normal(candidate(), with_example), *rows("experience", rounds, with_example), *rows("guideline", rounds, with_example)):
        assert [message.role for message in row.prompt] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bank_chars", [200, 2000])
def test_the_entries_said_to_be_shown_are_the_very_lines_of_the_prompt(kind, bank_chars):
    settings = SETTINGS.model_copy(update={"limits": Limits(bank_chars=bank_chars)})

    async def wordy(request):
        if request.role in KINDS:
            name = {"experience": "pitfalls", "guideline": "strategies"}[request.role]
            return f'{{"conclusions": [], "{name}": ["{request.sample} never\\n  {"so " * 20}", "short {request.sample}"], "refuted": []}}'
        return await saying("1", "2")(request)

    rounds = simulated(iterations=4, settings=settings, team=LocalTeam(wordy))
    made = rows(kind, rounds, settings)
    short = 0
    for row in made:
        lines = [(id_, polarity, text) for id_, polarity, text in LINE.findall(row.prompt[-1].content)]
        before = next(one.round for one in rounds if one.round.iteration == row.extra_info.iteration - 1)
        assert lines == [(entry.id, entry.polarity, entry.text) for entry in getattr(row.extra_info, kind)] != []
        short += len(lines) < len(live(before.memory.entries, kind))
    assert (short > 0) == (bank_chars == 200)
    assert {getattr(row.extra_info, other) for other in KINDS if other != kind for row in made} == {()}


def test_an_entry_of_several_lines_is_said_as_the_one_line_that_it_is_in_the_prompt():
    before = simulated(iterations=1)[0]
    memory = before.round.memory
    entries = tuple(entry.model_copy(update={"text": " two\n  lines\tof it "}) for entry in memory.entries)
    broken = seen(before.round.model_copy(update={"memory": memory.model_copy(update={"entries": entries})}), candidate())
    for kind in KINDS:
        row = rows(kind, [broken])[0]
        assert [entry.text for entry in getattr(row.extra_info, kind)] == ["two lines of it"] == [text for _, _, text in LINE.findall(row.prompt[-1].content)]


def test_an_entry_too_long_for_the_prompt_makes_no_row():
    settings = SETTINGS.model_copy(update={"limits": Limits(bank_chars=200)})

    async def endless(request):
        if request.role == "guideline":
            return f'{{"strategies": ["{"long " * 60}"], "refuted": []}}'
        return await saying("1")(request)

    rounds = simulated(iterations=1, settings=settings, team=LocalTeam(endless))
    assert live(rounds[0].round.memory.entries, "guideline")
    assert rows("guideline", rounds, settings) == ()
    assert rows("experience", rounds, settings)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bank_that_is_not_written_makes_no_row(kind):
    settings = Settings(candidates=2, verifications=1, banks=tuple(other for other in KINDS if other != kind))
    rounds = simulated(settings=settings)
    assert rows(kind, rounds, settings) == ()


def test_experience_has_a_row_a_candidate_number_and_guidelines_one_a_round():
    rounds = simulated(iterations=2)
    made = [(row.extra_info.iteration, row.extra_info.candidate) for row in rows("experience", rounds)]
    assert made == [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2), (2, 3)]
    assert [(row.extra_info.iteration, row.extra_info.candidate) for row in rows("guideline", rounds)] == [(1, 0), (2, 0)]


@pytest.mark.parametrize("refine_from", ["best", "all"])
def test_equal_prompts_are_one_row(refine_from):
    settings = Settings(candidates=4, verifications=1, refine_from=refine_from)
    assert [row.extra_info.candidate for row in rows("experience", simulated(iterations=1, settings=settings), settings)] == [0]


@pytest.mark.parametrize("most", [0, 1, 3, 50])
def test_a_problem_gives_no_more_rows_than_its_cap_drawn_by_the_seed(most):
    rounds = simulated()
    every = rows("experience", rounds)
    drawn = [rows("experience", rounds, most=most, seed=seed) for seed in range(12)]
    assert {len(some) for some in drawn} == {min(most, len(every))}
    assert all(set(row.extra_info.prompt_digest for row in some) <= {row.extra_info.prompt_digest for row in every} for some in drawn)
    assert (len({tuple(row.extra_info.prompt_digest for row in some) for some in drawn}) > 1) == (0 < most < len(every))


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rounds_decides_nothing(kind):
    rounds = simulated() + simulated(repeat=1)
    assert rows(kind, rounds, most=3) == rows(kind, rounds[::-1], most=3)


@pytest.mark.parametrize("kind", ["normal", *KINDS])
def test_a_row_renders_again_from_its_parents(kind):
    of, rounds = candidate(), simulated(candidate())
    for row in normal(of) if kind == "normal" else rows(kind, rounds):
        last = next((one.round for one in rounds if one.round.iteration == row.extra_info.iteration - 1), None)
        assert rerender(row, of, last, SETTINGS) == row.prompt
        assert row.extra_info.prompt_digest == prompt_digest(row.prompt)


def test_a_row_is_not_rendered_from_what_is_not_its_parents():
    rounds = simulated()
    row = rows("guideline", rounds)[0]
    for of, last in ((candidate("other"), rounds[0].round), (candidate(), rounds[1].round), (candidate(), None)):
        with pytest.raises(ValueError, match=r"row -1 of cold comes from problem .* and round \('sums/p1', 0, 0\)"):
            rerender(row, of, last, SETTINGS)
    with pytest.raises(ValueError, match="round None"):
        rerender(normal(candidate())[0], candidate(), rounds[0].round, SETTINGS)


def test_each_set_has_its_column_values():
    rounds = simulated()
    kinds = {(row.source, row.data_source, row.reward_model.style, row.extra_info.branch) for row in (*normal(candidate()), *rows("experience", rounds), *rows("guideline", rounds))}
    assert kinds == {("normal", "math", "rule", "plain"), ("experience", "math", "rule", "refine"), ("guideline", "math_grm", "model", "explore")}


def test_a_row_names_the_round_and_how_its_answers_fared():
    rounds = [seen(one.round, candidate(), outcomes=("right", "wrong", "undecided", "wrong")) for one in simulated()]
    for row in (*rows("experience", rounds), *rows("guideline", rounds)):
        before, info = rounds[row.extra_info.iteration - 1], row.extra_info
        assert (info.right_before, info.wrong_before) == (1, 2)
        assert (info.rollouts_digest, info.summaries_digest, info.memory_digest) == (before.rollouts_digest, before.summaries_digest, before.memory_digest)
        assert (info.teacher, info.teacher_model, info.licence, info.origin, info.index) == ("teacher", "teacher-model", "MIT", "sums", NOT_CHOSEN)
        assert info.parents == ((f"r0t{info.iteration - 1:02d}c{info.candidate}",) if row.source == "experience" else ())


def test_samples_that_were_not_graded_are_none_of_those_that_the_pass_rate_is_of():
    of = candidate()
    measured = rate(of).model_copy(update={"samples": 6, "right": 3, "ungraded": 2})
    [row] = normal_rows(of, measured, SETTINGS, data_set="cold", most=1)
    assert (row.extra_info.p_base, row.extra_info.p_base_samples) == (0.5, 6)


def test_a_row_pays_by_its_problems_gold_under_the_problems_grader():
    of = candidate(gold="\\frac{7}{3}")
    of = of.model_copy(update={"problem": of.problem.model_copy(update={"grader": "math", "grading_data": '{"a": 1}'})})
    [row] = normal_rows(of, rate(of), SETTINGS, data_set="cold", most=1)
    reward = row.reward_model
    assert (reward.ground_truth, reward.grader, reward.grading_data) == ("\\frac{7}{3}", "math", '{"a": 1}')


def test_the_pass_rate_of_another_problem_is_refused():
    of, other = candidate("p1"), candidate("p2")
    with pytest.raises(ValueError, match=r"sums/p1: a row needs a gold .* and a pass rate of this very problem"):
        normal_rows(of, rate(other), SETTINGS, data_set="cold", most=1)


def test_a_plain_row_names_no_round_and_no_teacher():
    info = normal(candidate(), p=0.25)[0].extra_info
    assert (info.p_base, info.p_base_samples, info.iteration) == (0.25, 8, 0)
    assert (info.teacher, info.teacher_model, info.rollouts_digest, info.summaries_digest, info.memory_digest) == (None,) * 5


def test_what_a_teacher_wrote_stands_in_the_prompt_untouched():
    odd = "Line\r\n\ttabs <think> ~~~~ ünï \\boxed{1} <|im_end|>"

    async def oddly(request):
        return odd if request.role == "solution" else await saying("1")(request)

    made = rows("experience", simulated(iterations=1, team=LocalTeam(oddly)))
    assert made
    # as the solution agent is shown it: a mark that would end the message is broken
    assert all(broken(odd) in row.prompt[-1].content for row in made)


@pytest.mark.parametrize(("gold", "p", "said"), [(None, 0.5, "needs a gold .found None."), ("1", None, "found p = None")])
def test_a_problem_without_gold_or_pass_rate_makes_no_row(gold, p, said):
    of = candidate(gold=gold)
    with pytest.raises(ValueError, match=said):
        normal(of, p=p)


def test_rounds_of_two_problems_are_refused():
    with pytest.raises(ValueError, match=r"rounds of 2 problems \(sums/p1, sums/p2"):
        rows("guideline", simulated(iterations=1) + simulated(candidate("p2"), iterations=1))


def test_grades_of_another_file_or_missing_ones_are_refused():
    of, round_ = candidate(), simulated(iterations=1)[0].round
    whole = seen(round_, of)
    stale = tuple(grade(one, rollouts_digest="of an older file") for one in round_.rollouts)
    for grades, said in ((stale, "c0 is of the file of an older"), (whole.grades[1:], "c0 is not there")):
        with pytest.raises(ValueError, match=said):
            type(whole)(**{**vars(whole), "grades": grades})
    with pytest.raises(ValueError, match="pass rate is of another problem"):
        type(whole)(**{**vars(whole), "rate": rate(candidate("other"))})


def test_rows_are_the_record_that_is_stored():
    row = rows("guideline", simulated())[0]
    assert RlRow.model_validate(row.model_dump(by_alias=True)) == row
