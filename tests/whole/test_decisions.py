"""A team's decision from file to report on a real instance: parts, replay, gate, edits, one expert asked anew, secrets."""

import json
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from tests.scripted import launch
from tests.scripted.server import Settings
from tests.whole.conftest import failure
from tests.whole.deciding import (
    CALLS,
    DEBATE,
    DECISION,
    FILE,
    FINDINGS,
    PLAN,
    SEATS,
    Deciding,
    asked,
    hypotheses,
    script,
)
from tests.whole.files import contents
from tmas_assets.assets.decision_evaluations import evaluated, recomputed
from tmas_assets.assets.decision_reports import make_report
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.engine.decision_checks import ARITHMETIC, CHECKS

PARTS = ("plan", *(f"findings/{seat}" for seat in SEATS), "cross_examination", "decision", "report")


@pytest.fixture
def instance():
    """In memory: the events are read and counted here, not kept."""
    with dg.DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def server():
    with launch.thread(Settings(record=True), script) as running:
        yield running


@pytest.fixture
def project(server, tmp_path, instance):
    hypotheses(tmp_path)
    return Deciding(asked(server.url, tmp_path), tmp_path, instance)


def total(server):
    return server.stats()["total"]


def report(project, hypothesis="bottle"):
    table = table_of(project.deployment, project.experiment)
    return make_report(project.deployment, cells_of(project.deployment, project.experiment), table.by_key(hypothesis))


def out_of_date(project, partition="bottle"):
    resolver = CachingStaleStatusResolver(
        project.instance, project.defs.resolve_asset_graph(), LoadingContextForTest(project.instance))
    return {part for part in PARTS if resolver.get_stale_causes(project.key(part), partition)}


def test_a_campaign_makes_every_part_of_every_hypothesis_and_reports_it(project, server):
    project.run()
    assert total(server) == 2 * CALLS
    for part in PARTS:
        assert set(project.events(part)) == {"bottle", "lamp"}
    shown = project.events("report")["bottle"].metadata
    page = Path(shown["page"].value).read_text()
    assert "We should sell the bottle from spring on." in page
    assert json.loads(Path(shown["json"].value).read_text())["status"] == "decided"
    assert Path(shown["markdown"].value).read_text().startswith("# bottle: ")
    [market] = project.events("findings/market")["bottle"].metadata["findings"].records
    assert market.data["reply"] == "r0t01/market/expert"
    assert out_of_date(project) == set()
    assert out_of_date(project, "lamp") == set()


def test_a_question_without_a_gold_has_no_score_anywhere(project):
    project.run()
    summary = project.events("summary")[None].metadata
    assert summary["scores"].records == []
    assert not {"pass_at_1", "curve", "pass_at_k"} & set(summary)
    grades = next(iter(project.events("benchmark_scores").values())).metadata
    assert "nothing to grade" in grades["not_graded"].value
    assert "right" not in grades
    assert "0.00" not in (Path(project.deployment.reports) / "decided.html").read_text().split('id="tokens"')[0]


def test_parts_materialized_one_by_one_are_those_of_a_campaign_and_ask_no_more(project, server, tmp_path):
    project.run()
    whole = {part: project.events(part)["bottle"].tags["dagster/data_version"] for part in PARTS[:-1]}
    with dg.DagsterInstance.ephemeral() as other:
        single = Deciding(project.experiment, tmp_path / "single", other)
        hypotheses(single.folder)
        assert single.materialize(dg.AssetKey(["problems", "hypotheses_tests"])).success
        before = total(server)
        spent = []
        for part in PARTS:
            assert single.make(part).success
            spent.append(total(server) - before)
        assert spent == [PLAN, *([PLAN + FINDINGS] * len(SEATS)), CALLS - DECISION, CALLS, CALLS]
        assert {part: single.events(part)["bottle"].tags["dagster/data_version"] for part in PARTS[:-1]} == whole


