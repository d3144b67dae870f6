"""`tmas leaderboard`: materialize the leaderboard through Dagster and print it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from tmas_assets.assets.keys import LEADERBOARD
from tmas_assets.assets.leaderboard import make_leaderboard
from tmas_assets.benchmarks import benchmark
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import stated
from tmas_assets.commands.jobs import materialize
from tmas_assets.commands.place import stated_deployment
from tmas_assets.reports import notation
from tmas_assets.reports.standing_tables import paired_terminal, standing_table


def show_leaderboard(*, out: Console) -> None:
    """Raises CommandFault where no experiment has a summary, and for what cannot be read or written."""
    deployment = stated_deployment()
    found = stated()
    materialize(LEADERBOARD)
    graded = [file.experiment for file in found.experiments if benchmark(file.experiment.benchmark.name).has_gold]
    made = make_leaderboard(deployment, graded)
    if not made.tables:
        raise CommandFault("no experiment has a summary yet; make one with `tmas run demo`")
    labels = {
        member.experiment.name: (study.study.name, member.label) for study in found.studies for member in study.members
    }
    for table in made.tables:
        names = _names([row.experiment for row in table.rows], labels)
        title = f"{table.benchmark} {table.release}"
        out.print(standing_table(title, [(names[row.experiment], row) for row in table.rows]))
        for paired in table.paired:
            lines = (line.model_copy(update={"experiment": names[line.experiment]}) for line in paired.lines)
            named = {"reference": names[paired.reference], "lines": tuple(lines)}
            out.print(paired_terminal(paired.model_copy(update=named)))
            for doubt in paired.doubts:
                out.print(doubt, highlight=False, markup=False, style="yellow", soft_wrap=True)
        if studies := sorted({labels[name][0] for name, shown in names.items() if shown != name}):
            out.print(f"… stands for {', '.join(studies)}", highlight=False, markup=False)
        for row in table.rows:
            if row.score and (warning := notation.untrusted(row.score)):
                out.print(warning, highlight=False, markup=False, style="bold red", soft_wrap=True)
    out.print(f"leaderboard page: {made.page}", highlight=False, soft_wrap=True)


def _names(experiments: Sequence[str], labels: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """What each is called in a narrow table: `…label` for a member of a study, where no other member has that label."""
    taken = Counter(labels[name][1] for name in experiments if name in labels)
    return {name: f"…{labels[name][1]}" if name in labels and taken[labels[name][1]] == 1 else name for name in experiments}
