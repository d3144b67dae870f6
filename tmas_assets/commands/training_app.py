"""The doors of data sets and training: arguments and help only. What they do is in modules imported when one is opened."""

from typing import Annotated

import typer

from tmas_assets.commands.terminal import terminal

training_app = typer.Typer()
_out, _err = terminal(), terminal(stderr=True)


@training_app.command("build-data")
def build_data(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets, see `tmas data-sets`; the two small ones if none.")] = None,
    quiet: Annotated[bool, typer.Option(help="No live bar.")] = False,
) -> None:
    """Build data sets for training: every step from source problems to the data card. Nothing that is paid for is asked twice.

    Examples:

        tmas build-data

        tmas build-data cold_start_small
    """
    from tmas_assets.commands.build_data import build_sets

    try:
        build_sets(names or [], out=_out, live=not quiet)
    except KeyboardInterrupt:
        _err.print("interrupted: what is made and paid for is kept; run again to go on")
        raise typer.Exit(130) from None


@training_app.command("data-sets")
def data_sets() -> None:
    """List the data sets with kind, targets, sources and settings file, and which training runs take their prompts from them."""
    from tmas_assets.commands.build_data import list_data_sets

    list_data_sets(out=_out)


@training_app.command()
def train(
    name: Annotated[str, typer.Argument(help="Training run, see `tmas trainings`.")],
    iterations: Annotated[str, typer.Option(help="first..last, e.g. 0..1; all if none.")] = "",
    again: Annotated[bool, typer.Option(help="Train again what is there too.")] = False,
    quiet: Annotated[bool, typer.Option(help="No line for every step.")] = False,
) -> None:
    """Train what is missing of a training run, iteration after iteration. A run that was ended goes on from its last whole state.

    Examples:

        tmas train demo_sft

        tmas train demo_grpo --iterations 0..0
    """
    from tmas_assets.commands.train import train_named

    try:
        train_named(name, iterations, again=again, out=_out, live=not quiet)
    except KeyboardInterrupt:
        _err.print("interrupted: the trainer was asked to save its state; run again to go on")
        raise typer.Exit(130) from None


@training_app.command()
def trainings(
    compare: Annotated[bool, typer.Option(help="Reward and Pass@1 of every checkpoint, side by side, and the page.")] = False,
) -> None:
    """List the training runs with kind, base, data, rewards and what is trained of them."""
    from tmas_assets.commands.train import compare_trainings, list_trainings

    if compare:
        compare_trainings(out=_out)
    else:
        list_trainings(out=_out)


@training_app.command()
def checkpoints(
    training: Annotated[str, typer.Argument(help="Training run; all if none.")] = "",
) -> None:
    """List registered checkpoints with digest, base and figures, and what is torn and why."""
    from tmas_assets.commands.checkpoints import list_checkpoints

    list_checkpoints(training, out=_out)
