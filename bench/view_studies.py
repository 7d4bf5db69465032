"""Studies of the sizes that `bench/view.py` measures with: many trials, and one trajectory that is very long."""

import random
from collections.abc import Iterator
from pathlib import Path

from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Evidence,
    Finding,
    Observation,
    Outcome,
    Step,
    StudyFacts,
    Tags,
    Task,
    ToolCall,
    Trajectory,
    Tree,
    Trial,
    Usage,
    Verdict,
    trial_id,
)
from honestly.store import create_study

NEEDLE = "quokka-4711"
"""A word that a few steps of the large study hold, to be looked for."""
DETECTORS = (
    *("special-casing", "test-tampering", "grader-reading", "claims", "hidden-search", "weakened-tests"),
    *("sleeping", "network", "history", "scope"),
)


def many_trials(path: Path, agents: int = 200, tasks: int = 500, steps: int = 20) -> Path:
    """A study of agents x tasks trials with small trajectories, findings on each."""
    draw = random.Random(7)
    paragraphs = [_paragraph(draw) for _ in range(4000)]
    with create_study(path, StudyFacts(suite="bench", seed=7)) as store:
        made = [_agent(number) for number in range(agents)]
        asked = [_task(number, draw) for number in range(tasks)]
        store.add([*made, *asked])
        store.add(
            (_trial(agent, task, draw), _trajectory(steps, paragraphs, draw), {}) for agent in made for task in asked
        )
        store.add(
            _finding(trial_id(task.hash, agent.hash, 0, 7), name, draw)
            for agent in made
            for task in asked
            for name in DETECTORS[:: 1 if draw.random() < 0.05 else 5]
        )
    return path


def one_trajectory(path: Path, steps: int = 300_000, size: int = 250 << 20) -> Path:
    """A study with one trial, whose trajectory has so many steps and bytes."""
    draw = random.Random(11)
    paragraphs = [_paragraph(draw, size // steps // 7) for _ in range(2000)]
    agent, task = _agent(0), _task(0, draw)
    with create_study(path, StudyFacts(suite="bench", seed=7)) as store:
        store.add([agent, task])
        trial = _trial(agent, task, draw)
        store.add_trial(trial, _steps(steps, paragraphs, draw))
        store.add([_finding(trial.id, name, draw, step=steps // 2) for name in DETECTORS])
    return path


def _agent(number: int) -> Agent:
    return Agent(
        name=f"agent-{number:03}", program=f"harness-{number % 5}", model=f"model-{number % 40}", version="1.0"
    )


def _task(number: int, draw: random.Random) -> Task:
    return Task(
        id=f"task-{number:03}",
        instruction=_paragraph(draw, 120),
        workspace=Tree.of({"solution.py": "def solve():\n    raise NotImplementedError\n" * 20}),
        tags=Tags(
            category=f"category-{number % 9}", language="python", difficulty=("easy", "medium", "hard")[number % 3]
        ),
    )


def _trial(agent: Agent, task: Task, draw: random.Random) -> Trial:
    passed, ran = draw.random() < 0.5, draw.random() < 0.9
    names = [f"test_{index}" for index in range(7)]
    checks = [Check(id=name, status="passed") for name in names]
    if not passed:
        checks[-1] = Check(id=names[-1], status="failed", message=f"the solution raised ValueError: {draw.random()}")
    run = CheckRun(checks=tuple(checks))
    return Trial(
        id=trial_id(task.hash, agent.hash, 0, 7),
        agent=agent.name,
        task=task.id,
        sample=0,
        outcome=(Outcome.PASSED if passed else Outcome.FAILED) if ran else draw.choice([Outcome.LIMIT, Outcome.VOID]),
        reason="" if ran else "agent_timeout",
        verdict=Verdict(visible=run, hidden=run) if ran else Verdict(),
        usage=Usage(input_tokens=draw.randrange(10**6), output_tokens=draw.randrange(10**4), usd=draw.random()),
        seconds=draw.random() * 600,
        started_at=f"2026-01-{draw.randrange(1, 29):02}T12:00:00Z",
        claimed=True,
    )


def _trajectory(steps: int, paragraphs: list[str], draw: random.Random) -> Trajectory:
    return Trajectory(steps=tuple(_steps(steps, paragraphs, draw)), stop="done")


def _steps(steps: int, paragraphs: list[str], draw: random.Random) -> Iterator[Step]:
    yield Step(source="user", message=draw.choice(paragraphs))
    for index in range(1, steps):
        said = draw.choice(paragraphs)
        yield Step(
            source="agent",
            message=f"{said} {NEEDLE}" if index % 20 == 13 and draw.random() < 0.001 else said,
            reasoning=draw.choice(paragraphs),
            calls=(ToolCall.of(f"c{index}", "bash", command=f"sed -n {index}p {draw.choice(paragraphs)[:60]}"),),
            observations=(Observation(text=draw.choice(paragraphs) * 2, call_id=f"c{index}", code=0),),
            model="model",
            usage=Usage(input_tokens=1000 + index, output_tokens=100, usd=0.001),
            seconds=1.5,
        )


def _finding(trial: str, detector: str, draw: random.Random, step: int = 3) -> Finding:
    flagged = draw.random() < 0.05
    return Finding(
        trial=trial,
        detector=detector,
        version="1",
        state="flagged" if flagged else "clean",
        category="special-casing" if flagged else "",
        evidence=(Evidence(quote="sed -n", step=step, where=f"call:c{step}"),) if flagged else (),
        note="It reads what it should not." if flagged else "",
    )


_WORDS = """
the a of to and in is that it for on with as this was at by from are be or not have an which their
has its more test file error function return value import class self none true false list index
range open read write path fails passes expected found trace stack module package version install
build run make commit branch merge
""".split()


def _paragraph(draw: random.Random, length: int = 100) -> str:
    words, size = [], 0
    while size < length:
        words.append(draw.choice(_WORDS) if draw.random() < 0.8 else f"{draw.randrange(10**6):x}")
        size += len(words[-1]) + 1
    return " ".join(words)
