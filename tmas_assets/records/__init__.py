"""Frozen typed rows, one module a subject; import them from here."""

from tmas_assets.records.audit import (
    STANDINGS,
    Audit,
    AuditFault,
    AuditNode,
    ModelOrigin,
    NodeKind,
    PromptOrigin,
    ScoreOrigin,
    SealedFile,
    Standing,
    worst,
)
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
from tmas_assets.records.checkpoint import Checkpoint, CheckpointFacts
from tmas_assets.records.conversation import Conversation
from tmas_assets.records.data_set import (
    ROW_SOURCES,
    ColdStart,
    Decontamination,
    PassRates,
    ProblemSource,
    RowCounts,
    RowSource,
    Screening,
    Selection,
    Simulation,
    Teacher,
    TeamTraces,
    TraceFilters,
)
from tmas_assets.records.decision import (
    CHOICES,
    RED_TEAM,
    STANCES,
    Calculation,
    Choice,
    ChoiceCount,
    Cited,
    Claim,
    Consensus,
    Contradiction,
    Decision,
    DimensionScore,
    Dissent,
    Expert,
    Finding,
    Flips,
    NextExperiment,
    Order,
    Plan,
    Quantity,
    Risk,
    Sensitivity,
    Side,
    Stance,
    expert_name,
)
from tmas_assets.records.experiment import (
    JUDGE,
    BenchmarkChoice,
    Budget,
    Endpoint,
    Experiment,
    JudgeSettings,
    ManagedServer,
    Refresh,
    RoleSettings,
    StrategyChoice,
    Thresholds,
)
from tmas_assets.records.figure import Figure, Metric
from tmas_assets.records.grade import Grade, Judgement, Outcome, RoleTokens, Score, Verdict
from tmas_assets.records.hypothesis import ASSUMPTION, NO_GRADER, Evidence, Hypothesis, hypothesis_of, problem_of
from tmas_assets.records.members import Member, Point, StudyFault, members_of, reference_of
from tmas_assets.records.problem import Problem, RetiredProblem
from tmas_assets.records.review import Amendment, Approval
from tmas_assets.records.rl_row import ExtraInfo, RewardModel, RlRow, ShownEntry
from tmas_assets.records.rounds import (
    REPEATED,
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
    Turn,
    Verification,
)
from tmas_assets.records.source_problem import (
    Compared,
    Dropped,
    PassRate,
    SimulatedRound,
    SourceProblem,
    StepCount,
    StepNote,
)
from tmas_assets.records.study import Axis, Study, Variant
from tmas_assets.records.team_trace import (
    FilteredTrace,
    PublishedTrace,
    Question,
    QuestionReview,
    TeamTrace,
    TraceFilter,
    TraceTurn,
)
from tmas_assets.records.trainer import (
    MOST_DIFFERENT,
    OUTCOME,
    RewardPart,
    StepFigures,
    StepPrompts,
    TrainerOutcome,
    TrainerPlan,
)
from tmas_assets.records.training import (
    LATEST,
    Base,
    Conversations,
    DeepSpeed,
    Grpo,
    Iteration,
    Launch,
    Optimisation,
    Prompts,
    RewardChoice,
    Rollouts,
    Sft,
    Training,
)

__all__ = [
    "ASSUMPTION", "CHOICES", "JUDGE", "LATEST", "MOST_DIFFERENT", "NO_GRADER", "OUTCOME", "RED_TEAM", "REPEATED",
    "ROW_SOURCES", "STANCES", "STANDINGS", "Amendment", "Approval", "Audit", "AuditFault", "AuditNode", "Axis",
    "Bank", "BankUpdate", "BankWrite", "Base", "BenchmarkChoice", "Boundary", "Branch", "Budget", "Calculation",
    "Call", "ChatRequest", "Checkpoint", "CheckpointFacts", "Choice", "ChoiceCount", "Cited", "Claim", "ColdStart",
    "Compared", "CompletionStatus", "Consensus", "Contradiction", "Conversation", "Conversations", "Decision",
    "Decontamination", "DeepSpeed", "DimensionScore", "Dissent", "Dropped", "Endpoint", "Evidence", "Experiment",
    "Expert", "ExtraInfo", "Failure", "Figure", "FilteredTrace", "Finding", "FinishReason", "Flips", "Grade",
    "Grpo", "Hypothesis", "Iteration", "JudgeSettings", "Judgement", "Launch", "ManagedServer", "Member",
    "MemoryEntry", "MemorySnapshot", "Message", "Metric", "ModelOrigin", "NextExperiment", "NodeKind",
    "Optimisation", "Order", "Outcome", "ParseStatus", "PassRate", "PassRates", "Plan", "Point", "Polarity",
    "Problem", "ProblemSource", "PromptOrigin", "Prompts", "PublishedTrace", "Quantity", "Question",
    "QuestionReview", "Record", "Refresh", "RetiredProblem", "RewardChoice", "RewardModel", "RewardPart", "Risk",
    "RlRow", "RoleSettings", "RoleTokens", "Rollout", "Rollouts", "Round", "RowCounts", "RowSource", "Sampling",
    "Score", "ScoreOrigin", "Screening", "SealedFile", "Selection", "Sensitivity", "Sft", "ShownEntry", "Side",
    "SimulatedRound", "Simulation", "SourceProblem", "Stance", "Standing", "StepCount", "StepFigures", "StepNote",
    "StepPrompts", "StrategyChoice", "Study", "StudyFault", "Summary", "Teacher", "TeamTrace", "TeamTraces",
    "Thresholds", "Trace", "TraceFilter", "TraceFilters", "TraceTurn", "TrainerOutcome", "TrainerPlan", "Training",
    "Turn", "Usage", "Variant", "Verdict", "Verification", "canonical_json", "digest", "digest_bytes",
    "expert_name", "hypothesis_of", "members_of", "problem_of", "reference_of", "worst",
]  # fmt: skip
