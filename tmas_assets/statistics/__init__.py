"""Figures over graded answers: pass@k, votes, intervals, scores, comparisons, tokens. Pure; import from here."""

from tmas_assets.statistics.agreement import Agreement, agreement
from tmas_assets.statistics.best_of_k import best_of_k
from tmas_assets.statistics.bootstrap import Bootstrap, bootstrap
from tmas_assets.statistics.calibration import Calibration, ReliabilityBin, Verified, calibration
from tmas_assets.statistics.clusters import cluster_of
from tmas_assets.statistics.comparison import BASES, Basis, ComparedSide, PairedComparison, Side, Unit, compare, side_of
from tmas_assets.statistics.figures import Beside, figures_of, ladder
from tmas_assets.statistics.gap_closure import gap_closure, right_answers
from tmas_assets.statistics.holm import holm
from tmas_assets.statistics.interval import Interval, mean_interval
from tmas_assets.statistics.majority_at_k import majority_at_k
from tmas_assets.statistics.paired import PairedDifference, paired_difference
from tmas_assets.statistics.pass_at_k import pass_at_k, pass_hat_k
from tmas_assets.statistics.samples import Samples, samples_of
from tmas_assets.statistics.score import headline, score_iteration
from tmas_assets.statistics.tally import ProblemTally, Spent, right_rates, spent_by_iteration
from tmas_assets.statistics.tokens import role_order, role_tokens
from tmas_assets.statistics.votes import Vote, classes_of, majority

__all__ = [
    "BASES", "Agreement", "Basis", "Beside", "Bootstrap", "Calibration", "ComparedSide", "Interval", "PairedComparison",
    "PairedDifference", "ProblemTally", "ReliabilityBin", "Samples", "Side", "Spent", "Unit", "Verified", "Vote", "agreement",
    "best_of_k", "bootstrap", "calibration", "classes_of", "cluster_of", "compare", "figures_of", "gap_closure", "headline",
    "holm", "ladder", "majority", "majority_at_k", "mean_interval", "paired_difference", "pass_at_k", "pass_hat_k",
    "right_answers", "right_rates", "role_order", "role_tokens", "samples_of", "score_iteration", "side_of", "spent_by_iteration",
]
