"""The `tmas` command. Each subcommand is a thin door to what the Dagster UI does too; errors come without traceback.

Exit codes: 0 done, 1 a fault that the message explains, 2 the command was not understood, 130 interrupted.
"""

import logging
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.commands.decision_app import decision_app
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.terminal import terminal
from tmas_assets.commands.training_app import training_app

app = typer.Typer(
    name="tmas",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Run and measure test-time-scaling systems. `make ui` opens the same in Dagster.",
)
app.add_typer(decision_app, name="decision")
app.add_typer(training_app)
out, err = terminal(), terminal(stderr=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"tmas-assets {version('tmas-assets')}", highlight=False)
        raise typer.Exit


@app.callback()
def common(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(help="Name of an experiment or a study, see `tmas experiments`.")],
    iterations: Annotated[str, typer.Option(help="first..last, both included; default all.")] = "",
    problems: Annotated[list[str] | None, typer.Option("--problems", "-p", help="Problem id; may be repeated.")] = None,
    quiet: Annotated[bool, typer.Option(help="No live bar.")] = False,
) -> None:
    """Run an experiment's campaign, or those of all members of a study, then print the scores. Finished cells and paid
    calls are never repeated.

    Examples:

        tmas run demo

        tmas run demo --iterations 0..1 -p chain_sum-0000 -p chain_sum-0001

        tmas run tmas_banks
    """
    from tmas_assets.commands.run import run_named

    try:
        run_named(experiment, iterations, problems or [], out=out, live=not quiet)
    except KeyboardInterrupt:
        err.print("interrupted: finished cells and calls are kept; run again to go on")
        raise typer.Exit(130) from None


@app.command()
def regrade(
    experiment: Annotated[str, typer.Argument(help="Name of an experiment or a study.")],
) -> None:
    """Grade all stored rollouts again with the graders as they are now, without asking any model.

    Judgements come from the call log; an answer that no judge was asked about yet stays undecided.

    Example: tmas regrade demo
    """
    from tmas_assets.commands.run import run_named

    run_named(experiment, "", [], out=out, live=False, regrade=True)


@app.command()
def report(experiment: Annotated[str, typer.Argument(help="Name of an experiment or a study.")]) -> None:
    """Sum up what is there and write the report page, without asking any model.

    Example: tmas report demo
    """
    from tmas_assets.commands.run import report_named

    report_named(experiment, out=out)


@app.command()
def compare(
    a: Annotated[str, typer.Argument(help="Name of an experiment, or of a study alone.")],
    b: Annotated[str, typer.Argument(help="Another one on the same problems; none for a study.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON, for scripts.")] = False,
) -> None:
    """Tell whether two experiments differ: paired over problems, at equal iterations, calls and tokens.

    A study's members are all compared with its reference.

    Examples:

        tmas compare my_tmas my_self_refine

        tmas compare tmas_banks
    """
    from tmas_assets.commands.compare import compare_named

    compare_named(a, b, as_json=as_json, out=out)


@app.command()
def leaderboard() -> None:
    """Put all experiments side by side by benchmark release, from their last summaries, and write the page.

    Example: tmas leaderboard
    """
    from tmas_assets.commands.leaderboard import show_leaderboard

    show_leaderboard(out=out)


@app.command()
def audit(
    score: Annotated[str, typer.Argument(help="NAME, NAME/t03, NAME@settings, or first digits of a score file's digest.")],
    as_json: Annotated[bool, typer.Option("--json", help="Every part as JSON, for scripts.")] = False,
    prov: Annotated[Path | None, typer.Option(help="Write the chain as W3C PROV-JSON to this file, too.")] = None,
    opened: Annotated[bool, typer.Option("--all", help="Show every part, intact ones too.")] = False,
) -> None:
    """Walk a score back to everything it was made from, and compute every digest again from the bytes.

    NAME alone is the experiment's last summary. Exit code 0 where nothing is missing or changed, else 1.

    Examples:

        tmas audit demo

        tmas audit demo/t02 --prov demo.prov.json
    """
    from tmas_assets.commands.audit import audit_score

    if not audit_score(score, as_json=as_json, prov=prov, opened=opened, out=out):
        raise typer.Exit(1)


@app.command()
def site() -> None:
    """Write the report site: the pages of every experiment that was summed up, its problems and iterations, and an index.

    Runs and reports keep it up to date by themselves; this makes pages that are missing, and takes away those of experiments
    that no file states any more. Needs no server: open the index in a browser.

    Example: tmas site
    """
    from tmas_assets.commands.site import write_site

    write_site(out=out)


