"""Settings that name a study: those of `gate` and of `plan`."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from honestly._settings import setting
from honestly.studies._ask_settings import CountingSettings, FairSettings

if TYPE_CHECKING:
    from honestly.studies._study import Study


@dataclass(frozen=True, slots=True)
class GateSettings(FairSettings):
    """An agent, a baseline, and the smallest loss that matters."""

    study: "Study | str | Path"
    """A study, or whatever `honestly.open` takes."""
    baseline: "Study | str | Path | None" = setting(
        None,
        "The study of the baseline, or another tool's results.  [default: STUDY, with two agents named]",
        metavar="OTHER",
    )
    _: KW_ONLY
    agent: str = setting("", "The agent, if STUDY has several; part of the name is enough.", "-a")
    baseline_agent: str = setting("", "The baseline's agent, if it has several.", metavar="NAME")
    min_gap: float = setting(
        0.0,
        "The smallest loss that matters, in points; a smaller one is tolerated.",
        metavar="POINTS",
        least=0,
        most=100,
        points=True,
    )
    at_least: float | None = setting(
        None,
        "The score that the agent must reach, 0 to 100, instead of a baseline.",
        metavar="SCORE",
        least=0,
        most=100,
    )
    about: str = setting(
        "new",
        "Decide about new tasks of this kind, or about exactly these.",
        choices=("new", "these"),
        heading="What counts as what",
    )


@dataclass(frozen=True, slots=True)
class PlanSettings(CountingSettings):
    """The settings of a plan."""

    _: KW_ONLY
    pilot: "Study | str | Path | None" = setting(
        None, "The study, or another tool's results, to take the variances from.", metavar="STUDY"
    )
    from_health: bool = setting(
        False,
        "With --pilot: use only the tasks worth running (honestly task health), and their number.",
        heading="Statistics",
    )
    agents: Sequence[str] | None = None
    """Two agents of the pilot; typical neighbours, if nobody says."""
    score: float | None = setting(
        None, "Without a pilot: the expected score, to guess the variances from.", least=0, most=1, open=True
    )
    data_share: float | None = setting(
        None,
        "For the guess: the share of the variance that more samples cannot remove.  [default: 0.5]",
        least=0,
        most=1,
        heading="Guess without a pilot",
    )
    solvable: float | None = setting(
        None,
        "For the guess: the share of questions that any agent can solve.  [default: 1]",
        least=1e-9,
        most=1,
        heading="Guess without a pilot",
    )
    gap: float | Sequence[float] = setting(
        (), "The gap to detect, in points. Repeatable.", least=0, most=100, open=True, points=True
    )
    samples: int | Sequence[int] = setting(
        (), "Samples per task and agent. Repeatable.", "-k", "--samples", least=1, most=10_000
    )
    questions: int | None = setting(None, "How many questions you have.", "-n", least=2, most=10**9)
    suite: str | None = setting(None, "The suite that you have; its size is the number of questions.")
    stop_early: bool = setting(False, "Plan a run with --until, which may stop early.", heading="Statistics")
    power: float = setting(0.8, "The probability of detecting the gap.", least=0.5, most=0.999, heading="Statistics")
    comparisons: int = setting(
        1, "How many comparisons share the level (Holm).", least=1, most=10**6, heading="Statistics"
    )
    theory: str = setting(
        "normal",
        "How to compute power: a closed form, or that of the t-test.",
        choices=("normal", "t"),
        heading="Statistics",
    )
    budget: float | None = setting(None, "The most that you can spend, in any currency.", least=1e-12, heading="Money")
    price_run_a: float | None = setting(
        None, "The price of a trial of the first agent.  [default: the pilot's]", least=1e-12, heading="Money"
    )
    price_run_b: float | None = setting(
        None,
        "The price of a trial of the second agent.  [default: the pilot's, or the first's]",
        least=1e-12,
        heading="Money",
    )
    price_question: float | None = setting(
        None, "The price of one more question.  [default: 0]", least=0, heading="Money"
    )
    most_questions: int | None = setting(None, "The most questions that there are.", least=1, heading="Money")
    most_samples: int | None = setting(
        None, "The most samples per task and agent.  [default: 1000]", least=1, heading="Money"
    )
    register: str | Path | None = setting(None, "Write a pre-registration into this file.")
    claim: str | None = setting(
        None, "The claim of the pre-registration: which of two agents is better.", metavar='"A>B"'
    )
    hypothesis: str = setting("", "The claim in words, and its reason.")
    say: Callable[[str], object] = lambda _: None
    """Gets a line for what else is to be known."""
