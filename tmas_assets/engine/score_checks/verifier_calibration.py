"""Whether verifiers score right answers higher than wrong ones, over all iterations and in each: reported, with an interval.

It warns only where they do worse than chance for certain. Leaves out the figures: `statistics/calibration.py`.
"""

from collections.abc import Mapping

import polars as pl

from tmas_assets.engine.figures import checked, clusters
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.records import REPEATED
from tmas_assets.records.finding import Finding, Measure, Offence, finding_of
from tmas_assets.records.seeds import seed_of
from tmas_assets.statistics import Calibration, Verified, calibration

PROMISE = "verifier_calibration"
SAID = "Verifiers do not rank wrong answers above right ones; how well they rank is reported."
CHANCE = 0.5


def check_verifier_calibration(seen: Evidence) -> Finding:
    answers = _answers(seen)
    everything = [one for own in answers.values() for one in own]
    experiment = seen.cells.experiment
    whole = calibration(everything, seed_of(experiment.seed, "calibration"))
    if whole is None:
        checks = len(seen.gathered.frames["verifier_scores"])
        said = (
            f"no graded answer has a verifier score ({checks} checks are there)" if checks
            else f"{experiment.strategy.name} has its answers checked by nobody: there is no verifier to be wrong"
        )  # fmt: skip
        return finding_of(PROMISE, said, 0)
    by_iteration = {t: made for t, own in answers.items() if (made := calibration(own, seed_of(experiment.seed, "calibration", t)))}
    offences = [Offence(id=name, what=_told(one)) for name, one in _named(whole, by_iteration) if one.high is not None and one.high < CHANCE]
    listed = [
        *(Offence(id=name, what=_told(one)) for name, one in _named(whole, by_iteration)),
        *(
            Offence(id=f"score {one.low:g} to {one.high:g}", what=f"{one.right:.1%} right, mean score {one.mean_score:.3f}, n = {one.answers}")
            for one in whole.bins
        ),
    ]
    return finding_of(
        PROMISE, _told(whole), whole.answers, offences, severity="warn", measures=_measures(whole),
        # all iterations and their table of scores come before single iterations where there is no room for all
        listed=[listed[0], *listed[1 + len(by_iteration):], *listed[1 : 1 + len(by_iteration)]],
        cure="Do not select or stop by these scores; look at critiques in verifier_scores, or give the verifier another model or prompt",
    )  # fmt: skip


def _named(whole: Calibration, by_iteration: Mapping[int, Calibration]) -> list[tuple[str, Calibration]]:
    return [("all iterations", whole), *((f"t{t:02d}", one) for t, one in by_iteration.items())]


def _answers(seen: Evidence) -> dict[int, list[Verified]]:
    """By iteration. What repeats an earlier answer word for word is that answer, and counts once."""
    scores, sources = checked(seen.gathered), clusters(seen.cells.experiment, seen.problems)
    repeated = seen.gathered.frames["rollouts"].filter(pl.col("branch").is_in(REPEATED)).select("problem", "id")
    again = set(repeated.iter_rows())
    found_in: dict[int, list[Verified]] = {}
    for grade in seen.gathered.grades:
        place = (grade.problem, grade.rollout)
        if grade.outcome in ("right", "wrong") and place in scores and place not in again:
            one = Verified(sources[grade.problem], scores[place], grade.outcome == "right")
            found_in.setdefault(grade.iteration, []).append(one)
    return {t: found_in[t] for t in sorted(found_in)}


def _told(one: Calibration) -> str:
    if one.auroc is None:
        ranked = f"all {one.answers} answers are {'right' if one.right else 'wrong'}, so nothing can be ranked"
    else:
        bounds = f" [{one.low:.3f}, {one.high:.3f}]" if one.low is not None and one.high is not None else ", no interval"
        ranked = f"AUROC {one.auroc:.3f}{bounds}"
    means = [
        f"mean score {mean:.3f} of {count} {kind}"
        for kind, mean, count in (("right", one.mean_right, one.right), ("wrong", one.mean_wrong, one.answers - one.right))
        if mean is not None
    ]
    agreed = f", verdict agrees in {one.agreement:.1%} of {one.answers - one.halves}" if one.agreement is not None else ""
    return f"{ranked}, {' and '.join(means)}, Brier {one.brier:.3f}{agreed}; {one.clusters} problems"


def _measures(one: Calibration) -> list[Measure]:
    named = {
        "auroc": one.auroc, "auroc_low": one.low, "auroc_high": one.high, "brier": one.brier, "mean_score_right": one.mean_right,
        "mean_score_wrong": one.mean_wrong, "agreement": one.agreement,
    }  # fmt: skip
    return [Measure(name=name, value=value) for name, value in named.items() if value is not None]
