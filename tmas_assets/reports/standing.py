"""Where an experiment stands: its score, and the way there in calls and tokens. A leaderboard's row.

Made once, with the experiment's summary, so that a leaderboard reads a row and no cells. Leaves out showing it.
"""

import re
from typing import ClassVar

from tmas_assets.records import JUDGE, Figure, Record, RoleTokens, Score
from tmas_assets.reports.experiment_report import ExperimentReport, ModelUse
from tmas_assets.statistics import headline

CHECKPOINT = re.compile(r"[a-z][a-z0-9_]*@t\d\d( [0-9a-f]{8})?")
"""What a checkpoint is called in a row: training, iteration, start of its digest."""


class CurvePoint(Record):
    """Pass@1 of an iteration against what one run of the strategy takes up to there, mean a problem."""

    iteration: int
    calls: float
    tokens: float
    usage_unknown: int
    """Calls in no sum of tokens: with any, `tokens` is a lower bound."""
    value: float
    low: float | None
    high: float | None
    missing: int


class LeaderboardRow(Record):
    SCHEMA_VERSION: ClassVar[int] = 3
    experiment: str
    benchmark: str
    release: str
    strategy: str
    model: str
    """Every model the experiment used, as one text."""
    identity: str
    """Of the models that solve: their digests, or what was declared of them."""
    score: Score | None
    """Of the last whole iteration, see `statistics.headline`; None before the first graded answer."""
    majority: Figure | None
    """maj@k of the same iteration at the largest k that is asked for."""
    curve: tuple[CurvePoint, ...]
    """By iteration that has a score."""
    tokens_scratch: tuple[RoleTokens, ...]
    """Over all iterations and repeats, what getting to this score takes without any reuse."""
    tokens_paid: tuple[RoleTokens, ...]

    @property
    def end(self) -> CurvePoint | None:
        """The point of the curve that the score is of."""
        return next((one for one in self.curve if self.score and one.iteration == self.score.iteration), None)

    @property
    def tokens_per_right_answer(self) -> float | None:
        """Tokens of one run divided by the chance that its answer is right; None where none is right."""
        return self.end.tokens / self.end.value if self.end and self.end.value else None


def leaderboard_row(report: ExperimentReport) -> LeaderboardRow:
    score = headline(report.scores)
    votes = [one for one in report.figures if score and one.iteration == score.iteration and one.metric == "maj@k"]
    solving = (used.identity for used in report.models if set(used.roles) - {JUDGE})
    return LeaderboardRow(
        experiment=report.name,
        benchmark=report.benchmark,
        release=report.release,
        strategy=report.strategy,
        model=", ".join(dict.fromkeys(map(_named, report.models))),
        identity=", ".join(dict.fromkeys(solving)),
        score=score,
        majority=max(votes, key=lambda one: one.k, default=None),
        curve=_curve(report),
        tokens_scratch=report.tokens_scratch,
        tokens_paid=report.tokens_paid,
    )


def _named(used: ModelUse) -> str:
    """A checkpoint with the start of its digest: its name stays when it is trained again."""
    return f"{used.model} {used.identity[:8]}" if CHECKPOINT.fullmatch(used.model) else used.model


def _curve(report: ExperimentReport) -> tuple[CurvePoint, ...]:
    spent = {one.iteration: one for one in report.spent}
    return tuple(
        CurvePoint(
            **spent[score.iteration].model_dump(), value=score.value, low=score.low, high=score.high, missing=score.missing
        )
        for score in sorted(report.scores, key=lambda one: one.iteration)
        if score.value is not None and score.iteration in spent
    )
