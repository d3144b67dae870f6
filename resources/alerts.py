"""Where a failed run is told: a webhook that the environment names, else nobody but the log.

    TMAS_ALERT_WEBHOOK       URL that takes JSON with a `text`, as Slack's and Mattermost's incoming webhooks do; it is a secret
    DAGSTER_WEBSERVER_URL    where the Dagster UI is open to readers of the alert, for a link to the run

A webhook that refuses, hangs or is gone is a sentence of the result, never an exception, and is not tried again. Leaves out which
failures are told: `tmas_assets/assets/refresh/failures.py`.
"""

import http.client
import json
import os
import threading
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from tmas_assets.records import Record
from tmas_assets.reports.notation import printable

WEBHOOK, WEBSERVER = "TMAS_ALERT_WEBHOOK", "DAGSTER_WEBSERVER_URL"
SECONDS = 5.0
"""For the whole delivery, whatever the other side does."""
LONGEST = 600
"""Characters of what a failed step says."""


class Alert(Record):
    """A failed run, in words that are safe to show."""

    experiment: str
    """What the job is of: an experiment, a study, a data set or a training; the job's own name where it is of none."""
    job: str
    run: str
    step: str | None
    """The first that failed; None where the run did not get so far."""
    reason: str
    """One line of what the step says, cut, without control characters."""
    link: str | None

    @property
    def line(self) -> str:
        step = f" at {self.step}" if self.step else ""
        return f"{self.experiment}: {self.job} failed in run {self.run}{step}: {self.reason}{f' {self.link}' if self.link else ''}"


def alert(experiment: str, job: str, run: str, step: str | None, reason: str) -> Alert:
    """`reason` may be any text, a model's or a file's."""
    return Alert(experiment=experiment, job=job, run=run, step=step, reason=_one_line(reason), link=_link(run))


def deliver(told: Alert) -> str | None:
    """POST it to the webhook. Why that failed, without the URL; None where it went out or where no webhook is set."""
    url = os.environ.get(WEBHOOK, "").strip()
    if not url:
        return None
    if not _is_web(url):
        return f"{WEBHOOK} is set and no http or https URL (its value is not shown); nothing was sent"
    found: list[str | None] = []
    # a thread, since a server that drips one byte a second never lets a limit of urllib pass; a daemon, since nobody waits for it
    sending = threading.Thread(target=lambda: found.append(_post(url, told)), name="alert", daemon=True)
    sending.start()
    sending.join(SECONDS)
    return found[0] if found else f"the webhook of {WEBHOOK} did not take the alert within {SECONDS:g} s; it is not sent again"


def _is_web(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:  # repeats the URL
        return False


def body(told: Alert) -> bytes:
    """JSON: `text` as Slack and Mattermost show it, the rest for programs."""
    link = f" <{told.link}>" if told.link else ""
    step = f" at {_code(told.step)}" if told.step else ""
    text = f"{_code(told.experiment)}: {_code(told.job)} failed in run {_code(told.run)}{step}: {_code(told.reason)}{link}"
    return json.dumps({"text": text, **told.model_dump()}).encode()


def _code(text: str) -> str:
    """As code, in which neither of the two reads marks, links or mentions; Slack's own three characters are escaped."""
    for mark, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("`", "'")):
        text = text.replace(mark, name)
    return f"`{text}`"


class _Unmoved(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: urllib would go on with a GET without the body, and what answers that has taken no alert."""

    def redirect_request(self, *_: object) -> None:
        return None


def _post(url: str, told: Alert) -> str | None:
    sent = f"the webhook of {WEBHOOK} did not take the alert; it is not sent again:"
    try:
        request = urllib.request.Request(url, data=body(told), headers={"Content-Type": "application/json"}, method="POST")
        with urllib.request.build_opener(_Unmoved).open(request, timeout=SECONDS):
            return None
    except urllib.error.HTTPError as refused:
        return f"{sent} status {refused.code}"
    except (OSError, http.client.HTTPException, ValueError) as error:
        # some of these repeat the URL: only what kind of fault it was is told
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        return f"{sent} {type(cause).__name__}"


def _one_line(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _link(run: str) -> str | None:
    base = os.environ.get(WEBSERVER, "").strip().rstrip("/")
    return f"{base}/runs/{run}" if base else None
