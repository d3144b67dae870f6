"""The scripted model for data builds: every role's form, spread pass rates, honest checks, growing banks, the same bytes."""

import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.curation.problems_of import rows
from tests.engine.bench_of_cells import Bench, experiment
from tests.resources.calls import call
from tests.scripted import curating, launch
from tests.scripted.arithmetic import last_calculation, spelled
from tests.scripted.curating import BREAKS, FORMLESS, SOLVER
from tests.scripted.replies import Asked, Script, request_digest
from tests.scripted.server import Settings
from tests.scripted.solving import TEMPTING, posed, posed_in
from tests.whole.experiments import endpoint
from tests.whole.files import contents
from tmas_assets.agents import judge, question_review, solution
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.benchmarks.reasoning_gym import ReasoningGymSettings, read
from tmas_assets.records import Call, ChatRequest, Experiment, Grade, Problem, Round, Sampling

TMAS = ("tmas", {"candidates": 4, "verifications": 2, "epsilon": 0.3}, 3)
SINGLE = ("single", {"samples": 8}, 1)
TEAM = ("mas_tts", {"experts": 3, "critic_iterations": 2, "token_choices": [256, 512]}, 2)
STRATEGIES = (TMAS, SINGLE, TEAM)


def problems(count: int, seed: int = 3) -> tuple[Problem, ...]:
    return tuple(
        Problem(benchmark="problem_file", release="tests", id=row.id, statement=row.question, answer=row.answer, grader="math")
        for row in rows(count, seed, spoil=False)
    )


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """One server a script."""
    named: dict[str, Script] = {name: getattr(curating, name) for name in ("solver", "strong", "thinking", "stubborn")}
    with ExitStack() as stack:
        yield {name: stack.enter_context(launch.thread(Settings(), script)).url for name, script in named.items()}


def asked_of(url: str, strategy: tuple[str, dict[str, object], int], *, structured: bool) -> Experiment:
    name, settings, iterations = strategy
    return experiment(url, strategy={"name": name, "settings": settings}, iterations=iterations, failure_threshold=1.0,
                      endpoints={"default": endpoint(url, structured_output=structured, sampling={"max_tokens": 8192})})  # fmt: skip


def ran(bench: Bench) -> tuple[list[Round], list[Grade]]:
    """All rounds and grades of a campaign of the real engine."""
    assert bench.run().stopped == []
    return [one for cell in bench.made for one in cell.rounds], [grade for cell in bench.made for grade in cell.grades]


def parses(rounds: list[Round]) -> Counter[str]:
    """How replies of roles with a form were read."""
    return Counter(
        part.parse for round_ in rounds
        for part in (*round_.verifications, *round_.summaries, *round_.memory.writes, *round_.memory.turns)
    )  # fmt: skip


@pytest.mark.parametrize("structured", [True, False], ids=["json", "free"])
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy[0])
@pytest.mark.parametrize("name", ["solver", "strong"])
def test_every_reply_of_every_role_is_in_form(urls, tmp_path, name, strategy, structured):
    rounds, grades = ran(Bench(asked_of(urls[name], strategy, structured=structured), tmp_path, problems(6)))
    assert set(parses(rounds)) <= {"parsed"}
    assert all(rollout.answer for round_ in rounds for rollout in round_.rollouts)
    assert {grade.outcome for grade in grades} <= {"right", "wrong"}
    if strategy is not SINGLE:
        assert parses(rounds)["parsed"] > 20


def test_pass_rates_are_spread_with_some_at_none_and_some_at_all(urls, tmp_path):
    bench = Bench(asked_of(urls["solver"], SINGLE, structured=True), tmp_path, problems(60))
    _, grades = ran(bench)
    right = Counter(grade.problem for grade in grades if grade.outcome == "right")
    rates = sorted(right[problem.id] / 8 for problem in bench.problems)
    assert rates[0] == 0
    assert rates[-1] == 1
    assert 0.4 < sum(0 < rate < 1 for rate in rates) / len(rates) < 0.85
    assert len({rate for rate in rates if 0 < rate < 1}) >= 5


def test_checks_mostly_agree_with_the_grades_and_sometimes_do_not(urls, tmp_path):
    rounds, grades = ran(Bench(asked_of(urls["solver"], TMAS, structured=True), tmp_path, problems(12)))
    right = {(grade.problem, grade.rollout): grade.outcome == "right" for grade in grades}
    checks = [check for round_ in rounds for check in round_.verifications]
    decided = [(check.score == 1) == right[check.problem, check.rollout] for check in checks if check.score in (0, 1)]
    assert 0.75 < statistics.mean(decided) < 1
    assert {check.score for check in checks} == {0, 0.5, 1}


