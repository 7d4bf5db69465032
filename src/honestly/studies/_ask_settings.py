"""What can be asked of a study: settings of `Study.report`, `compare` and others, and options of their commands."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honestly._settings import Settings, setting, tell_nobody

if TYPE_CHECKING:
    from honestly.audit import Detector
    from honestly.audit.monitor import Monitor
    from honestly.scores import Declared
    from honestly.stats import Policy

Tell = Callable[[str, int, int, str], None]
"""Callback for the progress of a long computation: stage, done, total, words."""


_COUNTING = "What counts as what"
"""The heading of the options that change what is counted, and how."""


@dataclass(frozen=True, slots=True)
class CountingSettings(Settings):
    """What counts as what, and what is known of the tasks."""

    _: KW_ONLY
    cluster: str = setting(
        "",
        "Group related tasks by a tag or a FILE of question and cluster; or none.  [default: as tasks declare]",
        metavar="WHAT",
        heading=_COUNTING,
    )
    weights: str = setting(
        "",
        "Weights of tasks: a FILE of question and weight, or none.  [default: as tasks declare]",
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
        0.05, "Level of the tests. Intervals have coverage 1 - ALPHA.", least=0.0001, most=0.5, heading=_COUNTING
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
    """Settings for how trials count, and undecided passes."""

    _: KW_ONLY
    strict: bool = _strict()


@dataclass(frozen=True, slots=True)
class FairSettings(StrictSettings):
    """Beside this, what does not stop a comparison."""

    _: KW_ONLY
    despite: str | Sequence[str] = setting(
        (),
        "Compare even though these differ: task-hashes, limits, harness; or trials are duplicates.",
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
    """The settings of a report."""

    _: KW_ONLY
    by: str = setting(
        "", "Also report by the tasks' category, language, difficulty, date, cluster, origin or parts.", metavar="TAG"
    )
    cutoffs: str | Sequence[str] = setting(
        (), "Also report tasks before and after this day separately. Repeatable.", metavar="DATE[=AGENT]"
    )
    ladder: str | None = setting(
        None,
        "Also say which agents beat the best one before them. The order is this, or that of first trials (*).",
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
        "Also test whether A and B differ by less than this many points, or one is worse by less.",
        least=0,
        most=100,
        open=True,
        points=True,
    )


@dataclass(frozen=True, slots=True)
class AuditSettings(Settings):
    """The settings of an audit."""

    detectors: "str | Sequence[str | Detector]" = setting(
        (), "Run only this detector, or your own MODULE:OBJECT.", "-d", metavar="NAME"
    )
    _: KW_ONLY
    rejudge: bool = setting(
        False, "Run the kept work again with other inputs, in another order and on a clean clock (docs/audit.md)."
    )
    strict: bool = _strict()
    honest_agent: str = setting(
        "",
        "An honest agent, whose trials show how often honest work fails hidden checks.",
        metavar="NAME",
        heading="How many hacks there are",
    )
    unsafe: bool = setting(
        False,
        "Parse languages other than Python without isolation. Otherwise they are not read if no sandbox can be built.",
        "--unsafe-no-sandbox",
        heading="Sandbox",
    )
    monitor: "str | Monitor | None" = setting(
        None,
        "Also let this model read the trials (docs/monitor.md).",
        metavar="MODEL",
        heading="A model that reads along",
    )
    confirm: str | None = setting(
        None,
        "The model that confirms what the monitor finds.  [default: the monitor]",
        metavar="MODEL",
        heading="A model that reads along",
    )
    budget: float | None = setting(
        None, "The most that the monitor may cost.", metavar="USD", least=0, heading="A model that reads along"
    )
    prices: str | Path | None = setting(
        None,
        "Your own prices, for models that honestly does not know.",
        metavar="CSV",
        heading="A model that reads along",
    )
    answers: str | Path | None = setting(
        None, "Keep answers here, to resume.", metavar="DIR", heading="A model that reads along"
    )
    tasks: str | Sequence[str] = setting((), "Let the monitor read only this task. Repeatable.", metavar="ID")
    agents: str | Sequence[str] = setting((), "Only this agent. Repeatable.", metavar="NAME")
    jobs: int = setting(4, "How many calls run at once.", "-j", least=1, heading="A model that reads along")
    tell: Tell = tell_nobody
    """Told how far it is: what is being done, how many are done, of how many, and a few words."""