def test_running_again_asks_nothing_and_changes_no_byte(project, server):
    project.run()
    calls, files = total(server), contents(project.folder / "store")
    pages = {path: path.read_bytes() for path in Path(project.deployment.reports).rglob("*.*")}
    project.run()
    assert project.make(*PARTS).success
    assert (total(server), contents(project.folder / "store")) == (calls, files)
    assert {path: path.read_bytes() for path in Path(project.deployment.reports).rglob("*.*")} == pages
    assert all(len(project.instance.fetch_materializations(project.key(part), limit=9).records) <= 3 for part in PARTS)


def test_a_finished_decision_is_read_from_the_store_alone(project, server, tmp_path, instance):
    project.run()
    before = report(project)
    for path in project.folder.glob("calls.sqlite*"):
        path.unlink()
    calls = total(server)
    assert report(project) == before
    assert project.make("report").success
    assert total(server) == calls


def test_nobody_is_asked_before_the_plan_is_approved_and_others_go_on(server, tmp_path, instance):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path, settings={"approve_plan": True}, repeats=2), tmp_path, instance)
    project.run()
    assert total(server) == 2 * 2 * PLAN
    assert set(project.events("plan")) == {"bottle", "lamp"}
    assert project.events("decision") == {}
    assert report(project).status.startswith("waits for approval of its plan: `tmas decision approve decided bottle --who YOU`")
    text = failure(project.make("findings/market"))
    assert "waits for approval of its plan" in text
    assert total(server) == 4
    assert project.review(action="approve", why="fine").success
    project.run()
    assert total(server) == 2 * CALLS + 2 * PLAN
    assert set(project.events("decision")) == {"bottle"}
    [first, _] = report(project).repeats
    assert (first.approval.who, first.approval.why) == ("Ann", "fine")
    assert "is approved already, by Ann" in failure(project.review(action="approve"))


def test_a_changed_plan_needs_approval_of_its_own(server, tmp_path, instance):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path, settings={"approve_plan": True}), tmp_path, instance)
    project.run(problems=["bottle"])
    assert project.review(action="approve").success
    plan = {"reason": "mine", "claims": [{"text": "Owners buy it", "experts": ["market"]}]}
    assert project.review(action="edit", reply="plan", text=json.dumps(plan), why="narrower").success
    project.run(problems=["bottle"])
    assert total(server) == PLAN
    assert report(project).status.startswith("waits for approval")
    assert project.review(action="approve", who="Bob").success
    project.run(problems=["bottle"])
    found = report(project)
    assert [claim.text for claim in found.repeats[0].plan.claims] == ["Owners buy it"]
    assert found.repeats[0].approval.who == "Bob"
    assert [(one.what, one.who, one.in_force) for one in found.people] == [
        ("approved the plan", "Ann", False), ("wrote", "Ann", True), ("approved the plan", "Bob", True)]
    prompts = [row["body"]["messages"][-1]["content"] for row in server.requests()]
    assert sum("Owners buy it" in prompt for prompt in prompts) == FINDINGS + DEBATE + DECISION


