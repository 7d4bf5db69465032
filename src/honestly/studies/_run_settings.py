"""The settings of a run: the settings of `honestly.run` and the options of `honestly run`."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from honestly._settings import Settings, setting, tell_nobody
from honestly.runner import ATTEMPTS, BREAKER

if TYPE_CHECKING:
    from honestly.agents import Actor, AgentFunction
    from honestly.models import Model
    from honestly.records import Suite, Task
    from honestly.runner import Progress


@dataclass(frozen=True, slots=True)
class RunSettings(Settings):
    """The settings of a run.

    Raises:
        SettingsError: a value is out of its range, or two settings do not go together.
    """

    suite: "str | Suite | Task | Sequence[Task]"
    """A suite's name or folder, a suite, or tasks of your own (`make_task`)."""
    agents: "str | Actor | AgentFunction | Sequence[str | Actor | AgentFunction]" = setting(
        MISSING, "An agent to run (docs/run.md). Repeatable.", "-a", many=True
    )
    _: KW_ONLY
    models: "str | Model | Sequence[str | Model]" = setting(
        (), "The model to ask. With it, `honest` is the real agent. Repeat to run each agent once per model.", "-m"
    )
    samples: int = setting(1, "Samples per task and agent.", "-k", least=1, most=10_000)
    tasks: str | Sequence[str] = setting((), "Run only this task. Repeatable.", "--task", metavar="ID")
    out: str | Path | None = setting(
        None, "The study: a file, or an address in a database.  [default: runs/SUITE-DATE.honestly]", "-o"
    )
    budget: str | None = setting(
        None,
        "The most that the whole study may spend, over all runs of the command; amounts of one unit add up.",
        metavar='"200 trials, 2h, 5M tokens, 20 usd"',
    )
    jobs: int | None = setting(
        None, "How many trials run at once.  [default: by cores and memory]", "-j", least=1, most=1000
    )
    tags: str | Sequence[str] = setting(
        (), "Run only tasks with this tag, such as category=debug.", metavar="TAG=VALUE", heading="What"
    )
    draw: int | None = setting(
        None, "Run only this many tasks, drawn by --seed. A larger number adds tasks.", least=1, heading="What"
    )
    arms: str | Sequence[str] = setting(
        (),
        "Arm: none, anti-hack, pro-hack, pre-exposure, confidence (prompts); gui, api, mcp, hybrid, api-poor, "
        "hybrid-poor (web sites); full, hidden, interact, session (a user, docs/vague.md); or your own .toml file. "
        "Several: a,b.",
        metavar="ARM",
        heading="What",
    )
    user: str = setting(
        "",
        "The simulated user of the arms interact and session (docs/vague.md).",
        metavar="patience=N,level=L,...",
        heading="What",
    )
    overlays: str | Sequence[str] = setting(
        (),
        "Put the files of DIR, such as CLAUDE.md, into the workspace before the agent starts; they are not judged. "
        "none: the agent as it is. Repeat for more.",
        metavar="NAME=DIR",
        heading="What",
    )
    checkpoint: str = setting("", "The agents' checkpoint: a number or a name.", metavar="NAME", heading="What")
    visible_tests: bool = setting(
        False, "Show agents the tests of exercises (docs/suites.md), which are hidden otherwise.", heading="What"
    )
    first: str | Sequence[str] = setting(
        (), "Start with agent=NAME or task=ID. Repeat to say what comes next.", metavar="WHAT", heading="What"
    )
    seed: int = setting(0, "Seed of the order and of every trial.", heading="What")
    prices: str | Sequence[str] = setting(
        (),
        "Price of a model that honestly does not know, in US dollars per million tokens.",
        metavar="[NAME=]IN/OUT[/CACHED]",
        heading="Model",
    )
    rate: str = setting(
        "",
        "How fast to ask each model, over all trials: requests and tokens per minute, requests at once "
        "(docs/models.md).",
        metavar='"60 requests, 200k tokens, 8 at-once"',
        heading="Model",
    )
    budget_usd: float | None = setting(
        None, "The most that one trial may cost, in US dollars.", "--trial-usd", least=0, heading="Limits of one trial"
    )
    budget_tokens: int | None = setting(
        None,
        "The most tokens that one trial may read and write.",
        "--trial-tokens",
        least=1,
        heading="Limits of one trial",
    )
    match: str = setting(
        "",
        "Let every trial of every agent use the same budget: N per trial; without N, the limit that "
        "--trial-usd or --trial-tokens sets (docs/teams.md).",
        metavar="tokens|usd|seconds[=N]",
        heading="Limits of one trial",
    )
    guard: str | Path | None = setting(
        None, "Put this policy between the agents and their tools (docs/guard.md).", metavar="FILE", heading="What"
    )
    until: str = setting(
        "", "Stop as soon as it is known which of two agents is better.", metavar='"A>B"', heading="Statistics"
    )
    alpha: float | None = setting(
        None, "Error rate of --until over the whole run.  [default: 0.05]", least=0.0001, most=0.5, heading="Statistics"
    )
    plan: str | Path | None = setting(
        None, "Follow this pre-registration (honestly stats plan --register), and store it.", heading="Statistics"
    )
    strict: bool = setting(
        False, "Count undecided passes as failed, now and in every report (docs/verdicts.md).", heading="Statistics"
    )
    redo: str | Sequence[str] = setting(
        (),
        "Also run these again: limit, task=ID, agent=NAME, stale (changed tasks and agents); repeat for more. Void "
        "trials are always run again.",
        metavar="WHAT",
        heading="Resume and retry",
    )
    attempts: int = setting(
        ATTEMPTS, "The most attempts at one trial, over all runs of the command.", least=1, heading="Resume and retry"
    )
    breaker: int = setting(
        BREAKER,
        "Stop an agent after this many void trials in a row with the same cause. 0: never.",
        least=0,
        heading="Resume and retry",
    )
    preflight: bool = setting(
        True,
        "Check first that models answer, prices are known and programs start. Asks each model one question.",
        heading="Resume and retry",
    )
    sandbox: str = setting(
        "", "Your own sandbox, as MODULE:OBJECT (docs/extending.md).", metavar="SPEC", heading="Sandbox"
    )
    on: str = setting(
        "",
        "Run trials on ray, ray://HOST:PORT or ray:cpus=0.25,... (docs/ray.md) instead of on this machine.",
        metavar="WHERE",
        heading="Sandbox",
    )
    unsafe: bool = setting(
        False,
        "Run untrusted code without isolation. Recorded in the study, and shown in its reports.",
        "--unsafe-no-sandbox",
        heading="Sandbox",
    )
    memory: str | Sequence[str] = setting(
        (),
        "Also run each agent with a memory of its trials: workflows, skills, or placebo. Repeatable.",
        metavar="KIND",
        heading="Memory",
    )
    memory_holdout: str | Sequence[str] = setting(
        (),
        "A family of tasks to measure the gain on; it is not learned from.  [default: half of them, by the seed]",
        metavar="FAMILY",
        heading="Memory",
    )
    memory_families: str = setting(
        "",
        "The tag that groups tasks into families: category, language, ...  [default: clusters]",
        metavar="TAG",
        heading="Memory",
    )
    log: str | Path | None = setting(
        None, "Append a JSON line for each event to this file (docs/status.md).", heading="Output"
    )
    otel: bool = setting(
        False,
        "Send a trace of each trial to the collector that OTEL_* variables name (extra `otel`).",
        heading="Output",
    )
    progress: "Callable[[Progress], None]" = tell_nobody
    """Told after every trial."""
    tell: Callable[[str], object] = tell_nobody
    """Gets a line for what else is to be known, such as tasks that cannot be run here."""
