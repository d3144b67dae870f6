"""When what is made of scores is made anew by itself, once Dagster's own automation sensor is switched on (it is not from the start).

A summary follows cells and grades that came outside of its campaign (a backfill, single cells); the leaderboard, the comparison of trainings and
that of a study follow a summary whose content changed. None is made while what it reads is being made: a campaign sums its own cells up at
its end, so what it says on the way does not count. Leaves out nightly campaigns (`schedule.py`).
"""

from datetime import timedelta
from typing import Any

import dagster as dg
from dagster._utils.schedules import get_smallest_cron_interval

from tmas_assets.assets.run_tags import CAMPAIGN
from tmas_assets.records import Refresh

Condition = dg.AutomationCondition[Any]
"""Dagster types theirs for assets and checks alike."""
AFTER = 6
"""Hours after a refresh began by which its score must be there."""
_SLACK = 1
"""Hours: a night in autumn has one more."""


def follows_its_cells() -> Condition:
    """Of a summary."""
    newer = dg.AutomationCondition.newly_updated() & ~dg.AutomationCondition.all_new_updates_have_run_tags(tag_keys={CAMPAIGN})
    return _settled(newer, "cells came outside of a campaign")


def follows_summaries(study: str | None = None) -> Condition:
    """Of what is made of summaries. `study`: whose campaign makes it by itself."""
    newer: Condition = dg.AutomationCondition.data_version_changed()
    if study is not None:
        newer &= ~dg.AutomationCondition.all_new_updates_have_run_tags(tag_values={CAMPAIGN: study})
    return _settled(newer, "a summary changed")


def _settled(newer: Condition, label: str) -> Condition:
    """Once for all that was newer since it was last made, when nothing it reads is being made."""
    news = dg.AutomationCondition.any_deps_match(newer | dg.AutomationCondition.will_be_requested())
    busy = dg.AutomationCondition.any_deps_in_progress() | dg.AutomationCondition.in_progress()
    return news.with_label(label).since_last_handled() & ~busy


def freshness(refresh: Refresh) -> dg.FreshnessPolicy:
    """Of a summary: it was said since the last refresh was due. A refresh with nothing new says it again.

    Asked for `AFTER` hours after the hour of the cron, where that is one number and, if it is another day then, the cron is of every day;
    else at the next refresh.
    """
    minute, hour, *days = fields if len(fields := refresh.cron.split()) == 5 else ("", "", "", "", "")
    if hour.isdigit() and (int(hour) + AFTER < 24 or days == ["*", "*", "*"]):
        cron = " ".join([minute, str((int(hour) + AFTER) % 24), *days])
        window = timedelta(hours=AFTER + _SLACK)
        if get_smallest_cron_interval(cron) >= window:
            return dg.FreshnessPolicy.cron(deadline_cron=cron, lower_bound_delta=window, timezone=refresh.time_zone)
    interval = get_smallest_cron_interval(refresh.cron)
    return dg.FreshnessPolicy.cron(deadline_cron=refresh.cron, lower_bound_delta=interval, timezone=refresh.time_zone)
