"""The asset `<training>/rl_prompts`: what a training run is prompted with, the row sets of a cold-start set in one seeded order."""

import dagster as dg

from resources.deployment import Deployment
from resources.parquet_store import Parent
from tmas_assets.assets.data.plan import Plan
from tmas_assets.assets.data.step import Done, shown, step_key
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.metadata import text_table
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import ColdStart, RlRow, Training, digest
from tmas_assets.training.rl_choice import union

PROMPTS = "rl_prompts"


def prompts_key(training: str) -> dg.AssetKey:
    return dg.AssetKey([training, PROMPTS])


def prompts_asset(training: Training, data: ColdStart, plan: Plan) -> dg.AssetsDefinition:
    """Of a grpo run. `data`: the set that `training.prompts` names, `plan`: its own (`plan_of`)."""
    prompts = training.prompted

    @dg.asset(
        key=prompts_key(training.name),
        deps=[step_key(data.name, source) for source in prompts.sources],
        group_name=training.name,
        kinds={"parquet"},
        code_version=digest(prompts.model_dump(mode="json"))[:12],
        description=f"RL prompts of {training.name}: {', '.join(prompts.sources)} of {data.name}. {training.description}".strip(),
    )
    def rl_prompts(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        store = deployment.store()
        try:
            sets = {source: Steps(store, data.name, plan).read(source, RlRow) for source in prompts.sources}
            rows = union((found for found, _ in sets.values()), prompts.seed)
            made_from = [Parent(f"{data.name}/{source}", file.digest) for source, (_, file) in sets.items()]
            made = Steps(store, training.name).write(PROMPTS, RlRow, rows, made_from)
        except PERMANENT as fault:
            raise permanent(fault) from fault
        by_source = text_table(("source", "rows"), [(source, str(len(found))) for source, (found, _) in sets.items()])
        return dg.MaterializeResult(
            metadata=dict(shown(Done(made, rows, {"by_source": by_source}))), data_version=dg.DataVersion(made.rows.digest)
        )

    return rl_prompts
