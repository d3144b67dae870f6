"""Frozen typed rows, one module a subject; import them from here."""

from tmas_assets.records.base import Record, canonical_json, digest, digest_bytes
from tmas_assets.records.call import (
    Boundary,
    Call,
    ChatRequest,
    CompletionStatus,
    Failure,
    FinishReason,
    Message,
    Sampling,
    Trace,
    Usage,
)
from tmas_assets.records.experiment import (
    BenchmarkChoice,
    Budget,
    Endpoint,
    Experiment,
    ManagedServer,
    RoleSettings,
    StrategyChoice,
)
from tmas_assets.records.grade import Grade, Outcome, RoleTokens, Score, Verdict
from tmas_assets.records.problem import Problem, RetiredProblem
from tmas_assets.records.rounds import (
    Bank,
    BankUpdate,
    BankWrite,
    Branch,
    MemoryEntry,
    MemorySnapshot,
    ParseStatus,
    Polarity,
    Rollout,
    Round,
    Summary,
    Verification,
)

__all__ = [
    "Bank", "BankUpdate", "BankWrite", "BenchmarkChoice", "Boundary", "Branch", "Budget", "Call", "ChatRequest",
    "CompletionStatus", "Endpoint", "Experiment", "Failure", "FinishReason", "Grade", "ManagedServer",
    "MemoryEntry", "MemorySnapshot", "Message", "Outcome", "ParseStatus", "Polarity", "Problem", "Record",
    "RetiredProblem", "RoleSettings", "RoleTokens", "Rollout", "Round", "Sampling", "Score", "StrategyChoice",
    "Summary", "Trace", "Usage", "Verdict", "Verification", "canonical_json", "digest", "digest_bytes",
]