def test_an_edited_finding_is_shown_to_the_others_and_only_what_follows_is_asked_again(project, server):
    project.run(problems=["bottle"])
    first = report(project).repeats[0]
    mine = next(voice for voice in first.voices if voice.turn == "r0t01/market/expert").finding
    text = mine.model_copy(update={"reason": "A newer survey says half would buy", "verdict": "support"}).model_dump_json()
    assert project.review(action="edit", reply="r0t01/market/expert", text=text, why="newer survey").success
    assert report(project).status.startswith("t01 is to be made: a person has amended it")
    calls = total(server)
    project.run(problems=["bottle"])
    assert total(server) - calls == DEBATE + DECISION
    found = report(project)
    voices = {voice.turn: voice for voice in found.repeats[0].voices}
    assert voices["r0t01/market/expert"].person == "Ann"
    assert voices["r0t01/market/expert"].finding.reason == "A newer survey says half would buy"
    assert voices["r0t01/finance/expert"] == {voice.turn: voice for voice in first.voices}["r0t01/finance/expert"]
    assert [(one.what, one.turn, one.why) for one in found.people] == [("wrote", "r0t01/market/expert", "newer survey")]
    prompts = [row["body"]["messages"][-1]["content"] for row in server.requests()[calls:]]
    # the order and all findings of the round after it, the market's own too; the CEO decides on those
    assert sum("A newer survey says half would buy" in prompt for prompt in prompts) == DEBATE
    pages = [path.read_text() for path in (Path(project.deployment.reports) / "decided").glob("bottle.*")]
    assert all("Ann" in page for page in pages)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"action": "edit", "reply": "r0t01/market/expert", "text": "I like it"}, "cannot be read as its Finding"),
        ({"action": "edit", "reply": "r0t03/decision1/ceo", "text": '{"decision": "maybe", "reason": "x"}'}, "'maybe' is none of"),
        ({"action": "edit", "reply": "r0t02/order/ceo", "text": "{}"}, "cannot be read as its Order"),
        ({"action": "edit", "reply": "market", "text": "{}"}, "several replies are called 'market' in bottle; name one of r0t01/market/expert, r0t02/market/expert"),
        ({"action": "again", "reply": "nobody"}, "no reply is called 'nobody'"),
        ({"action": "edit", "reply": "plan", "text": " "}, "text: give what stands in the reply's place"),
        ({"action": "again", "reply": "plan", "who": "  "}, "who: say who decides"),
        ({"action": "again", "reply": "plan", "hypothesis": "botle"}, "nearest: bottle"),
    ],
)  # fmt: skip
def test_a_word_that_cannot_be_taken_is_refused_and_changes_nothing(server, tmp_path, instance, config, said):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path), tmp_path, instance)
    project.run(problems=["bottle"])
    files = contents(project.folder / "store")
    assert said in failure(project.review(**config))
    assert contents(project.folder / "store") == files


def test_an_expert_materialized_again_is_asked_anew_alone_and_what_follows_is_out_of_date(project, server):
    project.run(problems=["bottle"])
    before = {part: project.events(part)["bottle"].tags["dagster/data_version"] for part in PARTS}
    calls = total(server)
    assert project.make("findings/market").success
    assert total(server) - calls == 1
    after = {part: project.events(part)["bottle"].tags["dagster/data_version"] for part in PARTS}
    assert {part for part in PARTS if after[part] != before[part]} == {"findings/market"}
    assert out_of_date(project) == {"cross_examination"}  # and, through it, what comes after
    assert project.make("cross_examination", "decision", "report").success
    assert total(server) - calls == 1 + DEBATE + DECISION
    assert out_of_date(project) == set()
    [line] = report(project).people
    assert (line.what, line.who) == ("asked anew", "materialized in Dagster")


def test_several_experts_in_one_run_are_each_asked_once(project, server):
    project.run(problems=["bottle"])
    calls = total(server)
    assert project.make("findings/market", "findings/risk", "cross_examination", "decision").success
    assert total(server) - calls == 2 + DEBATE + DECISION


def test_experts_whose_plan_has_changed_are_asked_once_and_not_anew(project, server):
    project.run(problems=["bottle"])
    plan = {"reason": "mine", "claims": [{"text": "Owners buy it", "experts": ["market"]}]}
    assert project.review(action="edit", reply="plan", text=json.dumps(plan)).success
    calls = total(server)
    assert project.make("findings/market", "findings/risk").success
    assert total(server) - calls == FINDINGS
    assert report(project).people[-1].what == "wrote"


