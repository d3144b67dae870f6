"""The checks of a score: each promise is broken in a small home that went through, and just its check names what broke it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest

from resources.parquet_store import Address
from tests.scripted import launch
from tests.scripted.curating import solver
from tests.whole.campaign import QUIET
from tests.whole.checked_home import Checked, copied, materialize
from tests.whole.experiments import experiment
from tests.whole.location import definitions
from tmas_assets.assets.faults import table_of
from tmas_assets.assets.summary import summary_address
from tmas_assets.assets.summary_evaluations import promises
from tmas_assets.checks.summaries import summary_checks
from tmas_assets.engine.problems import read_made
from tmas_assets.grading import versions
from tmas_assets.records import Failure, Grade, Problem, RetiredProblem
from tmas_assets.reports.standing import LeaderboardRow

CELL = "t01|chain_sum-0000"
SUMMARY = dg.AssetKey(["scripted", "summary"])


def located(one: Checked) -> dg.Definitions:
    return dg.Definitions.merge(definitions(one.experiment, one.folder), dg.Definitions(asset_checks=[summary_checks(one.experiment)]))


def campaign(one: Checked, **config: object) -> dg.ExecuteInProcessResult:
    return located(one).resolve_job_def("scripted_campaign").execute_in_process(
        instance=one.instance, run_config={"ops": {"scripted_cells": {"config": config}}, **QUIET}, raise_on_error=False
    )


@pytest.fixture(scope="module")
def through(tmp_path_factory):
    """A campaign that is through on a real instance. Tests break copies of it."""
    folder = tmp_path_factory.mktemp("through")
    home = folder / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with launch.thread(script=solver) as server, dg.DagsterInstance.local_temp(str(home)) as instance:
        made = Checked(folder, experiment(server.url), instance)
        result = campaign(made)
        assert result.success
        yield made


@pytest.fixture
def home(through, tmp_path):
    with dg.DagsterInstance.ephemeral() as instance:
        yield copied(through, tmp_path, instance)


def log(home, statement, *values):
    with closing(sqlite3.connect(home.folder / "calls.sqlite")) as database, database:
        return database.execute(statement, values).fetchall()


def any_call(home, role="verification"):
    return log(home, "select key from calls where role = ? order by key limit 1", role)[0][0]


def test_a_call_log_that_breaks_off_fails_the_check_that_reads_it_and_no_other(home):
    with closing(sqlite3.connect(home.folder / "calls.sqlite")) as database:
        database.execute("pragma wal_checkpoint(truncate)")
        (page,), (size,) = database.execute("pragma page_count").fetchone(), database.execute("pragma page_size").fetchone()
        roots = {root for (root,) in database.execute("select rootpage from sqlite_master")}
    with (home.folder / "calls.sqlite").open("r+b") as file:
        for number in set(range(2, page + 1)) - roots:
            file.seek((number - 1) * size)
            file.write(b"\xff" * size)
    broken = home.broken()
    assert list(broken) == ["tokens_equal_call_log"]
    assert broken["tokens_equal_call_log"].said.startswith("not looked at: call log ")
    assert set(home.found()) == set(promises(home.experiment))


def test_a_score_that_went_through_keeps_every_promise_and_only_the_declared_model_warns(home):
    found = home.found()
    assert set(found) == set(promises(home.experiment))
    assert home.broken() == {}
    declared = found["checkpoint_verified"]
    assert (declared.passed, declared.severity) == (False, "warn")
    assert "declared by the user" in declared.offences[0].what
    assert found["grader_current"].looked_at == 36
    assert found["tokens_equal_call_log"].looked_at == log(home, "select count(*) from calls")[0][0]
    assert found["answers_complete"].said == "12 of 12 cells are there, 0 of 36 answers are missing where an iteration has any"
    assert "reasoning-gym" in found["released_data_unchanged"].said
    assert found["verifier_calibration"].looked_at == 36
    assert {"auroc", "auroc_low", "auroc_high", "brier"} <= {one.name for one in found["verifier_calibration"].measures}


def test_a_campaign_evaluates_them_on_its_own_summary(through):
    keys = [dg.AssetCheckKey(SUMMARY, name) for name in promises(through.experiment)]
    latest = through.instance.event_log_storage.get_latest_asset_check_execution_by_key(keys)
    event = through.instance.fetch_materializations(SUMMARY, limit=1).records[0]
    assert set(latest) == set(keys)
    for record in latest.values():
        said = record.event.dagster_event.event_specific_data
        assert said.target_materialization_data.storage_id == event.storage_id
    undeclared = {key.name for key, record in latest.items() if not record.event.dagster_event.event_specific_data.passed}
    assert undeclared == {"checkpoint_verified"}


def test_materializing_the_summary_runs_them_and_shows_sample_and_cure(home):
    log(home, "delete from calls where key = ?", any_call(home))
    done = materialize(located(home), home.instance, SUMMARY)
    assert done.success
    told = {one.check_name: one for one in done.get_asset_check_evaluations()}
    assert set(told) == set(promises(home.experiment))
    one = told["tokens_equal_call_log"]
    assert (one.passed, one.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert "TMAS_CALL_LOG" in one.metadata["cure"].value
    assert len(one.metadata["offending_ids"].value) == 1


def test_a_missing_call_is_named(home):
    key = any_call(home)
    log(home, "delete from calls where key = ?", key)
    broken = home.broken()
    assert set(broken) == {"tokens_equal_call_log"}
    named, paid = broken["tokens_equal_call_log"].offences
    assert f"call {key[:12]} of verification is not in the call log" == named.what
    assert paid.id == "paid verification"


def test_a_call_that_took_other_tokens_is_named_with_both(home):
    key = any_call(home)
    log(home, "update calls set completion_tokens = completion_tokens + 1 where key = ?", key)
    one = home.broken().pop("tokens_equal_call_log")
    assert [key[:12] in offence.what for offence in one.offences] == [True]
    assert "(0 calls are not in the log, 1 took something else there)" in one.said


def test_a_summary_with_other_totals_than_its_records_is_named(home):
    address = summary_address(home.cells, "leaderboard_row")
    store = home.deployment.store()
    [row] = store.read(address, LeaderboardRow)
    more = tuple(one.model_copy(update={"calls": one.calls + 1}) if one.role == "summary" else one for one in row.tokens_scratch)
    store.write(address, LeaderboardRow, [row.model_copy(update={"tokens_scratch": more})])
    broken = home.broken()
    assert set(broken) == {"tokens_equal_call_log"}
    assert [offence.id for offence in broken["tokens_equal_call_log"].offences] == ["summary summary"]


def test_grades_of_an_older_grader_are_counted_with_the_command_that_cures_it(home, monkeypatch):
    monkeypatch.setattr(versions, "GRADER_VERSIONS", {**versions.GRADER_VERSIONS, "reasoning_gym": "99"})
    broken = home.broken()
    assert set(broken) == {"grader_current"}
    assert broken["grader_current"].said.startswith("0 of 36 grades are of the graders there are now; 36 break it")
    assert "`tmas regrade scripted`" in broken["grader_current"].cure
    assert len(broken["grader_current"].offences) == 12


def test_a_gold_that_changed_in_place_is_named_with_its_cells(home):
    store = home.deployment.store()
    table = table_of(home.deployment, home.experiment)
    changed = [one.model_copy(update={"answer": "7777"}) if one.id == "chain_sum-0000" else one for one in table.problems]
    store.write(Address(("problems", table.asset), ("problems",)), Problem, changed, table.file.made_from)
    home.sum_up()
    broken = home.broken()
    # answers to another problem are no answers to this one
    assert set(broken) == {"released_data_unchanged", "answers_complete"}
    assert broken["released_data_unchanged"].severity == "error"
    assert [one.id for one in broken["released_data_unchanged"].offences] == [f"t0{t}|chain_sum-0000" for t in range(3)]


def test_a_table_that_is_not_what_its_release_gave_is_an_error(home):
    store = home.deployment.store()
    table = table_of(home.deployment, home.experiment)
    made = read_made(store, table.asset)
    store.write(Address(("problems", table.asset), ("release",)), type(made), [made.model_copy(update={"first_digest": "0" * 64})])
    broken = home.broken()
    assert set(broken) == {"released_data_unchanged"}
    assert "first 0000" in broken["released_data_unchanged"].said


def retire(home, number=3):
    """As a release that dropped one of its problems leaves the table."""
    store = home.deployment.store()
    table = table_of(home.deployment, home.experiment)
    gone = table.problems[number]
    row = RetiredProblem(benchmark=gone.benchmark, release=gone.release, id=gone.id, problem_digest=gone.digest, reason="dropped")
    kept = [one for one in table.problems if one is not gone]
    store.write(Address(("problems", table.asset), ("problems",)), Problem, kept, table.file.made_from)
    store.write(Address(("problems", table.asset), ("retired",)), RetiredProblem, [row])
    home.sum_up()


def test_cells_of_a_retired_problem_are_shown_as_retired_and_break_nothing(home):
    retire(home)
    assert home.broken() == {}
    one = home.found()["released_data_unchanged"]
    assert [offence.id for offence in one.listed] == [f"t0{t}|chain_sum-0003" for t in range(3)]


def agreeing(home):
    """By rollout, whether it is right: for verifiers that know."""
    return {
        (grade.problem, grade.rollout): grade.outcome == "right"
        for t in range(3) for problem in home.problems
        for grade in home.cells.store.read(home.cells.address("benchmark_scores", t, problem), Grade)
    }  # fmt: skip


def test_verifiers_that_are_worse_than_chance_for_certain_warn(home):
    right = agreeing(home)
    assert 0 < sum(right.values()) < len(right)

    def against(round_):
        checks = [one.model_copy(update={"score": 0.0 if right[one.problem, one.rollout] else 1.0}) for one in round_.verifications]
        return round_.model_copy(update={"verifications": tuple(checks)})

    home.rewrite(against)
    broken = home.broken()
    assert set(broken) == {"verifier_calibration"}
    one = broken["verifier_calibration"]
    assert one.severity == "warn"
    assert one.offences[0].id == "all iterations"
    assert one.offences[0].what.startswith("AUROC 0.000 [0.000, 0.")
    assert "mean score 0.000 of" in one.said


def test_replies_that_break_their_format_are_counted_by_role_against_the_threshold(home):
    def unread(round_):
        first, *rest = round_.verifications
        lost = first.model_copy(update={"score": None, "parse": "parse_error", "parse_error": "no score"})
        return round_.model_copy(update={"verifications": (lost, *rest)})

    home.rewrite(unread)
    assert home.broken() == {}  # one in six
    strict = home.experiment.model_copy(update={"thresholds": home.experiment.thresholds.model_copy(update={"parse_errors": 0.1})})
    broken = home.broken(strict)
    assert set(broken) == {"parse_errors_below_threshold"}
    one = broken["parse_errors_below_threshold"]
    assert (one.severity, [offence.id for offence in one.offences]) == ("warn", ["verification"])
    assert "12 of 72 replies" in one.offences[0].what
    assert one.listed[0].id == "chain_sum-0000 t00 r0t00c0v0"
    assert "structured_output" in one.cure


def test_answers_that_were_cut_off_warn_in_the_iteration_where_they_are_too_many(home):
    def cut(round_):
        traces = [one.trace.model_copy(update={"status": "truncated"}) for one in round_.rollouts]
        rollouts = [one.model_copy(update={"trace": trace}) for one, trace in zip(round_.rollouts, traces, strict=True)]
        return round_.model_copy(update={"rollouts": tuple(rollouts)})

    home.rewrite(cut, [1])
    broken = home.broken()
    assert set(broken) == {"truncations_below_threshold"}
    one = broken["truncations_below_threshold"]
    assert [(offence.id, offence.what) for offence in one.offences] == [("t01", "12 of 12 answers (100.0%)")]
    assert one.listed[0].id == "chain_sum-0000 r0t01c0"
    assert "max_tokens" in one.cure


def test_failed_answers_are_counted_by_the_boundary_they_crossed(home):
    refused = Failure(boundary="request", kind="bad_request", detail="400")
    home.regrade(lambda one: one.model_copy(update={"outcome": "failed", "failure": refused}) if one.candidate == 2 else one, [2])
    home.sum_up()
    broken = home.broken()
    assert set(broken) == {"nothing_failed"}
    assert broken["nothing_failed"].said.startswith("4 of 36 answers failed, 4 at the request (bad_request)")
    assert broken["nothing_failed"].offences[0].id == "chain_sum-0000 r0t02c2"
    assert "scripted/memory_bank" in broken["nothing_failed"].cure


def test_one_answer_that_ran_without_a_sandbox_is_an_error(home):
    home.regrade(lambda one: one.model_copy(update={"unsandboxed": one.rollout == "r0t00c1" and one.problem == "chain_sum-0002"}))
    home.sum_up()
    broken = home.broken()
    assert set(broken) == {"code_sandboxed"}
    assert broken["code_sandboxed"].severity == "error"
    assert [offence.id for offence in broken["code_sandboxed"].offences] == ["chain_sum-0002 r0t00c1"]


def test_a_record_of_a_model_that_the_experiment_has_not_is_an_error(home):
    def by_another(round_):
        first, *rest = round_.rollouts
        own = first.model_copy(update={"model": "another@2"}) if round_.problem == "chain_sum-0001" else first
        return round_.model_copy(update={"rollouts": (own, *rest)})

    home.rewrite(by_another, [0])
    one = home.found()["checkpoint_verified"]
    assert home.broken() == {}
    assert one.severity == "error"
    assert one.offences[0].id == "chain_sum-0001 r0t00c0"
    assert "another@2" in one.offences[0].what


def test_missing_cells_and_grades_are_counted_and_named(home):
    home.path("memory_bank", 2, 1).unlink()
    home.path("benchmark_scores", 0, 2).unlink()
    home.sum_up()
    broken = home.broken()
    assert set(broken) == {"answers_complete"}
    one = broken["answers_complete"]
    assert [(offence.id, offence.what) for offence in one.offences] == [
        ("t02|chain_sum-0001", "no cell"), ("t00|chain_sum-0002", "0 of 3 answers are graded")]  # fmt: skip
    assert one.said.startswith("11 of 12 cells are there, 6 of 36 answers are missing")
    assert "`tmas run scripted`" in one.cure


def test_files_that_were_not_made_of_each_other_are_told_from_missing_ones(home):
    path = home.path("rollouts", 1)
    path.write_bytes(home.path("rollouts", 1, 1).read_bytes())
    home.sum_up()
    [offence] = home.broken()["answers_complete"].offences
    assert offence.id == CELL
    assert "not made of each other" in offence.what


def test_a_summary_of_other_grades_than_there_are_is_out_of_date(home):
    home.regrade(lambda one: one.model_copy(update={"outcome": "wrong"}), [1])
    broken = home.broken()
    assert set(broken) == {"summary_current"}
    assert [offence.id for offence in broken["summary_current"].offences] == ["score t01"]


def test_a_partition_that_failed_is_named_until_it_is_made_and_then_no_more(through, tmp_path, instance):
    home = copied(through, tmp_path, instance)
    table = Path(home.deployment.store().path(Address(("problems", "reasoning_gym_tests"), ("problems",))))
    kept = table.read_bytes()
    instance.add_dynamic_partitions("problems_reasoning_gym_tests", [one.id for one in home.problems])
    table.unlink()
    defs = located(home)
    bank, scores = (dg.AssetKey(["scripted", part]) for part in ("memory_bank", "benchmark_scores"))
    assert not materialize(defs, instance, bank, partition=CELL).success
    assert not materialize(defs, instance, scores, partition="t02|chain_sum-0003").success
    table.write_bytes(kept)
    broken = home.broken()
    assert set(broken) == {"no_failed_partitions"}
    one = broken["no_failed_partitions"]
    assert [offence.id for offence in one.offences] == ["benchmark_scores t02|chain_sum-0003", f"memory_bank {CELL}"]
    assert "no file at" in one.offences[1].what
    assert "`tmas run scripted`" in one.cure
    assert "`tmas regrade scripted`" in one.cure

    assert materialize(defs, instance, scores, partition="t02|chain_sum-0003").success
    retire(home, number=0)
    one = home.found()["no_failed_partitions"]
    assert one.passed
    assert [offence.id for offence in one.listed] == [f"memory_bank {CELL}"]


def test_what_was_never_made_is_missing_and_not_failed_but_a_failed_campaign_is(through, tmp_path, instance):
    home = copied(through, tmp_path, instance)
    lost = home.path("memory_bank", 2)
    lost.unlink()
    home.sum_up()
    assert set(home.broken()) == {"answers_complete"}
    torn = home.path("rollouts", 0)
    kept = torn.read_bytes()
    torn.write_bytes(kept[:100])
    assert not campaign(home).success
    torn.write_bytes(kept)
    broken = home.broken()
    assert set(broken) == {"answers_complete", "no_failed_partitions"}
    [offence] = broken["no_failed_partitions"].offences
    assert offence.id.startswith("campaign ")
    assert "1 problem stopped early" in offence.what
    assert "(1 of 12 cells are missing)" in offence.what


def test_checks_ask_no_model_and_need_no_server(through, tmp_path, instance):
    """The server of `through` is up; what is counted is what was asked of it."""
    home = copied(through, tmp_path, instance)
    before = log(home, "select count(*) from calls")
    moved = home.experiment.model_copy(update={"endpoints": {
        "default": home.experiment.endpoints["default"].model_copy(update={"urls": ("http://127.0.0.1:9/v1",)})}})  # fmt: skip
    assert home.broken(moved) == {}
    assert log(home, "select count(*) from calls") == before


def test_another_model_than_the_summary_was_made_by_is_an_error(through):
    """Through the instance that knows the summary: without it nothing tells which one stands."""
    other = through.experiment.model_copy(update={"endpoints": {
        "default": through.experiment.endpoints["default"].model_copy(update={"revision": "2"})}})  # fmt: skip
    one = through.found(other)["checkpoint_verified"]
    assert one.severity == "error"
    assert "was made by the model scripted@1, which is scripted@2 now" in one.said
    assert through.found(other)["summary_current"].severity == "warn"


def test_settings_that_changed_leave_the_model_verified_and_the_summary_out_of_date(through):
    other = through.experiment.model_copy(update={"seed": 9})
    found = through.found(other)
    assert found["checkpoint_verified"].severity == "warn"
    assert "by now" in found["summary_current"].said

