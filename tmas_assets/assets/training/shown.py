"""What the UI and the run's log show of training: a line a step while it runs, a checkpoint's origin, figures and curves at the end."""

import dagster as dg

from tmas_assets.assets.events import Metadata
from tmas_assets.assets.metadata import text_table
from tmas_assets.assets.training.iteration import Trained
from tmas_assets.records import StepFigures
from tmas_assets.reports.figures import curve_markdown
from tmas_assets.reports.training_curves import training_curves_png
from tmas_assets.reports.training_curves_table import iterations_markdown, number


def step_line(figures: StepFigures, last: int | None) -> str:
    """`step 7 of 12: loss 0.12, reward 0.25 (correctness 0.10), ...`: what there is of it."""
    shares = {
        "loss": figures.loss, "reward": figures.reward, "kl": figures.kl, "clip ratio": figures.clip_ratio, "right": figures.accuracy,
        "zero variance": figures.zero_variance, "truncated": figures.truncated, "grad norm": figures.grad_norm,
    }  # fmt: skip
    told = [f"{name} {number(value)}" for name, value in shares.items() if value is not None]
    told += [f"{part.name} {number(part.mean)} of {part.samples}" for part in figures.parts]
    told.append(f"{figures.tokens_per_second:.0f} tokens/s, {figures.seconds:.1f} s, {figures.memory_mib:,.0f} MiB")
    return f"step {figures.step}{f' of {last}' if last else ''}: {', '.join(told)}"


def running_metadata(name: str, figures: list[StepFigures]) -> Metadata:
    """Of the steps so far."""
    return {"step": dg.MetadataValue.int(figures[-1].step), **_numbers(figures[-1]), **_pictures(name, figures)}


def checkpoint_metadata(trained: Trained) -> Metadata:
    there, start = trained.registered.checkpoint, trained.start
    made = {
        "base": f"{there.base} ({there.base_digest[:12]})", "rows": f"{there.rows} ({there.rows_digest[:12]})",
        "order of prompts": there.order_digest[:12], "settings": there.settings_digest[:12], "code": there.code_version, "run": there.run,
    }  # fmt: skip
    return {
        "checkpoint": dg.MetadataValue.text(trained.registered.name),
        "digest": dg.MetadataValue.text(there.digest),
        "folder": dg.MetadataValue.path(str(trained.registered.folder)),
        "made_from": text_table(("what", "which"), list(made.items())),
        "settings": dg.MetadataValue.json(start.training.model_dump(mode="json", exclude={"description", "judge"})),
        "steps": dg.MetadataValue.int(there.steps),
        "parameters": dg.MetadataValue.int(there.parameters),
        "duration_seconds": dg.MetadataValue.float(there.seconds),
        "hardware": dg.MetadataValue.text(f"{there.processes} x {there.device}"),
        "max_difference_to_live_weights": dg.MetadataValue.float(there.max_difference),
        "packages": text_table(("package", "version"), list(there.packages)),
        **({"figures_file": dg.MetadataValue.path(trained.stored.path)} if trained.stored else {}),
        **({"figures": dg.MetadataValue.md(iterations_markdown(trained.figures))} if trained.figures else {}),
        **(_numbers(trained.figures[-1]) if trained.figures else {}),
        **_pictures(trained.registered.name, list(trained.figures)),
    }


def _numbers(last: StepFigures) -> dict[str, dg.MetadataValue]:
    """The last step's, as numbers that the UI plots over materializations."""
    found = {
        "loss": last.loss, "reward": last.reward, "right_share": last.accuracy, "kl": last.kl, "clip_ratio": last.clip_ratio,
        "zero_variance_share": last.zero_variance, "truncated_share": last.truncated, "tokens_per_second": last.tokens_per_second,
        "memory_mib": last.memory_mib,
    }  # fmt: skip
    return {name: dg.MetadataValue.float(value) for name, value in found.items() if value is not None}


def _pictures(name: str, figures: list[StepFigures]) -> dict[str, dg.MetadataValue]:
    png = training_curves_png(name, figures)
    return {"curves": dg.MetadataValue.md(curve_markdown(png, alt="training curves"))} if png else {}
