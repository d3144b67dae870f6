"""The live line of a running campaign: cells done, calls, tokens per second, time left."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from tmas_assets.engine.progress import Progress

_STARTING = "starting the model server (about a minute the first time)"


class Bar:
    """A rich renderable that shows the last `Progress` it was told."""

    def __init__(self, title: str, members: Sequence[str] = (), *, follow: bool = False) -> None:
        """`members`: experiments that run one after the other under this title, where it is not just one. `follow`: there
        are several, and which is not known beforehand."""
        self.name, self.members, self.follow = title, tuple(members), follow
        self.last: Progress | None = None
        self.ended: list[str] = []
        """Closing lines of the members that went before."""

    @property
    def title(self) -> str:
        now = self.last.experiment if self.last is not None else ""
        if self.follow and now:
            return now
        return f"{now} ({self.members.index(now) + 1}/{len(self.members)})" if now in self.members else self.name

    def update(self, progress: Progress) -> None:
        if (self.members or self.follow) and self.last is not None and _another(self.last, progress):
            self.ended.append(self.closing_line())
        self.last = progress

    def closing_lines(self) -> list[str]:
        """One an experiment, in the order they ran."""
        return [*self.ended, *([self.closing_line()] if self.last is not None else [])]

    def __rich__(self) -> RenderableType:
        now = self.last
        if now is None:
            return Spinner("dots", text=f"{self.title}: loading the problems")
        line = Table.grid(padding=(0, 1))
        line.add_row(
            Text(self.title, style="bold"),
            ProgressBar(total=max(now.cells, 1), completed=now.done, width=28),
            f"{now.done}/{now.cells} cells",
            f"{now.calls} calls" + (f" (+{now.cached} from the log)" if now.cached else ""),
            f"{now.tokens_per_second:.0f} tokens/s",
            _left(now),
        )
        note = _STARTING if _waiting(now) else _notes(now)
        return Group(line, Text(f"  {note}", style="dim")) if note else line

    def line(self) -> str:
        """The same in one line of text."""
        now = self.last
        if now is None:
            return f"{self.title}: loading the problems"
        if _waiting(now):
            return f"{self.title}: {_STARTING}"
        parts = [
            f"{now.done}/{now.cells} cells",
            f"{now.calls} calls",
            f"{now.tokens_per_second:.0f} tokens/s",
            _left(now),
        ]
        return f"{self.title}: {', '.join([*parts, _notes(now)])}"

    def closing_line(self) -> str:
        """What the run did, for after the bar is gone."""
        now = self.last
        if now is None:
            return ""
        line = (
            f"{self.title}: {now.done}/{now.cells} cells ({now.found} found), {now.calls} model calls, {now.cached} "
            f"from the call log, {now.completion_tokens} tokens generated in {now.seconds:.0f} s"
        )
        return f"{line}\n{self.title}: PARTIAL, {now.partial}" if now.partial else line


class Lines:
    """For output that is no terminal: a line of text now and then."""

    def __init__(self, bar: Bar, out: Console, every: float = 15.0) -> None:
        """`every`: least seconds between two lines, by the campaign's own clock."""
        self.bar, self.out, self.every = bar, out, every
        self.said = 0.0

    def update(self, progress: Progress) -> None:
        before = len(self.bar.ended)
        self.bar.update(progress)
        if len(self.bar.ended) > before:
            self.said = 0.0
        if progress.seconds - self.said >= self.every:
            self.said = progress.seconds
            self.out.print(self.bar.line(), highlight=False, soft_wrap=True)


def _waiting(now: Progress) -> bool:
    return now.calls == 0 and now.cached == 0 and now.in_flight == 0 and now.done < now.cells


def _another(last: Progress, now: Progress) -> bool:
    """Whether `now` tells of another campaign, or of the same experiment's next one."""
    return last.experiment != now.experiment or last.seconds > now.seconds


def _left(now: Progress) -> str:
    left = now.seconds_left
    if left is None:
        return "time left unknown"
    return f"{int(left) // 60}:{int(left) % 60:02d} left"


def _notes(now: Progress) -> str:
    parts = [f"{now.in_flight} in flight"]
    if now.retries:
        parts.append(f"{now.retries} retries")
    if now.failures:
        parts.append(f"{now.failures} failed calls")
    return ", ".join(parts)