def test_banks_grow_with_lines_that_speak_of_the_problem(urls, tmp_path):
    rounds, _ = ran(Bench(asked_of(urls["solver"], TMAS, structured=True), tmp_path, problems(6)))
    sizes = {iteration: [len(round_.memory.entries) for round_ in rounds if round_.iteration == iteration] for iteration in range(3)}
    assert min(sizes[0]) >= 3
    assert sum(sizes[0]) < sum(sizes[1]) < sum(sizes[2])
    lines = [entry.text for round_ in rounds if round_.iteration == 2 for entry in round_.memory.entries]
    assert len(set(lines)) > 0.95 * len(lines)
    assert any(entry.state == "refuted" for round_ in rounds for entry in round_.memory.entries)


def test_critics_and_evaluator_mostly_judge_as_the_grader_does(urls, tmp_path):
    rounds, grades = ran(Bench(asked_of(urls["strong"], TEAM, structured=True), tmp_path, problems(10)))
    right = {(grade.problem, grade.rollout): grade.outcome == "right" for grade in grades}
    for role in ("critic", "evaluator"):
        checks = [check for round_ in rounds for check in round_.verifications if check.trace.role == role]
        same = [(check.score == 1) == right[check.problem, check.rollout] for check in checks]
        assert 0.75 < statistics.mean(same) <= 1
        assert {check.score for check in checks} == {0, 1}


@pytest.mark.parametrize("structured", [True, False], ids=["json", "free"])
def test_a_stubborn_model_breaks_the_form_at_the_stated_rate(urls, tmp_path, structured):
    rounds, _ = ran(Bench(asked_of(urls["stubborn"], TMAS, structured=structured), tmp_path, problems(12)))
    read_ = parses(rounds)
    assert BREAKS / 2 < 1 - read_["parsed"] / read_.total() < 1.5 * BREAKS
    answers = [rollout.answer for round_ in rounds for rollout in round_.rollouts]
    assert 0 < answers.count(None) / len(answers) < 2 * BREAKS


def test_a_thinking_model_thinks_before_nearly_every_reply_in_both_places(urls, tmp_path):
    bench = Bench(asked_of(urls["thinking"], SINGLE, structured=True), tmp_path, problems(40))
    rounds, _ = ran(bench)
    traces = [rollout.trace for round_ in rounds for rollout in round_.rollouts]
    with closing(bench.deployment.call_log()) as log:
        calls = list(log.calls(trace.call for trace in traces))
    thought = [call for call in calls if call.thinking]
    assert 0 < 1 - sum(call.thinking is not None and bool(call.answer) for call in calls) / len(calls) < 4 * FORMLESS
    assert 0.3 < sum(call.thinking_split == "server" for call in thought) / len(thought) < 0.7
    assert len({call.usage.completion_tokens for call in calls}) > 10


def test_two_servers_give_the_same_bytes(tmp_path):
    script = "tests.scripted.curating:stubborn"
    for at in ("one", "other"):
        with launch.process("--script", script) as server:
            bench = Bench(asked_of(server.url, TMAS, structured=False), tmp_path / at, problems(3))
            assert bench.run().stopped == []
    assert contents(tmp_path / "one" / "store") == contents(tmp_path / "other" / "store")


def test_repeating_a_request_gets_the_same_reply_and_another_seed_another(urls):
    first, again, other = (curating.solver(asked(seed=seed)).content for seed in (1, 1, 2))
    assert first == again != other


def asked(problem: str = "What is 12 * 7 + 5?", seed: int = 1, request: ChatRequest | None = None) -> Asked:
    """A request as it comes in at the server."""
    made = request or solution.ask(made_problem(problem), ask(seed=seed), proof=False, branch="plain", shown=(), memory=(), limits=Limits())
    body: dict[str, object] = {"messages": [turn.model_dump() for turn in made.messages], "seed": made.seed, "max_tokens": 512}
    if made.response_schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": json.loads(made.response_schema)}}
    return Asked(body, request_digest(body), 0)


def ask(seed: int = 1, *, structured: bool = False) -> Ask:
    return Ask(sampling=Sampling(max_tokens=512), seed=seed, sample="r0/t00/c0", affinity="p", structured=structured)


def made_problem(statement: str, answer: str = "89") -> Problem:
    return Problem(benchmark="b", release="1", id="p", statement=statement, answer=answer, grader="math")


