"""What can be asked of a study: settings of `Study.report`, `compare` and others, and options of their commands."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honestly._settings import Settings, setting

if TYPE_CHECKING:
    from honestly.audit import Detector
    from honestly.audit.monitor import Monitor
    from honestly.scores import Declared
    from honestly.stats import Policy

Tell = Callable[[str, int, int, str], None]
"""Told how far a long question is: what is being done, how many are done, of how many, and a few words."""


_COUNTING = "What counts as what"
"""The heading of the options that change what is counted, and how."""


def tell_nobody(_what: str, _done: int, _total: int, _words: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class CountingSettings(Settings):
    """What counts as what, and what is known of the tasks."""

    _: KW_ONLY
    cluster: str = setting(
        "",
        "Tasks that belong together: a tag, a FILE of question and cluster, or none.  [default: what tasks say]",
        metavar="WHAT",
        heading=_COUNTING,
    )
    weights: str = setting(
        "",
        "What tasks weigh: a FILE of question and weight, or none.  [default: what tasks say]",
        metavar="WHAT",
        heading=_COUNTING,
    )
    limit: str = setting(
        "fail",
        "Trials in which the agent ran out of time, turns or budget.",
        choices=("fail", "drop"),
        heading=_COUNTING,
    )
    void: str = setting(
        "fail", "Trials lost to the harness or the infrastructure.", choices=("fail", "drop", "pass"), heading=_COUNTING
    )
    missing: str = setting(
        "drop", "Trials that were planned but never ran.", choices=("fail", "drop", "pass"), heading=_COUNTING
    )
    alpha: float = setting(
        0.05, "Level of the tests; intervals hold 1 - ALPHA.", least=0.0001, most=0.5, heading=_COUNTING
    )

    @property
    def policy(self) -> "Policy":
        """What trials at a limit, spoilt by the harness, or missing count as."""
        from honestly.stats import Policy

        return Policy(limit=self.limit, void=self.void, missing=self.missing)  # type: ignore[arg-type]

    @property
    def declared(self) -> "Declared":
        """Which tasks belong together and what each weighs, beyond what tasks say themselves.

        Raises:
            FormatError: a file cannot be read, or lacks a column.
        """
        from honestly.scores import Declared

        return Declared.from_options(self.cluster, self.weights)


def _strict() -> Any:  # noqa: ANN401 - a field's
    said = "Count undecided passes as failed (docs/verdicts.md).  [default: as the study was run]"
    return setting(False, said, heading=_COUNTING)


@dataclass(frozen=True, slots=True)
class StrictSettings(CountingSettings):
    """Beside this, how undecided passes count."""

    _: KW_ONLY
    strict: bool = _strict()


@dataclass(frozen=True, slots=True)
class FairSettings(StrictSettings):
    """Beside this, what does not stop a comparison."""

    _: KW_ONLY
    despite: str | Sequence[str] = setting(
        (),
        "Compare although these differ, or are there twice: task-hashes, limits, harness, duplicates.",
        metavar="WHAT,...",
        heading=_COUNTING,
    )

    @property
    def declared(self) -> "Declared":
        """What is known of the tasks, and what does not stop a comparison."""
        several = (name.strip() for typed in self.despite for name in typed.split(","))
        return super(FairSettings, self).declared.also_despite(
            tuple(filter(None, several))
        )  # slots make another class of it


@dataclass(frozen=True, slots=True)
class ReportSettings(FairSettings):
    """What a report is to show beside the leaderboard."""

    _: KW_ONLY
    by: str = setting(
        "",
        "Also by category, language, difficulty, date, cluster of the tasks, how they were made, or their parts.",
        metavar="TAG",
    )
    cutoffs: str | Sequence[str] = setting(
        (), "Also on tasks before and after a day; repeat for more.", metavar="DATE[=AGENT]"
    )
    ladder: str | None = setting(
        None,
        "Also say which agents, submitted in this order or that of their first trials (*), beat the best before them.",
        metavar="A,B,...",
        alone="*",
    )


@dataclass(frozen=True, slots=True)
class CompareSettings(FairSettings):
    """Two agents, and by how much they may differ."""

    a: str
    """An agent's name, or enough of it."""
    b: str
    """Another's; the same name, if it is in another study."""
    other: Any = None
    """The `Study` of `b`, if it is another one."""
    _: KW_ONLY
    margin: float | None = setting(
        None,
        "Also test whether A and B are less than so many points apart, or one is not worse by them.",
        least=0,
        most=100,
        open=True,
        points=True,
    )


@dataclass(frozen=True, slots=True)
class AuditSettings(Settings):
    """Who looks for cheating, at what, and what a model that reads along may cost."""

    detectors: "str | Sequence[str | Detector]" = setting((), "Only this one, or MODULE:OBJECT.", "-d", metavar="NAME")
    _: KW_ONLY
    rejudge: bool = setting(False, "Run kept work again: other inputs and orders, clean clocks (docs/audit.md).")
    strict: bool = _strict()
    honest_agent: str = setting(
        "",
        "Whose trials show how often honest work fails hidden checks.",
        metavar="NAME",
        heading="How many hacks there are",
    )
    unsafe: bool = setting(
        False,
        "Parse source in other languages than Python without isolation; unread where no sandbox can be built.",
        "--unsafe-no-sandbox",
        heading="Sandbox",
    )
    monitor: "str | Monitor | None" = setting(
        None,
        "Let this model read the trials too (docs/monitor.md).",
        metavar="MODEL",
        heading="A model that reads along",
    )
    confirm: str | None = setting(
        None,
        "Who confirms what the monitor raises.  [default: the monitor]",
        metavar="MODEL",
        heading="A model that reads along",
    )
    budget: float | None = setting(
        None, "What the monitor may cost.", metavar="USD", least=0, heading="A model that reads along"
    )
    prices: str | Path | None = setting(
        None, "Prices that ours does not have.", metavar="CSV", heading="A model that reads along"
    )
    answers: str | Path | None = setting(
        None, "Where answers are kept.", metavar="DIR", heading="A model that reads along"
    )
    tasks: str | Sequence[str] = setting((), "The monitor reads only this task; repeatable.", metavar="ID")
    agents: str | Sequence[str] = setting((), "Only this agent; repeatable.", metavar="NAME")
    jobs: int = setting(4, "Calls at a time.", "-j", least=1, heading="A model that reads along")
    tell: Tell = tell_nobody
    """Told how far it is: what is being done, how many are done, of how many, and a few words."""