def test_what_is_redacted_is_in_no_prompt_log_store_report_or_event(server, tmp_path, instance, caplog):
    secret = "Quetzal"
    hypotheses(tmp_path, FILE + "  evidence:\n    - {id: memo, text: Ms Quetzal wants the lamp by May.}\n")
    (tmp_path / "hidden.txt").write_text(f"{secret}\n")
    benchmark = {"name": "hypotheses", "release": "tests", "base": str(tmp_path),
                 "settings": {"file": "hypotheses.yaml", "redact": "hidden.txt"}}  # fmt: skip
    project = Deciding(asked(server.url, tmp_path, benchmark=benchmark), tmp_path, instance)
    with caplog.at_level("DEBUG"):
        project.run()
        assert project.make("report").success
    assert secret not in json.dumps(server.requests())
    assert secret not in caplog.text
    theirs = {tmp_path / "hypotheses.yaml", tmp_path / "hidden.txt"}
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path not in theirs]
    assert len(files) > 20
    tables = [path.read_bytes() for path in files if path.suffix != ".parquet"]
    assert not [1 for data in tables if secret.encode() in data]
    assert secret not in json.dumps([event.asset_materialization.to_string() if hasattr(event, "to_string") else str(event)
                                     for part in PARTS for event in instance.fetch_materializations(project.key(part), limit=9).records])  # fmt: skip
    table = table_of(project.deployment, project.experiment)
    assert "[redacted]" in "".join(problem.grading_data for problem in table.problems)
    cells = cells_of(project.deployment, project.experiment)
    assert secret not in "".join(one.model_dump_json() for problem in table.problems for t in range(4) for one in cells.read(t, problem)[0])


def test_a_cap_of_a_run_leaves_a_report_that_says_what_is_missing(server, tmp_path, instance):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path, budget={"calls": PLAN + FINDINGS + 2}), tmp_path, instance)
    project.run(problems=["bottle"])
    found = report(project)
    assert found.status == (
        "t02 is to be made: it was not made yet, or what it rests on has changed; `tmas run decided -p bottle` goes on")
    assert found.partial == "no decision yet, 2 of 4 rounds are there; a run ends at its budget of calls 8"
    assert found.repeats[0].decision is None
    assert len(found.repeats[0].voices) == FINDINGS
    page, markdown = written(tmp_path)
    assert "This report is partial: no decision yet, 2 of 4 rounds are there" in page
    assert "**Partial:** no decision yet, 2 of 4 rounds are there" in markdown
    project.run(problems=["bottle"])
    assert report(project).status == "decided"
    assert report(project).partial is None
    assert not any("report is partial" in text or "**Partial:**" in text for text in written(tmp_path))


def written(folder):
    """Page and Markdown of the one hypothesis that was begun."""
    return [next(folder.rglob(f"decided/bottle*.{ending}")).read_text(encoding="utf-8") for ending in ("html", "md")]


def test_time_that_runs_out_leaves_a_report_that_says_it_is_partial(tmp_path, instance):
    hypotheses(tmp_path)
    with launch.thread(Settings(latency=0.8), script) as slow:  # four rounds take at least 3.2 seconds
        project = Deciding(asked(slow.url, tmp_path, budget={"seconds": 2.5}), tmp_path, instance)
        project.run(problems=["bottle"])
    found = report(project)
    assert found.partial.endswith("of 4 rounds are there; a run ends at its budget of seconds 2.5")
    assert found.flips.decided == 0
    assert "This report is partial" in written(tmp_path)[0]


def test_a_cap_of_the_team_leads_to_a_decision_that_says_so(server, tmp_path, instance):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path, settings={"max_calls": PLAN + FINDINGS + 1}), tmp_path, instance)
    project.run(problems=["bottle"])
    decision = report(project).repeats[0].decision
    assert "max_calls" in decision.partial
    assert report(project).partial == f"r0: {decision.partial}"
    assert "This report is partial: r0: cap reached: max_calls" in written(tmp_path)[0]
    assert total(server) == PLAN + FINDINGS + DECISION
    assert set(project.events("decision")) == {"bottle"}


def test_a_cap_on_money_leads_to_a_decision_and_the_report_says_what_it_cost_at_which_prices(server, tmp_path, instance):
    hypotheses(tmp_path)
    prices = {"default": {"prompt": 1, "completion": 2}}
    project = Deciding(asked(server.url, tmp_path, settings={"max_cost": 0.000001, "prices": prices}), tmp_path, instance)
    project.run(problems=["bottle"])
    found = report(project)
    assert total(server) == PLAN + DECISION
    assert "max_cost 1e-06" in found.partial
    paid = sum(line.prompt_tokens + 2 * line.completion_tokens for line in found.audit if line.call) / 1e6
    assert found.cost.total == pytest.approx(paid) == found.repeats[0].decision.cost
    for text in written(tmp_path):
        assert f"{paid:.6g}: for a million tokens of prompt and of completion, default: 1 and 2" in text


