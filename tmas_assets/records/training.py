"""A training run as its YAML file states it: base model x data x rewards x trainer settings; it yields checkpoints.

Two kinds: `sft` on conversations (loss on what the model said), `grpo` on RL prompts (rewards, group-relative advantages). What a
reward alone can judge, its settings, is judged by the reward.
"""

from typing import Literal

from pydantic import Field, JsonValue, model_validator

from tmas_assets.records.base import Record
from tmas_assets.records.data_set import ROW_SOURCES, RowSource
from tmas_assets.records.experiment import MAX_ITERATIONS, Endpoint, Name

LATEST: Literal["latest"] = "latest"
Iteration = int | Literal["latest"]
"""Of a training run: its number from 0, or the newest whole checkpoint."""


class Base(Record):
    """What training starts from."""

    model: str = "smollm2-135m-instruct"
    """The bundled model, the path of a Hugging Face folder, or the name of another training run."""
    iteration: Iteration = LATEST
    """Of that other run."""


class Prompts(Record):
    """What a GRPO run is prompted with."""

    set: Name
    """Name of a cold-start set."""
    sources: tuple[RowSource, ...] = ROW_SOURCES
    seed: int = Field(default=0, ge=0)
    """Of the order of the rows."""


class Conversations(Record):
    """What an SFT run imitates."""

    set: Name
    """Name of a cold-start set (its `sft`) or of a set of team traces (its filtered traces)."""
    roles: tuple[str, ...] = ()
    """Only what these roles said; all by default."""


class Optimisation(Record):
    """AdamW and its schedule."""

    learning_rate: float = Field(gt=0, allow_inf_nan=False)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup: float = Field(default=0.0, ge=0, lt=1)
    """Share of all steps in which the learning rate rises from 0."""
    weight_decay: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    max_grad_norm: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    micro_batch: int = Field(default=1, ge=1)
    """Sequences that one process computes at once."""
    gradient_checkpointing: bool = False
    precision: Literal["bf16", "fp32"] = "bf16"
    """Of the forward pass; DeepSpeed keeps 32-bit master weights."""
    pad_to: int | None = Field(default=64, ge=1)
    """Lengths are padded to a multiple: CPU kernels are built per shape."""
    seed: int = Field(default=0, ge=0)
    save_steps: int | None = Field(default=None, ge=1)
    """Keep the trainer's state every so many steps, to go on from there when the run is killed; at the end in any case."""


class Sft(Record):
    """Supervised fine-tuning: mean negative log-likelihood of what the model said (arXiv 2504.09772, M1)."""

    epochs: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    max_steps: int | None = Field(default=None, ge=1)
    """Ends earlier than `epochs` would."""
    batch: int = Field(default=16, ge=1)
    """Conversations in one optimizer step, over all processes."""
    max_tokens: int = Field(default=2048, ge=16)
    too_long: Literal["leave out", "refuse"] = "leave out"
    """Conversations over `max_tokens`: left out, counted and named, or the run is refused. None is ever cut."""
    loss_on: Literal["reply", "assistant"] = "reply"
    """`reply`: the last assistant turn, which is what its agent said. `assistant`: every assistant turn, as M1 was trained."""
    mean_over: Literal["tokens", "conversations"] = "tokens"
    """`tokens`: each token of a step weighs the same. `conversations`: each conversation does, the M1 article's objective."""
    whole_groups: bool = True
    """All conversations of one group in one step, in the order they were generated."""


class RewardChoice(Record):
    name: str
    weight: float = Field(default=1.0, allow_inf_nan=False)
    settings: dict[str, JsonValue] = {}


