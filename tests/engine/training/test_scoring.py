"""Samples are graded, judged and rewarded in one call: nothing hangs it, nothing unknown becomes a number, a judgement is paid once."""

import threading
from contextlib import closing

import pytest

from resources.chat.client import EndpointUnavailable
from tests.rewards.made import HYBRID, row, training
from tests.scripted import launch
from tests.scripted.replies import Reply, default
from tests.scripted.server import Settings
from tests.training.rounds import candidate
from tests.training.stored_rows import made
from tests.whole.experiments import deployment, endpoint
from tmas_assets.engine.team import EndpointRefuses
from tmas_assets.engine.training.row_problem import graded_problem, posed_problem
from tmas_assets.engine.training.scoring import Scorer, ScoringFault, judge_of

RIGHT, WRONG = "So \\boxed{1}.", "So \\boxed{7}."
TOWER = "So \\boxed{5^{5^{5^{5}}}}."
JUDGED = (HYBRID[0], HYBRID[1], {"name": "novel_strategy", "settings": {"novelty": "judge"}})


@pytest.fixture
def scorer(tmp_path):
    with Scorer(training(), deployment(tmp_path), "test") as made:
        yield made


def totals(scorer, rows, replies, cut=False):
    return [one.total for one in scorer.score(rows, replies, [cut] * len(rows))]


def test_samples_of_all_sources_are_rewarded_in_their_order(scorer):
    known = f"We try {row('guideline').extra_info.guideline[0].text}. \\boxed{{1}}"
    rows = [row("normal"), row("experience", p_base=0.25), row("guideline"), row("normal"), row("guideline"), row("normal")]
    found = scorer.score(rows, [WRONG, RIGHT, known, RIGHT, WRONG, "no box at all"], [False] * 6)
    assert [one.total for one in found] == [-1.0, 1.375, 0.2, 1.0, -0.5, -1.0]
    assert [one.outcome for one in found] == ["wrong", "right", "right", "right", "wrong", "wrong"]
    assert [one.novel for one in found] == [None, None, False, None, True, None]
    assert not scorer.unrewarded


def test_an_ungradable_gold_pays_nothing_and_is_counted(scorer):
    broken = row("normal", grader="math", ground_truth=r"\begin{cases")
    assert totals(scorer, [broken, broken, row("normal")], [RIGHT, r"\boxed{\begin{cases}", RIGHT]) == [None, None, 1.0]
    assert scorer.unrewarded == {"unparseable_gold": 2}


def test_gold_and_answer_are_not_swapped(scorer):
    interval = row("normal", grader="math", ground_truth=r"(2,\infty)")
    five = row("normal", grader="math", ground_truth="5")
    assert totals(scorer, [interval, interval, five], [r"\boxed{x > 2}", r"\boxed{x \ge 2}", r"\boxed{\begin{cases}"]) == [1.0, -1.0, -1.0]


def test_what_rules_leave_undecided_has_no_reward(scorer):
    words = row("normal", grader="math", ground_truth="all even integers n")
    assert totals(scorer, [words], [r"\boxed{\text{every even } n}"]) == [None]
    assert scorer.unrewarded == {"undecided": 1}


def test_a_tower_of_powers_hangs_no_worker_thread_and_the_next_sample_is_graded(scorer):
    gold = row("normal", grader="math", ground_truth=r"\sqrt{2}+\pi")
    found = []
    thread = threading.Thread(
        target=lambda: found.extend(
            [*totals(scorer, [gold] * 4, [TOWER] * 4), *totals(scorer, [gold], [r"\boxed{\pi + \sqrt{2}}"])]
        )
    )
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert set(found[:4]) <= {None, -1.0}
    assert found[4] == 1.0


def test_unequal_lengths_are_refused(scorer):
    with pytest.raises(ValueError, match="2 rows, 1 replies and 2 marks"):
        scorer.score([row(), row()], [RIGHT], [False, False])


@pytest.mark.parametrize("reply", ["", "<think>\n</think>"])
def test_a_guideline_sample_without_a_word_is_wrong_and_not_new(scorer, reply):
    assert totals(scorer, [row("guideline")], [reply], cut=True) == [-1.0]
    assert not scorer.unrewarded


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grpo": {"steps": 1, "rewards": [{"name": "novel"}]}}, "grpo.rewards.0.name: no reward 'novel'"),
        ({"grpo": {"steps": 1, "rewards": list(JUDGED)}}, "judge: novel_strategy asks a judge"),
        ({"prompts": None, "grpo": None, "conversations": {"set": "cold"}, "sft": {}}, "an sft run has no rewards"),
    ],
)
def test_rewards_with_faults_are_refused_before_anything_is_scored(tmp_path, change, words):
    with pytest.raises(ScoringFault, match=words):
        Scorer(training(**change), deployment(tmp_path), "test")


