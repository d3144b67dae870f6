"""The job in which a person approves a plan, puts a reply right or has one asked anew, for people who open no terminal.

It stores the word and asks no model; what follows from it is made by the next run. Leaves out what can be said:
`engine/reviewing.py`.
"""

from datetime import UTC, datetime
from enum import Enum

import dagster as dg
from pydantic import Field

from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from tmas_assets.assets.faults import cells_of, permanent, table_of
from tmas_assets.engine.problems import UnknownProblem
from tmas_assets.engine.reviewing import ReviewFault, amend, approve
from tmas_assets.records import Experiment


class Action(Enum):
    approve = "approve"
    edit = "edit"
    again = "again"


class ReviewConfig(dg.Config):
    hypothesis: str = Field(description="id of the hypothesis")
    action: Action = Field(description="approve the plan, edit a reply (text), or have it asked again")
    who: str = Field(description="your name; it stays in the record")
    why: str = Field(default="", description="your reason; it stays in the record")
    reply: str = Field(default="", description="which reply: its turn, e.g. r0t01/market/expert; nothing to approve")
    text: str = Field(default="", description="what stands in the reply's place: JSON as the finding shows it, or its marked lines")


def review_job(experiment: Experiment) -> dg.JobDefinition:
    @dg.op(name=f"{experiment.name}_word", description="Keep what a person says about a decision.")
    def word(context: dg.OpExecutionContext, config: ReviewConfig, deployment: Deployment) -> None:
        try:
            [problem] = table_of(deployment, experiment).select([config.hypothesis], experiment.benchmark.limit)
            cells, when = cells_of(deployment, experiment), datetime.now(UTC)
            if config.action == Action.approve:
                approve(cells, problem, who=config.who, when=when, why=config.why)
                context.log.info(f"{problem.id}: its plan is approved by {config.who}")
                return
            if config.action == Action.edit and not config.text.strip():
                raise ReviewFault("text: give what stands in the reply's place; to have it asked anew choose `again`")
            text = config.text if config.action == Action.edit else None
            made = amend(cells, problem, config.reply, text=text, who=config.who, when=when, why=config.why)
        except (ReviewFault, UnknownProblem, StoreFault) as fault:
            raise permanent(fault) from fault
        context.log.info(f"{problem.id}: {made.sample} is amended by {made.who}; run the decision again to go on from it")

    @dg.job(
        name=f"{experiment.name}_review",
        description=f"A person's word on a decision of {experiment.name}: approve a plan, edit a reply, ask again.",
        executor_def=dg.in_process_executor,
    )
    def review() -> None:
        word()

    return review
