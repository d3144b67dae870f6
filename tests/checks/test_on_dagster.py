"""The checks run with the materialization of `problems/<benchmark>`, read the stored table and show what they found."""

from pathlib import Path

import dagster as dg
import pytest

from resources.parquet_store import Address, Parent
from tests.benchmarks.made_up import gpqa_csv
from tests.whole.experiments import deployment
from tmas_assets.assets.problems import problems_asset
from tmas_assets.benchmarks import benchmark
from tmas_assets.checks.problems import problems_checks
from tmas_assets.engine.problems import read_made, read_table
from tmas_assets.records import BenchmarkChoice, Problem

SUMS = BenchmarkChoice(name="reasoning_gym", release="sums", settings={"size": 3})


class Table:
    """One benchmark in a folder; `run` materializes it with its checks and gives their evaluations by name."""

    def __init__(self, folder: Path, choice: BenchmarkChoice) -> None:
        own_home = {} if choice.name == "reasoning_gym" else {"home": str(folder / "home")}
        self.deployment = deployment(folder, data=str(folder / "data"), **own_home)
        self.choice = choice
        self.assets = [problems_asset(choice), problems_checks(choice)]

    def run(self, *, only_checks: bool = False) -> dict[str, dg.AssetCheckEvaluation]:
        with dg.DagsterInstance.ephemeral() as instance:
            of_the_asset = dg.AssetSelection.checks_for_assets(self.assets[0])
            done = dg.materialize(
                self.assets, instance=instance, resources={"deployment": self.deployment},
                selection=of_the_asset if only_checks else None,
            )  # fmt: skip
            assert done.success
            return {found.check_name: found for found in done.get_asset_check_evaluations()}

    def table(self):
        return read_table(self.deployment.store(), "reasoning_gym_sums")

    def rewrite(self, problems, made_from=None):
        """Change the stored table behind the loader's back."""
        parents = self.table().file.made_from if made_from is None else made_from
        at = Address(("problems", "reasoning_gym_sums"), ("problems",))
        self.deployment.store().write(at, Problem, problems, parents)


@pytest.fixture
def sums(tmp_path):
    return Table(tmp_path, SUMS)


def test_a_sound_table_passes_every_check_and_says_how_much_was_looked_at(sums):
    found = sums.run()
    assert set(found) == {"ids_unique", "golds_hold", "digest_pinned", "difference_listed", "gold_not_in_statement"}
    assert all(one.passed for one in found.values()), {name: one.description for name, one in found.items()}
    assert found["golds_hold"].description == "3 golds against themselves: 3 right, 0 undecided, 0 wrong, 0 failed"
    assert found["ids_unique"].metadata["looked_at"].value == 3


def test_what_breaks_a_promise_is_named_with_its_ids(sums):
    sums.run()
    first, second, third = sums.table().problems
    sums.rewrite([first, second.model_copy(update={"id": first.id}),
                  third.model_copy(update={"statement": f"{third.statement} It is = {third.answer}. What is it?"})])
    found = sums.run(only_checks=True)
    assert not found["ids_unique"].passed
    assert found["ids_unique"].metadata["offending_ids"].value == [first.id]
    assert found["ids_unique"].severity == dg.AssetCheckSeverity.ERROR
    assert found["gold_not_in_statement"].metadata["offending_ids"].value == [third.id]
    assert found["golds_hold"].passed


def test_a_gold_that_changed_under_one_label_warns_until_another_table_comes(sums):
    sums.run()
    first, *rest = sums.table().problems
    sums.rewrite([first.model_copy(update={"answer": "999"}), *rest])
    for _ in range(2):  # the second load finds the same table, and the change is still the last one
        found = sums.run()
        assert not found["difference_listed"].passed
        assert found["difference_listed"].severity == dg.AssetCheckSeverity.WARN
        assert found["difference_listed"].metadata["offending_ids"].value == [first.id]


def test_a_generator_that_gives_something_else_than_the_first_time_is_found(sums):
    sums.run()
    store = sums.deployment.store()
    made = read_made(store, "reasoning_gym_sums")
    at = Address(("problems", "reasoning_gym_sums"), ("release",))
    store.write(at, type(made), [made.model_copy(update={"first_digest": "0" * 64})])
    for _ in range(2):
        assert not sums.run()["digest_pinned"].passed


def test_other_settings_under_the_label_are_another_making(sums, tmp_path):
    sums.run()
    other = Table(tmp_path, SUMS.model_copy(update={"settings": {"size": 4}}))
    found = other.run()
    assert found["digest_pinned"].passed
    assert found["difference_listed"].passed
    assert "1 added" in found["difference_listed"].description


def test_a_table_made_from_other_bytes_than_the_pinned_ones_is_found(tmp_path, released):
    table = Table(tmp_path, BenchmarkChoice(name="aime2025"))
    ((path, content),) = released("aime2025", "nemo_skills").items()
    target = Path(table.deployment.data) / path
    target.parent.mkdir(parents=True)
    target.write_bytes(content)
    assert all(one.passed for one in table.run().values())
    store = table.deployment.store()
    problems = read_table(store, "aime2025").problems
    store.write(Address(("problems", "aime2025"), ("problems",)), Problem, problems, [Parent(path, "0" * 64)])
    assert table.run(only_checks=True)["digest_pinned"].metadata["offending_ids"].value == [path]


def test_the_differences_to_the_release_before_are_listed(tmp_path, released):
    table = Table(tmp_path, BenchmarkChoice(name="imo_answerbench"))
    for release in ("v1", "v2"):
        for path, content in released("imo_answerbench", release).items():
            target = Path(table.deployment.data) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    found = table.run()
    assert all(one.passed for one in found.values())
    assert "since release v1: " in found["difference_listed"].description
    assert len(found["difference_listed"].metadata["listed"].value.records) > 20
    (Path(table.deployment.data) / "imo_answerbench" / "answerbench_v1_deprecated.csv").write_bytes(b"another file")
    found = table.run(only_checks=True)["difference_listed"]
    assert found.passed
    assert "release v1 could not be compared" in found.description


def test_the_key_letters_of_a_gated_benchmark_are_checked_and_its_first_digest_holds(tmp_path):
    table = Table(tmp_path, BenchmarkChoice(name="gpqa_diamond"))
    (file,) = benchmark("gpqa_diamond").releases["hub"].files
    target = Path(table.deployment.data) / file.path
    target.parent.mkdir(parents=True)
    target.write_bytes(gpqa_csv())
    found = table.run()
    assert found["key_letters_uniform"].passed
    assert "4 options: A " in found["key_letters_uniform"].description
    assert found["digest_pinned"].passed
    assert "its first load here" in found["digest_pinned"].description


def test_every_table_shows_licence_source_grader_rows_and_note_before_and_after_it_is_made(sums):
    from tmas_assets.assets.problems import described

    for name in ("gpqa_diamond", "imo_answerbench_50"):
        known = benchmark(name)
        text = described(BenchmarkChoice(name=name))
        for part in (known.licence, known.source, *known.graders, known.releases[known.default_release].note.rstrip(".")):
            assert part in text
        assert known.gated is None or known.gated.access in text
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize(sums.assets[:1], instance=instance, resources={"deployment": sums.deployment})
        (made,) = done.asset_materializations_for_node("problems__reasoning_gym_sums")
    assert {"licence", "source", "grader", "release", "dagster/row_count"} <= set(made.metadata)
