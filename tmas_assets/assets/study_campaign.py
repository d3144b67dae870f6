"""The campaign job of a study: every member's campaign in one process, one after the other, then the comparison.

Members share the call log, so what two of them ask alike is paid once, and a server that we start stays up from one
to the next. A member that fails stops no other; the comparison then waits for the next run.
"""

from collections.abc import Sequence
from dataclasses import replace

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.campaign import CampaignOps
from tmas_assets.assets.events import Input, event, last_event
from tmas_assets.assets.keys import comparison_key, experiment_key
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.run_tags import CAMPAIGN, NO_RETRY, campaign_name
from tmas_assets.assets.study_comparison import compare_members, comparison_metadata
from tmas_assets.benchmarks import asset_name
from tmas_assets.records import Member, Study


def study_job(study: Study, members: Sequence[Member], campaigns: Sequence[CampaignOps]) -> dg.JobDefinition:
    """`campaigns`: of the members, in their order."""

    @dg.op(
        name=f"{study.name}_comparison",
        ins={"start": dg.In(dg.Nothing)},
        description="The members side by side: one plot, one table.",
    )
    def comparison(context: dg.OpExecutionContext, deployment: Deployment) -> None:
        # asked for before the summaries are read: one that is made meanwhile puts this comparison out of date
        keys = [experiment_key(member.experiment, "summary") for member in members]
        seen = {key: last_event(context.instance, key) for key in keys}
        stated = [replace(one, experiment=pinned_in_run(context, deployment, one.experiment)) for one in members]
        made = compare_members(deployment, study, stated)
        inputs = [Input(key, made.made_from(member), seen[key]) for key, member in zip(keys, members, strict=True)]
        context.log_event(event(comparison_key(study), None, made.file, comparison_metadata(made), None, inputs))

    @dg.job(
        name=campaign_name(study.name),
        description=f"All {len(members)} members of {study.name} in one process. {study.description}".strip(),
        executor_def=dg.in_process_executor,
        tags={CAMPAIGN: study.name, **NO_RETRY},
    )
    def campaign() -> None:
        loaded = {}
        for member, ops in zip(members, campaigns, strict=True):
            asset = asset_name(member.experiment.benchmark)
            if asset not in loaded:
                loaded[asset] = ops.problems()
        comparison(
            start=[
                ops.summed_up(loaded[asset_name(member.experiment.benchmark)])
                for member, ops in zip(members, campaigns, strict=True)
            ]
        )

    return campaign
