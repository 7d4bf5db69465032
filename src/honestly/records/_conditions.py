"""The conditions of a study: what ran, where, behind which walls, and what was fixed before the first trial.

`StudyFacts` is what is known of the study as a whole, `Conditions` one machine and program that ran trials of it,
`Isolation` what stood between a trial and the machine. What was not recorded is unknown and stays so: no field is
filled in afterwards. Rooms above keep their own records in a study under names of their own (`Store.keep`).
"""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from honestly.records._base import Record, encode


class Isolation(Record, frozen=True, kw_only=True):
    """How an agent was isolated from the machine; unknown if not recorded."""

    kind: str = "unknown"
    """`namespaces`, `docker`, ...; `none` where the work could see and change anything; `unknown`."""
    provider: str = ""
    """Who opened the sandbox, as `run --sandbox` named it; empty where nobody named one."""
    layers: tuple[str, ...] | None = None
    """The kernel's walls that were up, by name; None where that is not known, as of other people's sandboxes."""
    network: tuple[str, ...] = ()
    """Hosts that the agent was allowed to reach; empty where there was no network, or the kind is `none`."""
    verifier_network: tuple[str, ...] = ()
    """Hosts that the script which judged could reach, and the work with it; empty where there was no network."""
    memory_mb: int | None = None
    """Limits that held: MiB of memory of all processes together,"""
    disk_mb: int | None = None
    """MiB of all files that were written,"""
    processes: int | None = None
    """processes and threads alive at once,"""
    cpu_s: int | None = None
    """and CPU seconds of one process. None where they are not known."""
    node: str = ""
    """The machine that ran the trial, where it was one of several; empty where nobody named it."""


class Conditions(Record, frozen=True, kw_only=True):
    """One program on one machine that ran trials of a study. None and empty mean not recorded."""

    program: str = ""
    """Version of honestly."""
    python: str = ""
    kernel: str = ""
    """Operating system, release and architecture."""
    processors: int | None = None
    memory_mb: int | None = None
    """Memory of the machine, MiB."""


class DeclaredRule(Record, frozen=True, kw_only=True):
    """A stopping rule as a study keeps it; `honestly.stats.StoppingRule` says what the fields mean, and checks them."""

    first: str
    second: str
    method: str
    questions: int
    alpha: int | float | UnsetType = UNSET
    looks: tuple[int, ...] | UnsetType = UNSET
    spending: str | UnsetType = UNSET
    tuned_for: int | float | UnsetType | None = UNSET
    least: int | UnsetType = UNSET
    clusters: tuple[int, ...] | UnsetType = UNSET

    def to_plain(self) -> dict[str, Any]:
        """The plain data that `StoppingRule.from_plain` reads."""
        return dict(msgspec.json.decode(encode(self)))


class Stale(Record, frozen=True, kw_only=True):
    """Results of an older version of a task or an agent."""

    kind: Literal["task", "agent"]
    name: str
    changed: tuple[str, ...] = ()
    """What differs from the version after, in words."""
    trials: int = 0
    """How many trials of the older version there are."""
    kept_in: str = ""
    """Name of the study beside this one that holds them; empty where they are in this one."""
    at: str = ""
    """When they were set aside, ISO 8601, UTC."""

    def __str__(self) -> str:
        trials = f"{self.trials} trial{'' if self.trials == 1 else 's'}"
        return f"{self.kind} {self.name}: {trials} from before its {', '.join(self.changed)} changed"


class StudyFacts(Record, frozen=True, kw_only=True):
    """The facts known of a study as a whole. None, empty and unset mean that it was not recorded."""

    created: str = ""
    """ISO 8601, UTC."""
    program: str = ""
    """Version of honestly that made the file."""
    records_version: int = 0
    suite: str | None = None
    suite_hash: str | None = None
    headline: str = ""
    """The tag whose groups count alike in the suite's score (`Suite.headline`)."""
    seed: int | None = None
    """Of the order and of every trial."""
    samples: int | None = None
    """Trials of each cell that were planned."""
    stopping_rule: DeclaredRule | UnsetType | None = UNSET
    """When the run may end early; None where it may not, unset where nobody said."""
    attempts: int | None = None
    """Where a rule may end the run early: attempts that a trial has until void is its outcome; None for one."""
    question_order: tuple[str, ...] | None = None
    """Ids of the tasks in the order in which a rule that may stop early looks at them."""
    left_out: dict[str, tuple[str, ...]] | None = None
    """Tasks of the suite that this machine cannot run, and the programs that they lack."""
    validity: dict[str, str] | None = None
    """Of the tasks that had a validity record: the verdict with its day, or `stale`."""
    sandbox: str | None = None
    """The weakest kind of isolation that any trial ran under (`Isolation.kind`); None where nothing was recorded."""
    sandbox_layers: tuple[str, ...] | None = None
    """The walls that stood around every trial."""
    ran: tuple[Conditions, ...] = ()
    """Programs and machines that ran trials, in the order in which they came."""
    registration: str | None = None
    """The pre-registration's text."""
    registered_at: str | None = None
    imported_from: str | None = None
    """Name of the folder or file that the trials were imported from."""
    stress_set: str | None = None
    stress_version: str | None = None
    stale: tuple[Stale, ...] = ()
    """Results that were set aside, since their task or their agent has changed."""
    strict: bool = False
    """Whether trials whose passes are undecided (`Verdict.doubt`) count as failed: `run --strict` says so for good."""
    errata: tuple[str, ...] = ()
    """What is known to be wrong with the study, each with its date."""

    def after(self, isolation: Isolation, conditions: Conditions) -> "StudyFacts":
        """These facts once a trial has run under such conditions; what was weak once stays on record."""
        kinds = {isolation.kind} if self.sandbox is None else {isolation.kind, self.sandbox}
        weakest = next((weak for weak in ("none", "unknown") if weak in kinds), None)
        walls = isolation.layers or ()
        if self.sandbox is not None:
            walls = tuple(wall for wall in self.sandbox_layers or () if wall in walls)
        return replace(
            self,
            ran=self.ran if conditions in self.ran else (*self.ran, conditions),
            sandbox=weakest or (kinds.pop() if len(kinds) == 1 else "several"),
            sandbox_layers=walls,
        )

    def to_plain(self) -> dict[str, Any]:
        """The known facts, ready for JSON; a fact that was not recorded is absent."""
        return dict(msgspec.json.decode(encode(self)))
