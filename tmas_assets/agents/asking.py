"""Where a request stands, how it is sampled, and how much earlier material its prompt may carry."""

from pydantic import Field

from tmas_assets.records import Record, Sampling


class Ask(Record):
    """What the strategy decides about a request; the agent adds the words."""

    sampling: Sampling
    seed: int
    sample: str
    """Position of the request, see `ChatRequest.sample`."""
    affinity: str
    priority: int = 0
    structured: bool = False
    """Ask for json_schema output where the role returns a record."""


class Limits(Record):
    """How many characters of earlier model output a prompt carries; what is cut is said in the prompt.

    The defaults fit a window of 2048 tokens with 256 left for the reply. The problem itself is never cut.
    """

    rollout_chars: int = Field(default=2000, ge=200)
    """One solution: its beginning and, since the answer stands there, more of its end."""
    summary_chars: int = Field(default=800, ge=100)
    """One review of a solution."""
    checks_chars: int = Field(default=2000, ge=200)
    """All critiques of one solution together."""
    round_chars: int = Field(default=3000, ge=400)
    """All solutions with their reviews together, where several are shown."""
    bank_chars: int = Field(default=2000, ge=200)
    """All lines of a bank together."""
