"""`tmas grade`: a file of answers in, a file of verdicts out, a line for a line."""

from pathlib import Path

from rich.console import Console

from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.place import stated_deployment
from tmas_assets.engine.grade_rows import grade_file


def grade_answers(file: Path, out_file: Path, *, out: Console) -> None:
    """Raises CommandFault where the file cannot be read or written, or a setting of the environment cannot be used."""
    if not out_file.parent.is_dir():
        raise CommandFault(f"no folder {out_file.parent} to write {out_file.name} into; make it first")
    if not file.is_file():
        raise CommandFault(f"no file {file}; give a JSONL with id, kind, gold and response on each line")
    deployment = stated_deployment()
    try:
        graded = grade_file(file, out_file, isolation=deployment.isolation)
    except OSError as fault:
        raise CommandFault(f"grading {file} into {out_file}: {fault}") from fault
    for outcome in ("right", "wrong", "undecided", "failed"):
        out.print(f"{outcome:10} {graded.outcomes[outcome]}", highlight=False)
    for reason, rows in graded.reasons:
        out.print(f"{rows} failed: {reason}", highlight=False, markup=False, soft_wrap=True)
    out.print(f"written to {out_file}", highlight=False, soft_wrap=True)
    if not graded.outcomes:
        raise CommandFault(f"{file} holds no line to grade")
    if graded.outcomes["failed"] == graded.outcomes.total():
        raise CommandFault(f"not one line of {file} could be graded; {out_file} says why, line for line")
