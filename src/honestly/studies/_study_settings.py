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
        "The study of the baseline, or results to import.  [default: STUDY, with two agents named]",
        metavar="OTHER",
    )
    _: KW_ONLY
    agent: str = setting("", "The agent, or enough of its name; where STUDY has several.", "-a")
    baseline_agent: str = setting("", "The baseline's agent, likewise.", metavar="NAME")
    min_gap: float = setting(
        0.0,
        "The smallest loss that matters, in points: a smaller one is tolerated.",
        metavar="POINTS",
        least=0,
        most=100,
        points=True,
    )
    at_least: float | None = setting(
        None, "Instead of a baseline: the score that the agent must have, 0 to 100.", metavar="SCORE", least=0, most=100
    )
    about: str = setting(
        "new",
        "Decide about new tasks of this kind, or about exactly these.",
        choices=("new", "these"),
        heading="What counts as what",
    )


@dataclass(frozen=True, slots=True)
class PlanSettings(CountingSettings):
    """What a plan rests on, what it is to see, and what may be spent."""

    _: KW_ONLY
    pilot: "Study | str | Path | None" = setting(
        None, "Study to take the variances from, or results to import.", metavar="STUDY"
    )
    from_health: bool = setting(
        False,
        "With --pilot: only its tasks that are worth running (honestly task health), and as many questions.",
        heading="Statistics",
    )
    agents: Sequence[str] | None = None
    """Two agents of the pilot; typical neighbours, if nobody says."""
    score: float | None = setting(
        None,
        "Without a pilot: the expected score, from which variances are guessed.",
        least=0,
        most=1,
        open=True,
    )
    data_share: float | None = setting(
        None,
        "Of the guess: share of the variance that more samples cannot remove.  [default: 0.5]",
        least=0,
        most=1,
        heading="Guess without a pilot",
    )
    solvable: float | None = setting(
        None,
        "Of the guess: share of the questions that any agent can solve.  [default: 1]",
        least=1e-9,
        most=1,
        heading="Guess without a pilot",
    )
    gap: float | Sequence[float] = setting(
        (), "Gap to see, in points; repeat for more.", least=0, most=100, open=True, points=True
    )
    samples: int | Sequence[int] = setting((), "Trials per cell; repeat.", "-k", "--samples", least=1, most=10_000)
    questions: int | None = setting(None, "Questions that you have.", "-n", least=2, most=10**9)
    suite: str | None = setting(None, "Suite that you have, which also gives the number of questions.")
    stop_early: bool = setting(False, "Plan for a run with --until, which may stop early.", heading="Statistics")
    power: float = setting(0.8, "Probability of seeing the gap.", least=0.5, most=0.999, heading="Statistics")
    comparisons: int = setting(1, "Comparisons that share the level (Holm).", least=1, most=10**6, heading="Statistics")
    theory: str = setting("normal", "Closed form, or the t-test's own.", choices=("normal", "t"), heading="Statistics")
    budget: float | None = setting(None, "What may be spent, in any currency.", least=1e-12, heading="Money")
    price_run_a: float | None = setting(
        None, "Of a trial of the first agent.  [default: the pilot's]", least=1e-12, heading="Money"
    )
    price_run_b: float | None = setting(
        None, "Of the second.  [default: the pilot's, or the first's]", least=1e-12, heading="Money"
    )
    price_question: float | None = setting(None, "Of one more question.  [default: 0]", least=0, heading="Money")
    most_questions: int | None = setting(None, "There are no more questions than these.", least=1, heading="Money")
    most_samples: int | None = setting(None, "No more samples per cell.  [default: 1000]", least=1, heading="Money")
    register: str | Path | None = setting(None, "Write a pre-registration here.")
    claim: str | None = setting(None, "Its claim: which of two agents is better.", metavar='"A>B"')
    hypothesis: str = setting("", "Its claim in words, and why.")
    say: Callable[[str], object] = lambda _: None
    """Gets a line for what else is to be known."""
