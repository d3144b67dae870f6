"""Generated problems are the same in every process, and a generator that cannot be graded is refused."""

import json
import re
import subprocess
import sys

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark, check_problems, settings_of_choice
from tmas_assets.benchmarks._gym_names import generators
from tmas_assets.benchmarks._gym_worker import DrawRequest, draw
from tmas_assets.benchmarks.reasoning_gym import ReasoningGymSettings, Task, _seed, mix
from tmas_assets.records import BenchmarkChoice

ENTRY = benchmark("reasoning_gym")


def make(**settings):
    return ENTRY.read({}, ReasoningGymSettings.model_validate(settings), "demo")


@pytest.fixture(scope="module")
def defaults():
    return make()


def test_the_defaults_are_small_sums_and_products(defaults):
    check_problems(defaults, None, "reasoning_gym")
    assert len(defaults) == 20
    counts = {name: sum(p.id.startswith(name + "-") for p in defaults)
              for name in ("chain_sum", "two_digit_sum", "products")}
    assert counts == {"chain_sum": 10, "two_digit_sum": 5, "products": 5}
    assert all(abs(int(p.answer)) < 1000 for p in defaults)


def test_ids_statement_and_gold_are_readable(defaults):
    first = defaults[0]
    assert first.id == "chain_sum-0000"
    entry = json.loads(first.grading_data)["entry"]
    assert (first.statement, first.answer) == (entry["question"], entry["answer"])


def test_the_package_version_is_pinned_in_digest_and_source(defaults):
    first = defaults[0]
    package = json.loads(first.grading_data)["package"]
    assert package.startswith("reasoning-gym ")
    assert package in first.source
    other = first.model_copy(update={"grading_data": first.grading_data.replace(package, "reasoning-gym 9.9")})
    assert other.digest != first.digest


def test_questions_do_not_repeat(defaults):
    assert len({p.statement for p in defaults}) == len(defaults)


def test_the_hash_seed_of_the_process_does_not_matter(monkeypatch):
    """knight_swap iterates over sets of strings, so without care its entries depend on the process."""
    made = []
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        made.append(make(size=3, tasks=[{"name": "knight_swap"}]))
    assert made[0] == made[1]


def request(**changes):
    return DrawRequest(**{"name": "chain_sum", "config": {}, "seed": 1, "count": 3, "draws": 60, **changes})


def test_a_larger_benchmark_begins_with_the_smaller_one():
    assert draw(request(count=8, draws=160))[:3] == draw(request())


def test_neighbouring_seeds_of_the_benchmark_share_no_entry(defaults):
    """The package seeds item i with seed + i: taken as they are, seeds 0 and 1 would share all but one entry."""
    seed = int(re.search(r"seed (\d+)", defaults[0].source).group(1))
    other = _seed(Task(name="chain_sum"), ReasoningGymSettings(seed=1))
    assert abs(seed - other) > 10**6


def test_every_prefix_has_the_mix_of_the_whole():
    tasks = (Task(name="gcd", weight=3), Task(name="lcm", weight=1))
    names = [task.name for task in mix(tasks, 40)]
    assert names.count("gcd") == 30
    assert all(abs(names[:n].count("gcd") - n * 3 / 4) < 1 for n in range(1, 41))


@pytest.mark.parametrize(("task", "said"), [
    ({"name": "no_such_task"}, "no_such_task.*not registered"),
    ({"name": "chain_sum", "config": {"max_digits": 0}}, "chain_sum with .*max_digits"),
    ({"name": "chain_sum", "config": {"no_such_field": 1}}, "no_such_field"),
    ({"name": "rubiks_cube"}, "its gold is None"),
    ({"name": "products", "config": {"max_digits": 1}, "count": 150, "draws": 300}, "different questions"),
])
def test_an_unusable_generator_is_named(task, said):
    with pytest.raises(BenchmarkError, match=said):
        draw(request(**task))


def test_a_fault_in_the_drawing_process_reaches_the_caller():
    with pytest.raises(BenchmarkError, match="reasoning_gym task rubiks_cube"):
        make(tasks=[{"name": "rubiks_cube"}])


def test_a_generator_that_there_is_not_is_refused_with_its_field_and_the_nearest_one_before_anything_is_drawn():
    choice = BenchmarkChoice(name="reasoning_gym", settings={"tasks": [{"name": "gcd"}, {"name": "chainsum"}]})
    with pytest.raises(BenchmarkError, match=r"tasks\.1\.name: .*no generator 'chainsum'; did you mean chain_sum"):
        settings_of_choice(choice)


def test_names_are_those_the_package_registers_and_are_had_without_importing_it():
    code = (
        "import sys; from tmas_assets.benchmarks._gym_names import generators; names = generators(); "
        "assert 'reasoning_gym' not in sys.modules; import reasoning_gym.factory as f; print(sorted(set(names) ^ set(f.DATASETS)))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), len(generators()) > 100) == ("[]", True), done.stderr