class Rollouts(Record):
    """How GRPO samples."""

    engine: Literal["transformers", "vllm_colocate", "vllm_server"] = "transformers"
    """`transformers`: by the trainer itself, on any device. The two others need CUDA: vLLM in the trainer's processes, or a
    server at `server_url` whose weights are kept in step."""
    server_url: str | None = None
    sync_seconds: float = Field(default=300.0, gt=0)
    """A server that has not taken new weights after so long ends the run, naming the step."""
    gpu_memory: float = Field(default=0.4, gt=0, lt=1)
    """Share of a GPU's memory that a colocated vLLM takes."""
    temperature: float = Field(default=1.0, gt=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    max_tokens: int = Field(default=512, ge=1)
    """Of a sample."""

    @model_validator(mode="after")
    def _server_has_a_url(self) -> "Rollouts":
        if (self.engine == "vllm_server") != (self.server_url is not None):
            raise ValueError("server_url: give it with `engine: vllm_server`, and with no other")
        return self


class Grpo(Record):
    """Group Relative Policy Optimization with hybrid rewards (arXiv 2605.10344, section on hybrid-reward RL)."""

    iterations: int = Field(default=1, ge=1, le=MAX_ITERATIONS)
    """Training iterations: a checkpoint each, and a partition each."""
    steps: int = Field(ge=1)
    """Optimizer steps of one iteration."""
    prompts: int = Field(default=8, ge=1)
    """Prompts of one step."""
    samples: int = Field(default=8, ge=2)
    """Samples of one prompt: the group."""
    rewards: tuple[RewardChoice, ...] = Field(min_length=1)
    scale_rewards: Literal["group", "batch", "none"] = "batch"
    """What advantages are divided by: the deviation of the prompt's group, of the whole batch, or nothing. Under `group` the
    bonus for using experience cancels, since any affine map of two values does."""
    mix: dict[RowSource, float] = {}
    """Shares of the row sources in every step; as they are in the rows by default."""
    kl: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    clip: float = Field(default=0.2, gt=0, lt=1)
    clip_high: float | None = Field(default=None, gt=0)
    """Upper clip range where it is another one than the lower."""
    loss: Literal["grpo", "dapo", "bnpo", "dr_grpo"] = "grpo"
    rollouts: Rollouts = Rollouts()
    most_truncated: float = Field(default=0.5, gt=0, le=1)
    """A run whose share of samples cut at `rollouts.max_tokens` is above this over its first steps is ended with that figure."""
    iterate: bool = False
    """Rows of iteration k > 0 are made from rounds that checkpoint k-1 plays on the set's problems, in place of the set's own."""


class DeepSpeed(Record):
    stage: Literal[0, 1, 2, 3] = 2
    """Of ZeRO: what is spread over the processes."""
    offload: bool = False
    """Parameters (stage 3) and optimizer state in CPU memory."""
    overrides: dict[str, JsonValue] = {}
    """DeepSpeed's own fields, put over the configuration we write."""


class Launch(Record):
    """How the trainer's processes are started."""

    launcher: Literal["torchrun", "accelerate", "deepspeed"] = "torchrun"
    processes: int = Field(default=1, ge=1)
    """On each node."""
    hostfile: str | None = None
    """DeepSpeed's `host slots=n` lines, for several nodes."""
    device: Literal["cpu", "cuda"] = "cpu"
    threads: int = Field(default=1, ge=1)
    """OpenMP threads of each process."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """Of the rendezvous; a free one by default."""
    stall_seconds: float = Field(default=1800.0, gt=0)
    """A trainer that ends no step for so long is ended, naming the step."""
    grace_seconds: float = Field(default=8.0, ge=0)
    """What is left of the trainer so long after it was asked to end is killed."""
    python: str | None = None
    """Interpreter of the trainer's environment; this one by default."""


class Training(Record):
    name: Name
    description: str = ""
    base: Base = Base()
    prompts: Prompts | None = None
    conversations: Conversations | None = None
    sft: Sft | None = None
    grpo: Grpo | None = None
    judge: Endpoint | None = None
    """Model that a reward may ask."""
    optimisation: Optimisation
    deepspeed: DeepSpeed = DeepSpeed()
    launch: Launch = Launch()

    @model_validator(mode="after")
    def _one_kind(self) -> "Training":
        if (self.sft is None) == (self.grpo is None):
            raise ValueError("give either sft (on conversations) or grpo (on prompts)")
        if self.grpo is not None and (self.prompts is None or self.conversations is not None):
            raise ValueError("prompts: a grpo run is prompted with rows of a cold-start set; give prompts, and no conversations")
        if self.sft is not None and (self.conversations is None or self.prompts is not None):
            raise ValueError("conversations: an sft run imitates conversations of a set; give conversations, and no prompts")
        if self.base.model == self.name:
            raise ValueError("base.model: a run cannot start from itself")
        return self

    @property
    def kind(self) -> Literal["sft", "grpo"]:
        return "sft" if self.sft is not None else "grpo"

    @property
    def data_set(self) -> str:
        """Name of the set that its data comes from."""
        given = self.prompts or self.conversations
        assert given is not None
        return given.set

    @property
    def prompted(self) -> Prompts:
        """Of a grpo run."""
        assert self.prompts is not None, f"{self.name} is no grpo run"
        return self.prompts

    @property
    def iterations(self) -> int:
        return self.grpo.iterations if self.grpo is not None else 1

    @property
    def shaping(self) -> JsonValue:
        """All that shapes the weights. How fast, where and how it is launched stay out of it."""
        body = self.model_dump(mode="json", exclude={"name", "description", "launch"})
        body["optimisation"].pop("save_steps")
        body["launch"] = {"processes": self.launch.processes, "device": self.launch.device}
        if body["grpo"]:
            body["grpo"].pop("most_truncated")
            if self.optimisation.schedule == "constant" and not self.optimisation.warmup:
                body["grpo"].pop("iterations")  # else the schedule is laid over all of them
            for operational in ("server_url", "sync_seconds", "gpu_memory"):
                body["grpo"]["rollouts"].pop(operational)
        if body["judge"]:
            for operational in ("urls", "api_key_env", "concurrency", "min_tokens_per_second", "base_seconds", "max_attempts"):
                body["judge"].pop(operational)
        return body