def test_the_statement_is_cut_out_of_the_prompt_as_it_was_posed():
    guided = [one for one in made()[0] if one.source == "guideline"]
    assert len(guided) > 1
    for one in guided:
        problem = candidate(one.extra_info.problem.removeprefix("sums/")).problem
        assert posed_problem(one).statement == problem.statement
        assert (graded_problem(one).answer, graded_problem(one).grader) == (problem.answer, problem.grader)


def test_a_prompt_of_another_form_is_refused():
    with pytest.raises(ValueError, match=r"row \d+ of cold: its prompt does not begin with a problem and strategies"):
        posed_problem(row("normal"))


class Judge:
    """Calls a solution by parity novel, one by luck nothing at all, others known; keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, asked):
        if "Compare the way of the solution" not in asked.prompt:
            return default(asked)
        self.asked.append(asked)
        if "luck" in asked.prompt:
            return Reply("I cannot say.")
        return Reply(f'{{"report": "so", "verdict": "{"novel" if "parity" in asked.prompt else "known"}"}}')


def judged(url, **change):
    return training(*JUDGED, judge=endpoint(url, **change))


def test_a_judge_says_what_is_novel_is_paid_once_and_unreadable_words_are_no_verdict(tmp_path):
    script, place = Judge(), deployment(tmp_path)
    guided = row("guideline")
    rows = [guided, guided, guided, guided, row("normal"), row("experience", p_base=0.0), guided]
    replies = [f"By parity. {RIGHT}", f"As before. {WRONG}", f"By luck. {RIGHT}", f"By parity. {RIGHT}", RIGHT, RIGHT, ""]
    with launch.thread(script=script) as server:
        with Scorer(judged(server.url), place, "one") as scorer:
            first = totals(scorer, rows, replies)
            assert first == [1.0, -1.0, None, 1.0, 1.0, 1.5, -1.0]
            assert scorer.unrewarded == {"novelty unknown": 1}
            assert len(script.asked) == 3
            assert totals(scorer, rows, replies) == first
        with Scorer(judged(server.url), place, "two") as scorer:
            assert totals(scorer, rows, replies) == first
        assert server.stats()["total"] == 3
    with closing(place.call_log()) as log:
        assert [(line.role, line.calls) for line in log.totals("run__novelty")] == [("novelty", 3)]


def test_the_judge_is_asked_at_temperature_0_without_the_gold_and_sees_the_answer_part_alone(tmp_path):
    script = Judge()
    guided = row("guideline", ground_truth="86420")
    with launch.thread(script=script) as server, Scorer(judged(server.url), deployment(tmp_path), "one") as scorer:
        assert totals(scorer, [guided], ["<think>hidden</think>By parity, \\boxed{86421}."], cut=True) == [-0.5]
    [asked] = script.asked
    assert asked.body["temperature"] == 0
    assert not [word for word in ("86420", "hidden") if word in asked.prompt]
    assert all(word in asked.prompt for word in ("By parity", guided.extra_info.guideline[0].text, "breaks off"))


def test_a_sample_that_no_novelty_could_reward_is_not_judged(tmp_path):
    script = Judge()
    broken = row("guideline", grader="math", ground_truth=r"\begin{cases")
    with launch.thread(script=script) as server, Scorer(judged(server.url), deployment(tmp_path), "one") as scorer:
        assert totals(scorer, [broken], [RIGHT]) == [None]
    assert script.asked == []


def test_a_judge_that_cannot_be_reached_ends_the_scoring(tmp_path):
    far = judged("http://127.0.0.1:9/v1", max_attempts=1)
    with Scorer(far, deployment(tmp_path), "one") as scorer, pytest.raises(EndpointUnavailable, match=r"127\.0\.0\.1:9"):
        totals(scorer, [row("guideline"), row("guideline")], [RIGHT, WRONG])


def test_a_judge_that_refuses_everything_ends_the_scoring(tmp_path):
    with (
        launch.thread(Settings(api_key="another")) as server,
        Scorer(judged(server.url), deployment(tmp_path), "one") as scorer,
        pytest.raises(EndpointRefuses, match=r"run__novelty: endpoints\.default .*unauthorized"),
    ):
        totals(scorer, [row("guideline")], [RIGHT])


def test_who_pays_for_judgements_takes_seed_and_endpoint_from_the_run():
    run = judged("http://127.0.0.1:9/v1", sampling={"temperature": 0.9, "max_tokens": 99})
    run = run.model_copy(update={"optimisation": run.optimisation.model_copy(update={"seed": 4})})
    asking = judge_of(run)
    assert (asking.name, asking.seed, asking.endpoints) == ("run__novelty", 4, {"default": run.judge})
    assert (asking.sampling("novelty").temperature, asking.sampling("novelty").max_tokens) == (0.0, 99)
    with pytest.raises(ScoringFault, match="no judge to ask"):
        judge_of(training())