def test_repeats_give_the_rate_of_flips(server, tmp_path, instance):
    hypotheses(tmp_path)
    project = Deciding(asked(server.url, tmp_path, repeats=4), tmp_path, instance)
    project.run(problems=["bottle"])
    found = report(project)
    said = [one.decision.decision for one in found.repeats]
    assert found.flips.decided == 4
    assert found.flips.flip_rate == 1 - max(said.count(one) for one in said) / 4
    assert project.events("report")["bottle"].metadata["flip_rate"].value == found.flips.flip_rate
    assert found.first.decision.decision == found.flips.commonest


def checked(project, partition="bottle"):
    """Whether each check of the decision passed."""
    records = {}
    for name in ("schema_complete", "claims_backed", "claims_covered", "arithmetic_recomputed", "numbers_explained", "contradictions_listed"):
        [execution] = project.instance.event_log_storage.get_asset_check_execution_history(
            dg.AssetCheckKey(project.key("decision"), name), limit=1)
        records[name] = execution.event.asset_check_evaluation
    return records


def test_the_checks_run_with_the_decision_and_compute_again(project):
    project.run(problems=["bottle"])
    assert project.make("decision").success
    found = checked(project)
    assert found["schema_complete"].passed
    assert found["contradictions_listed"].passed
    assert found["arithmetic_recomputed"].passed
    assert f"{len(SEATS)} run again, 0 came out otherwise" in found["arithmetic_recomputed"].description


def test_a_campaign_evaluates_the_checks_of_each_decision_once_and_again_where_it_changed(project):
    def history():
        store = project.instance.event_log_storage
        return {
            name: [(row.event.asset_check_evaluation.partition, row.event.asset_check_evaluation.description)
                   for row in store.get_asset_check_execution_history(dg.AssetCheckKey(project.key("decision"), name), limit=9)]
            for name in CHECKS
        }  # fmt: skip

    project.run()
    first = history()
    assert [sorted(partition for partition, _ in rows) for rows in first.values()] == [["bottle", "lamp"]] * len(CHECKS)
    assert all(f"{len(SEATS)} run again, 0 came out otherwise" in said for _, said in first[ARITHMETIC])
    assert evaluated(project.instance, project.experiment, "bottle")
    project.run()
    assert history() == first
    assert project.review(action="again", reply="r0t01/market/expert").success
    project.run()
    assert [sorted(partition for partition, _ in rows) for rows in history().values()] == [["bottle", "bottle", "lamp"]] * len(CHECKS)
    assert evaluated(project.instance, project.experiment, "bottle")


def test_a_check_is_called_so_in_the_report_and_its_metadata(project):
    project.run(problems=["bottle"])
    rows = project.events("report")["bottle"].metadata["checks"].records
    assert [row.data["check"] for row in rows] == list(CHECKS)
    assert not [text for text in written(project.folder) if "promise" in text]
    assert "promises" not in report(project).model_dump()


def test_a_result_that_was_changed_in_the_store_is_found(project):
    project.run(problems=["bottle"])
    found = report(project)
    [repeat] = found.repeats
    voice = repeat.standing[0]
    forged = voice.finding.calculations[0].model_copy(update={"result": 16.0})
    finding = voice.finding.model_copy(update={"calculations": (forged,)})
    voices = tuple(one.model_copy(update={"finding": finding}) if one == voice else one for one in repeat.voices)
    changed = found.model_copy(update={"repeats": (repeat.model_copy(update={"voices": voices}),)})
    check = next(one for one in found.checks if one.name == ARITHMETIC)
    assert check.outcome == "passed"
    again = recomputed(project.deployment, project.experiment, changed, check)
    assert again.outcome == "failed"
    assert again.offences == (f"{voice.turn} margin: 16.0 is stored and 15.0 comes out",)