@app.command()
def benchmarks(
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON a benchmark, for scripts.")] = False,
) -> None:
    """List the benchmarks with rows, grader, licence, and where their data is here. Downloads nothing.

    Example: tmas benchmarks
    """
    from tmas_assets.commands.benchmarks import list_benchmarks

    list_benchmarks(as_json=as_json, out=out)


@app.command()
def strategies(name: Annotated[str, typer.Argument(help="Name of a strategy; none for a list of all.")] = "") -> None:
    """List the strategies, or show one's settings with defaults, bounds and meaning, and the iterations it takes.

    Examples:

        tmas strategies

        tmas strategies verify_refine
    """
    from tmas_assets.commands.strategies import show_strategies

    show_strategies(name, out=out)


@app.command()
def experiments() -> None:
    """List the experiments with benchmark, strategy, model and settings file."""
    from tmas_assets.commands.run import list_experiments

    list_experiments(out=out)


@app.command()
def serve(
    model: Annotated[str, typer.Argument(help="The bundled model's name, a training run's, or a Hugging Face folder.")] = "",
    max_model_len: Annotated[int, typer.Option(help="Context window, tokens.")] = 2048,
) -> None:
    """Start a model server, print its URL, and keep it up until Ctrl-C.

    Examples:

        tmas serve

        tmas serve path/to/checkpoint --max-model-len 4096
    """
    from tmas_assets.commands.serve import serve_model

    serve_model(model, max_model_len, out=out)


@app.command()
def grade(
    file: Annotated[Path, typer.Argument(help="JSONL with id, kind, gold and response on each line.")],
    out_file: Annotated[Path, typer.Option("--out", help="JSONL to write, a line for each line read.")],
) -> None:
    """Grade answers in a JSONL file, with the graders that experiments use.

    A line out for each line in, in order: id, outcome (right, wrong, undecided,
    failed), extracted (what was read as the answer), seconds, and reason where
    there is one. A line that cannot be graded is failed and says why.

    Example: tmas grade answers.jsonl --out graded.jsonl

    Lines, for each kind:

    \b
    {"id": "1", "kind": "math", "gold": "1/2", "response": "So $x = 0.5$."}
    {"id": "2", "kind": "integer", "gold": "042", "response": "#### 42"}
    {"id": "3", "kind": "choice", "gold": "B", "response": "Answer: (B)"}
    {"id": "4", "kind": "choice", "response": "The gap is 3 eV.",
     "gold": {"answer": "B", "options": ["2 eV", "3 eV"]}}
    {"id": "5", "kind": "code", "response": "def f(v): return v * v",
     "gold": {"tests": "assert f(3) == 9", "entry_point": "f"}}
    {"id": "6", "kind": "code", "response": "print(int(input()) + 1)",
     "gold": {"stdin": "2", "stdout": "3"}}
    {"id": "7", "kind": "parse", "gold": "verdict", "response": "INCORRECT"}

    (on one line each). Code runs in a sandbox, for which bubblewrap is needed.
    A parse line names in gold what its response is read as: thinking,
    completion, boxed, number, verdict, score, json, vote, pass_at_k,
    context_error, csv or jsonl. Its extracted is the value, null for none; its
    outcome is right where a value was read, wrong where the response has none.
    """
    from tmas_assets.commands.grade import grade_answers

    try:
        grade_answers(file, out_file, out=out)
    except KeyboardInterrupt:
        err.print(f"interrupted: {out_file} was not written", highlight=False, soft_wrap=True)
        raise typer.Exit(130) from None


@app.command()
def ui(port: Annotated[int, typer.Option(help="Port of the web server.")] = 3000) -> None:
    """Open the Dagster UI on this project (`dagster dev` on workspace.yaml)."""
    from tmas_assets.commands.ui import open_ui

    open_ui(port, out=out)


@app.command()
def problems(benchmark: Annotated[str, typer.Argument(help="A benchmark, or the asset after `problems/` of one with a label of yours.")]) -> None:
    """Load a benchmark's problems and check them, as materializing `problems/<benchmark>` does: its problem axis is filled.

    Example: tmas problems math500
    """
    from tmas_assets.commands.problems import make_problems

    make_problems(benchmark, out=out)


def main() -> None:
    # of libraries, about their own future; a user of the command line can do nothing about them
    warnings.simplefilter("ignore")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        app()
    except (CommandFault, BenchmarkError) as fault:
        err.print(f"[red]tmas:[/] {escape(str(fault))}", markup=True, highlight=False, soft_wrap=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
