"""Real studies to look at: the Terminal-Bench trials, and a small run of honest and cheating agents, audited."""

from pathlib import Path

import honestly
from honestly.cli._demo import AGENTS
from honestly.formats import read_terminal_bench
from honestly.records import Agent, Check, CheckRun, Outcome, StudyFacts, Task, Trial, Usage, Verdict
from honestly.store import create_study

SHARED = Path(__file__).parents[2].parent / "shared"
TASKS = ("split-bill", "retry-budget", "api-move", "split-bill.impossible")


def imported_terminal_bench(path):
    """The nine submissions to Terminal-Bench, imported from their own directories and audited; returns the path."""
    with create_study(path, StudyFacts(imported_from="terminal-bench")) as store:
        store.add(read_terminal_bench(SHARED / "data" / "terminal-bench"))
    honestly.open(path).audit()
    return path


def audited_demo(path, tasks=TASKS, agents=AGENTS, samples=2):
    """What `honestly demo` runs, with fewer tasks, and what the audit says of it; returns the path."""
    study = honestly.run(honestly.load_suite("embedded", only=list(tasks)), list(agents), samples=samples, out=path)
    study.audit()
    return path


def many_trials(path, agents=20, tasks=500, samples=10):
    """A study of so many small trials, all made up; returns the path."""
    kinds = (Outcome.PASSED, Outcome.FAILED, Outcome.FAILED, Outcome.LIMIT, Outcome.VOID)
    done = CheckRun(checks=(Check(id="t", status="passed"),))
    missed = CheckRun(checks=(Check(id="t", status="failed", message="the solution raised ValueError"),))

    def made():
        for agent in range(agents):
            yield Agent(name=f"agent-{agent:03}", program=f"harness-{agent % 4}", version="1", model=f"m-{agent % 5}")
        for task in range(tasks):
            yield Task(id=f"task-{task:05}", instruction="x")
        for agent in range(agents):
            for task in range(tasks):
                for sample in range(samples):
                    kind = kinds[min((agent * 7 + task * 13 + sample * 3) % 11 * (task + 1) // tasks, 4)]
                    hidden = done if kind is Outcome.PASSED else missed if kind is Outcome.FAILED else None
                    yield (
                        Trial(
                            id=f"{agent:08x}{task:016x}{sample:08x}",
                            agent=f"agent-{agent:03}",
                            task=f"task-{task:05}",
                            sample=sample,
                            outcome=kind,
                            reason="" if hidden else f"ran out of {kind} after {task} s",
                            verdict=Verdict(visible=done if hidden else None, hidden=hidden),
                            usage=Usage(input_tokens=1000 + task, output_tokens=50, usd=0.01),
                            seconds=30.0 + sample,
                        ),
                        None,
                        {},
                    )

    with create_study(path, StudyFacts(samples=samples)) as store:
        store.add(made(), every=20_000)
    return path
