"""The memory banks as values: merge an update, cap the size, select what a prompt shows; no model calls."""

from tmas_assets.memory.bank import BankSettings, Merged, live, merge
from tmas_assets.memory.recycling import Finding, Recycled, Tally, recycle
from tmas_assets.memory.selection import Selection, select
from tmas_assets.memory.similarity import Similarity, apart, cosine, jaccard, same_formulas
from tmas_assets.memory.size import tokens

__all__ = [
    "BankSettings", "Finding", "Merged", "Recycled", "Selection", "Similarity", "Tally", "apart", "cosine", "jaccard", "live",
    "merge", "recycle", "same_formulas", "select", "tokens",
]
