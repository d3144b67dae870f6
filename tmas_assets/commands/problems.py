"""`tmas problems`: one release loaded and checked, as materializing `problems/<benchmark>` in the UI does."""

import dagster as dg
from rich.console import Console

from tmas_assets.assets.keys import problems_key
from tmas_assets.assets.location import loaded, releases_of
from tmas_assets.benchmarks import asset_name
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.jobs import materialize
from tmas_assets.records.wrong_fields import nearest


def make_problems(name: str, *, out: Console) -> None:
    """`name`: of the asset after `problems/`. Raises CommandFault with the reason it failed, or the checks that do."""
    known = {asset_name(choice): choice for choice in releases_of(loaded().experiments)}
    if name not in known:
        raise CommandFault(f"there is no asset problems/{name}; {nearest(name, sorted(known))}")
    result = materialize(problems_key(known[name]))
    metadata = result.asset_materializations_for_node(result.get_asset_materialization_events()[0].step_key or "")[0].metadata
    rows = metadata["dagster/row_count"].value
    evaluations = result.get_asset_check_evaluations()
    out.print(f"problems/{name}: {rows} problems, {metadata['path'].value}", highlight=False, soft_wrap=True)
    failed = [one for one in evaluations if not one.passed]
    for one in evaluations:
        said = "passed" if one.passed else "warns" if one.severity == dg.AssetCheckSeverity.WARN else "FAILS"
        out.print(f"  {one.check_name}: {said}. {one.description}", highlight=False, soft_wrap=True)
    if any(one.severity == dg.AssetCheckSeverity.ERROR for one in failed):
        raise CommandFault(f"problems/{name}: {len(failed)} of {len(evaluations)} checks fail; see them above")
