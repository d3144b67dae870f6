"""The stored scores are of the grades that lie there now: a cell made or graded since puts them out of date."""

from tmas_assets.engine.figures import answers
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.records.finding import Finding, Offence, finding_of

PROMISE = "summary_current"
SAID = "The stored scores were made of the very files of grades that are there now."


def check_current_summary(seen: Evidence, elsewhere: str | None) -> Finding:
    """`elsewhere`: why the summary that Dagster shows is of other settings or models; None where it is of the present ones."""
    now = {t: digest for (kind, t), digest in seen.gathered.digests.items() if kind == "benchmark_scores"}
    stored = {score.iteration: score.grades_digest for score in seen.summary.scores} if seen.summary is not None else {}
    offences = [Offence(id="summary", what=elsewhere)] if elsewhere is not None else []
    if seen.summary is None:
        offences.append(Offence(id="summary", what="there is none under the present settings and models"))
    else:
        for iteration, digest in sorted(stored.items()):
            if now.get(iteration) != digest:
                what = f"scored from the grades {digest[:12]}, there now: {now[iteration][:12] if iteration in now else 'none'}"
                offences.append(Offence(id=f"score t{iteration:02d}", what=what))
        due = answers(seen.cells.experiment, seen.gathered)  # drafts of one answer have grades and no score
        offences += [Offence(id=f"t{t:02d}", what="has grades and no score yet") for t in due if t not in stored]
    said = f"{len(stored)} scores, {len(now)} iterations with grades"
    return finding_of(
        PROMISE, said, len(stored), offences, severity="warn",
        cure=f"Materialize {seen.name}/summary, or `tmas run {seen.name}`, which finds what is made and asks nothing twice",
    )  # fmt: skip
