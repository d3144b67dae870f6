"""Where a request stands, how it is sampled, and what its prompt carries besides the task."""

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
    """What a prompt carries: characters of earlier model output (what is cut is said there), and an example.

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
    example: bool = False
    """Begin every prompt with a turn in which a small problem is solved. Very small models keep the form of an
    answer only so (SmolLM2-135M boxes over 90 % of its answers with it, 1 % without); others do without."""
