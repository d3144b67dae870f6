"""The doors of `tmas decision`: arguments and help only. What they do is in `decision.py`, imported when one is opened."""

from pathlib import Path
from typing import Annotated

import typer

from tmas_assets.commands.terminal import terminal

decision_app = typer.Typer(
    no_args_is_help=True, help="Read a decision of a team, approve its plan, put a reply right, have one asked again."
)
_out = terminal()
Name = Annotated[str, typer.Argument(help="Name of an experiment whose strategy is team_decision.")]
Hypothesis = Annotated[str, typer.Argument(help="Id of the hypothesis.")]
Who = Annotated[str, typer.Option(help="Your name; it stays in the record.")]
Why = Annotated[str, typer.Option(help="Your reason; it stays in the record.")]
Reply = Annotated[str, typer.Argument(help="Turn of the reply as `show` names it, e.g. r0t01/market/expert.")]


@decision_app.command()
def show(
    experiment: Name,
    hypothesis: Hypothesis,
    reply: Annotated[str, typer.Option(help="One reply in full, ready to be edited.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="The whole report as JSON, for scripts.")] = False,
) -> None:
    """Show what was planned, said and decided, from what is stored; no model is asked.

    Examples:

        tmas decision show launch_decision launch_bottle

        tmas decision show launch_decision launch_bottle --reply r0t01/market/expert > market.json
    """
    from tmas_assets.commands.decision import show_decision

    show_decision(experiment, hypothesis, reply=reply, as_json=as_json, out=_out)


@decision_app.command()
def approve(experiment: Name, hypothesis: Hypothesis, who: Who, why: Why = "") -> None:
    """Approve the plan that stands, so that experts are asked on the next run. A changed plan needs approval again.

    Example: tmas decision approve launch_decision launch_bottle --who Ann
    """
    from tmas_assets.commands.decision import approve_plan

    approve_plan(experiment, hypothesis, who=who, why=why, out=_out)


@decision_app.command()
def edit(
    experiment: Name,
    hypothesis: Hypothesis,
    reply: Reply,
    who: Who,
    why: Why = "",
    text: Annotated[str, typer.Option(help="What stands in the reply's place.")] = "",
    file: Annotated[Path | None, typer.Option(help="A file that holds it.")] = None,
) -> None:
    """Put your text in the place of a reply. The next run asks again only what depends on it.

    Example: tmas decision edit launch_decision launch_bottle r0t01/market/expert --file market.json --who Ann --why "newer survey"
    """
    from tmas_assets.commands.decision import edit_reply

    edit_reply(experiment, hypothesis, reply, text=text, file=file, who=who, why=why, out=_out)


@decision_app.command()
def again(experiment: Name, hypothesis: Hypothesis, reply: Reply, who: Who, why: Why = "") -> None:
    """Have one reply asked anew. The next run asks it and what depends on it, and nothing else.

    Example: tmas decision again launch_decision launch_bottle r0t01/risk/expert --who Ann --why "missed the supplier"
    """
    from tmas_assets.commands.decision import ask_again

    ask_again(experiment, hypothesis, reply, who=who, why=why, out=_out)