def replied(request: ChatRequest, script: Script) -> Call:
    return call(0, role=request.role, answer=script(asked(request=request)).content or "")


@pytest.mark.parametrize("structured", [True, False], ids=["json", "free"])
def test_reviews_of_questions_are_in_form_and_differ_by_question(structured):
    reviews = [
        question_review.read(replied(question_review.ask(one, ask(structured=structured), limits=Limits()), curating.strong))
        for one in problems(60)
    ]
    assert {review.parse for review in reviews} == {"parsed"}
    assert {review.difficulty for review in reviews} == {1, 2, 3, 4, 5}
    assert {len(review.disciplines) for review in reviews} == {1, 2, 3}
    assert len({review.disciplines[0] for review in reviews}) >= 5


def test_hard_questions_are_reviewed_as_harder_than_easy_ones():
    ranked = sorted(problems(60), key=lambda one: posed(one.statement).ease)
    told = [question_review.read(replied(question_review.ask(one, ask(), limits=Limits()), curating.solver)).difficulty or 0 for one in ranked]
    assert statistics.mean(told[:20]) > statistics.mean(told[20:40]) > statistics.mean(told[40:])


@pytest.mark.parametrize("structured", [True, False], ids=["json", "free"])
@pytest.mark.parametrize(("answer", "correct"), [("89", True), ("90", False)])
def test_the_judge_compares_answers(answer, correct, structured):
    request = judge.ask(made_problem("What is 12 * 7 + 5?"), "answer", answer, ask(structured=structured))
    assert judge.read(replied(request, curating.solver)).correct is correct


def test_the_true_answer_of_generated_sums_and_products_is_known():
    tasks = [{"name": "chain_sum", "config": {"max_terms": 6, "allow_negation": True}}, {"name": "products"}]
    generated = read({}, ReasoningGymSettings.model_validate({"tasks": tasks, "size": 60}), "tests")
    assert {one.subject for one in generated} == {"chain_sum", "products"}
    assert [one.id for one in generated if posed(one.statement).truth != one.answer] == []


def test_checkers_fall_for_the_tempting_answer_of_a_problem_that_has_one():
    tempted = [one for one in problems(160) if posed(one.statement).tempting is not None]
    assert 160 / TEMPTING / 3 < len(tempted) < 3 * 160 / TEMPTING

    def agreed(box: str, one: Problem) -> float:
        shown = f"Problem: {one.statement}\n\nSolution:\n~~~\nSo \\boxed{{{box}}}.\n~~~\n\nTask: Act your part and check the solution above."
        bodies = [{"messages": [{"role": "user", "content": shown}], "seed": seed} for seed in range(20)]
        replies = [curating.solver(Asked(body, request_digest(body), 0)).content or "" for body in bodies]
        return statistics.mean(reply.endswith("Verdict: agree") for reply in replies)

    for one in tempted:
        found = posed(one.statement)
        assert found.tempting is not None
        assert agreed(found.tempting, one) > 0.4 > agreed(found.slips[1], one)


def test_a_stronger_model_solves_what_a_weaker_one_solves():
    eases = [number / 50 for number in range(50)]
    assert all(curating.STRONG.chance(ease) >= SOLVER.chance(ease) for ease in eases)


@pytest.mark.parametrize(("text", "value"), [
    ("A 12-year-old owes 3 coins. In short: (12 * 35 + 7) / 2.", "213.5"),
    ("It comes to 2^10 mod 7, says Ada.", "2"),
    ("gcd(12, 18) + binom(5,\n2)", "16"),
    ("One has to work out 1 / 3.", r"\frac{1}{3}"),
    ("5 - -8 * 2 = ?", "21"),
    ("No sum in 1999, in 7 places.", None),
    ("Divide 5 / 0.", None),
])  # fmt: skip
def test_the_last_calculation_of_a_text_is_worked_out_exactly(text, value):
    found = last_calculation(text)
    assert (found and spelled(found.value)) == value


def test_the_problem_is_found_before_any_material_and_across_blank_lines():
    message = "Problem: One.\n\nWhat is 2 + 2?\n\nSolution:\n~~~\nProblem: x\n~~~\n\nTask: Check the solution above."
    found = posed_in(message)
    assert found is not None
    assert (found.statement, found.truth) == ("One.\n\nWhat is 2 + 2?", "4")


def test_a_reply_takes_far_less_time_than_a_request_does():
    requests = [asked(problem=one.statement, seed=seed) for one in problems(50) for seed in range(4)]
    began = time.process_time()
    for one in requests:
        curating.thinking(one)
    assert (time.process_time() - began) / len(requests) < 1e-3
