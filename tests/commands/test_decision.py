"""`tmas decision` on a decision that really ran: what is shown, how a person steps in, and faults in a sentence."""

import json
import re

import dagster as dg
import pytest
from typer.testing import CliRunner

from tests.scripted import launch
from tests.whole.deciding import CALLS, DEBATE, DECISION, PLAN, SEATS, Deciding, asked, hypotheses, script
from tmas_assets.cli import app
from tmas_assets.commands import decision as commands
from tmas_assets.commands import decision_table
from tmas_assets.commands.faults import CommandFault
from tmas_assets.strategies.team_decision.settings import READY


class Found:
    def __init__(self, experiment):
        self.experiment = experiment


@pytest.fixture
def server():
    with launch.thread(script=script) as running:
        yield running


@pytest.fixture
def project(server, tmp_path, monkeypatch):
    hypotheses(tmp_path)
    with dg.DagsterInstance.ephemeral() as instance:
        made = Deciding(asked(server.url, tmp_path, settings={"approve_plan": True}), tmp_path, instance)
        monkeypatch.setattr(commands, "find_experiment", lambda name: Found(made.experiment))
        monkeypatch.setattr(commands, "stated_deployment", lambda: made.deployment)
        yield made


def tmas(*arguments):
    """What the command printed; a fault is raised as `main` would print it."""
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["decision", *arguments])
    if isinstance(done.exception, CommandFault):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def total(server):
    return server.stats()["total"]


def test_a_plan_is_read_approved_and_gone_on_from(project, server):
    with pytest.raises(CommandFault, match="Nothing was run yet"):
        tmas("show", "decided", "bottle")
    project.run(problems=["bottle"])
    waiting = tmas("show", "decided", "bottle")
    assert "waits for approval of its plan" in waiting
    assert "goal: Earn money with it" in waiting
    seats = waiting.split("at the table")[1]
    assert all(seat.remit.split()[0] in seats and seat.questions[0].split()[0] in seats for seat in READY.values() if seat.name in SEATS)
    assert "warning" not in waiting
    assert "failed" not in waiting
    assert "checks not yet passed, since the decision is not made: schema_complete, " in waiting
    assert "its plan is approved; `tmas run decided -p bottle` goes on" in tmas("approve", "decided", "bottle", "--who", "Ann")
    project.run(problems=["bottle"])
    shown = tmas("show", "decided", "bottle")
    assert re.search(r"approved by Ann on 20\d\d-", shown)
    assert "status: decided" in shown
    assert "r0t02/risk/expert" in shown
    assert "report page: " in shown
    assert total(server) == CALLS


def test_a_reply_is_shown_edited_and_read_back(project, server, tmp_path):
    project.run(problems=["bottle"])
    tmas("approve", "decided", "bottle", "--who", "Ann")
    project.run(problems=["bottle"])
    shown = tmas("show", "decided", "bottle", "--reply", "r0t01/risk/expert")
    reply = json.loads(shown)
    assert len(shown.splitlines()) > len(reply)
    file = tmp_path / "risk.json"
    file.write_text(shown)
    with pytest.raises(CommandFault, match="what stands there already; nothing was changed"):
        tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--file", str(file), "--who", "Bob")
    file.write_text(json.dumps({**reply, "verdict": "oppose", "reason": "The supplier is the only one"}))
    said = tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--file", str(file), "--who", "Bob", "--why", "call with purchasing")
    assert "r0t01/risk/expert is amended" in said
    with pytest.raises(CommandFault, match="what stands there already"):
        tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--file", str(file), "--who", "Cas")
    calls = total(server)
    project.run(problems=["bottle"])
    assert total(server) - calls == DEBATE + DECISION
    file.write_text(tmas("show", "decided", "bottle", "--reply", "r0t01/risk/expert"))
    with pytest.raises(CommandFault, match="what stands there already"):
        tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--file", str(file), "--who", "Cas")
    file.write_text(shown)
    said = tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--file", str(file), "--who", "Bob", "--why", "as it was")
    assert "is amended" in said
    tmas("edit", "decided", "bottle", "r0t01/risk/expert", "--text", json.dumps({**reply, "verdict": "oppose", "reason": "The supplier is the only one"}),
         "--who", "Bob", "--why", "call with purchasing")  # fmt: skip
    shown = json.loads(tmas("show", "decided", "bottle", "--json"))
    [voice] = [one for one in shown["repeats"][0]["voices"] if one["turn"] == "r0t01/risk/expert"]
    assert (voice["model"], voice["finding"]["reason"]) == ("person: Bob", "The supplier is the only one")
    assert shown["people"][-1]["why"] == "call with purchasing"


def test_again_asks_one_reply_and_what_depends_on_it(project, server):
    project.run(problems=["bottle"])
    assert "r0t00/plan/ceo is to be asked anew" in tmas("again", "decided", "bottle", "plan", "--who", "Ann")
    project.run(problems=["bottle"])
    assert total(server) == 2 * PLAN


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "decided", "botle"), "nearest: bottle"),
        (("edit", "decided", "bottle", "plan", "--who", "A"), "give either --text or --file"),
        (("edit", "decided", "bottle", "plan", "--who", "A", "--file", "gone.json"), "gone.json cannot be read"),
        (("edit", "decided", "bottle", "plan", "--who", "A", "--text", "no plan"), "cannot be read as its Plan"),
        (("edit", "decided", "bottle", "risk", "--who", "A", "--text", "x"), "no reply is called 'risk' in bottle; name one of r0t00/plan/ceo"),
        (("approve", "decided", "lamp", "--who", "A"), "lamp has no plan under the present settings yet"),
        (("approve", "decided", "bottle", "--who", " "), "who: say who decides"),
    ],
)  # fmt: skip
def test_a_word_that_cannot_be_taken_is_a_sentence(project, arguments, said):
    project.run(problems=["bottle"])
    with pytest.raises(CommandFault, match=re.escape(said)):
        tmas(*arguments)


def test_a_line_a_hypothesis_stands_in_the_place_of_scores(project, tmp_path):
    from rich.console import Console

    project.run()
    with (tmp_path / "printed").open("w") as file:
        decision_table.print_decisions(project.deployment, project.experiment, out=Console(file=file, width=300))
    printed = (tmp_path / "printed").read_text()
    assert printed.count("waits for approval of its plan") == 2
    assert "Pass@1" not in printed
