"""Figures over graded answers: pass@k, votes, intervals, scores, tokens. Pure; import from here."""

from tmas_assets.statistics.interval import Interval, mean_interval
from tmas_assets.statistics.pass_at_k import pass_at_k
from tmas_assets.statistics.score import headline, score_iteration
from tmas_assets.statistics.tokens import role_order, role_tokens
from tmas_assets.statistics.votes import Vote, majority

__all__ = [
    "Interval", "Vote", "headline", "majority", "mean_interval", "pass_at_k", "role_order", "role_tokens",
    "score_iteration",
]
