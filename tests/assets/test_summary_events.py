"""The seal that Dagster's events name is found however many summaries came after it."""

import dagster as dg

from tmas_assets.assets.summary_events import sealed_in_event


def said(instance: dg.DagsterInstance, settings: str, sealed: str) -> None:
    instance.report_runless_asset_event(
        dg.AssetMaterialization(["demo", "summary"], metadata={"settings": dg.MetadataValue.text(settings), "sealed": dg.MetadataValue.text(sealed)})
    )


def test_the_seal_of_former_settings_is_found_behind_many_summaries_of_other_ones() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        said(instance, "old", "first")
        said(instance, "old", "second")
        for number in range(101):
            said(instance, "new", str(number))
        assert sealed_in_event(instance, "demo", "old") == "second"
        assert sealed_in_event(instance, "demo", "new") == "100"
        assert sealed_in_event(instance, "demo", "never") is None
