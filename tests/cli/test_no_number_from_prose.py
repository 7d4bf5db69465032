"""No number hangs on words: a study whose prose is noise says the same numbers, states and verdicts.

Every note, detail, reason and sentence of a study is replaced by random text, what a test framework said of each check
too, and the needs of every detector are reversed before it audits. What the commands then say with --json differs in
prose alone.
"""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest
from click.testing import CliRunner

from honestly.agents import make_agent
from honestly.audit import DETECTORS, audit_study
from honestly.cli import cli
from honestly.formats import read_terminal_bench
from honestly.records import Check, Finding, Record, StudyFacts, Trial, Unread
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import Store, create_study, open_study
from honestly.tasks import load_suite

SHARED = Path(__file__).parents[2].parent / "shared"
PROSE = {"note", "notes", "detail", "reason", "stop", "sentence"}
SAID = PROSE | {"study", "reasons", "warnings", "how", "created"}
"""Keys of what commands say whose values are words, and those that name the file."""
AGENTS = ("honest:name=a,easy=0.6,medium=0.6,hard=0.6", "special-case:name=b", "tamper-runner:name=c", "nop:name=d")


class Noise:
    """Random text in place of prose, wherever a record holds some."""

    def __init__(self) -> None:
        self.dice, self.replaced = random.Random(5), 0

    def __call__(self, value: object) -> object:
        if isinstance(value, Unread):  # its reason is one of four words that are meant to be read
            return value
        if isinstance(value, Record):
            changed = {name: self._field(name, getattr(value, name)) for name in value.__struct_fields__}
            if isinstance(value, Check):  # a step's message is what was said, and no comment on it
                changed["message"] = self._field("note", value.message)
            return msgspec.structs.replace(value, **changed)
        if isinstance(value, tuple):
            return tuple(map(self, value))
        return value

    def _field(self, name: str, value: object) -> object:
        if name in PROSE and isinstance(value, str):
            self.replaced += 1
            return self.dice.choice(
                ["needs steps", "not read: 5 characters", "the views disagree", "agent_timeout", "deselected", "x"]
            )
        return self(value)


def noisy(source: Path, target: Path, detectors: list) -> int:
    """The same study with noise for prose, audited again; returns how many texts were replaced."""
    noise = Noise()
    with open_study(source) as old, create_study(target) as new:
        new.set_facts(old.facts())
        new.add([*old.agents(), *old.tasks()])
        for trial in old.trials():
            steps = noise(old.trajectory(trial.id))
            new.add_trial(noise(trial), steps, {n: old.artifact(trial.id, n) for n in old.artifacts(trial.id)})
        new.add(map(noise, [*old.defects(), *(f for f in old.findings() if f.detector not in NAMES)]))
        with create_study(target.with_suffix(".audited")) as audited:
            audited.add([*new.agents(), *new.tasks(), *_trials(new)])
            audit_study(audited, detectors)
            new.add(map(noise, audited.findings()))
            for name, kept in audited.all_kept(dict).items():
                new.keep(name, kept)  # by which trials of a task are compared
    return noise.replaced


def _trials(study: Store) -> list:
    return [
        (trial, study.trajectory(trial.id), {n: study.artifact(trial.id, n) for n in study.artifacts(trial.id)})
        for trial in study.trials()
    ]


NAMES = {detector.name for detector in DETECTORS}


def told(study: Path, *more: tuple[str, ...]) -> list[object]:
    """What the commands say of a study, without prose."""
    commands = [("report", study), ("audit", study), ("audit", study, "--prevalence"), ("conduct", study), *more]
    return [_bare(json.loads(_run(*command, "--json"))) for command in commands]


def _run(*words: object) -> str:
    result = CliRunner().invoke(cli, [*map(str, words)])
    assert result.exit_code in (0, 1), (words, result.exception)
    return result.stdout


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key not in SAID}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _equal(path: Path, pair: tuple[str, str], *, disclosed: bool) -> None:
    backwards = [detector._replace(needs=detector.needs[::-1]) for detector in DETECTORS]
    with open_study(path, "write") as study:
        audit_study(study, DETECTORS)
    other = path.with_name("noise.honestly")
    assert noisy(path, other, backwards) > 100
    more = [("compare", *pair), *([("disclose",)] if disclosed else [])]
    before, after = (told(study, *((name, study, *words) for name, *words in more)) for study in (path, other))
    assert before == after
    assert before[0]["agents"]
    assert not disclosed or before[-1]["rates"]


@pytest.mark.slow
def test_numbers_of_a_run_do_not_hang_on_words(tmp_path: Path) -> None:
    suite = load_suite("embedded", only=["split-bill", "stock-holds", "upload-ranges.impossible"])
    plan = Plan(suite, [make_agent(spec, suite) for spec in AGENTS], 1)
    path = tmp_path / "s.honestly"
    with create_study(path) as study:
        anyio.run(run_plan, plan, study, LocalExecutor(partial(open_sandbox, unsafe=True), 2))
        lost = next(study.trials())
        study.add_trial(msgspec.structs.replace(lost, id="0" * 32, sample=7))  # a trial without steps
    _equal(path, ("a", "b"), disclosed=True)


@pytest.mark.slow
def test_numbers_of_an_import_do_not_hang_on_words(tmp_path: Path) -> None:
    source = SHARED / "data" / "terminal-bench"
    if not source.exists():
        pytest.skip("the Terminal-Bench results are not beside this repository")
    path = tmp_path / "tb.honestly"
    with create_study(path, StudyFacts(imported_from=source.name)) as study:
        few: list = []
        tasks: set[str] = set()
        for item in read_terminal_bench(source):
            if not isinstance(item, tuple):
                few.append(item)
            elif len(tasks) < 6 or item[0].task in tasks:
                tasks.add(item[0].task)
                few.append(item)
        study.add(few)
        pair = tuple(agent.name for agent in study.agents())[:2]
    _equal(path, pair, disclosed=False)  # its suite has no hash, so that no rate of it may be told


def test_the_order_of_needs_does_not_decide_what_is_clean(tmp_path: Path) -> None:
    """A trial without steps is unreadable, whichever of its needs a detector names first."""
    from honestly.audit import detector_rates

    for order in (1, -1):
        path = tmp_path / f"{order}.honestly"
        chosen = [each for each in DETECTORS if each.name in {"early-exit", "verdict-signs"}]
        chosen = [each._replace(needs=each.needs[::order]) for each in chosen]
        with create_study(path) as study:
            suite = load_suite("embedded", only=["split-bill"])
            agent = make_agent("nop", suite).record
            study.add([agent, *suite.tasks])
            for number in range(10):
                study.add_trial(_failed(f"{number:032x}", agent.name, suite.tasks[0].id, number))
            audit_study(study, chosen)
            found: list[Finding] = list(study.findings())
            (both,) = [rate for rate in detector_rates(study.cells(), found, chosen) if rate.detector == "any detector"]
        assert (both.n, both.unreadable) == (0, 10)


def _failed(name: str, agent: str, task: str, sample: int) -> Trial:
    from honestly.records import Check, CheckRun, Outcome, Verdict

    hidden = CheckRun(checks=(Check(id="c", status="failed"),))
    return Trial(id=name, agent=agent, task=task, sample=sample, outcome=Outcome.FAILED, verdict=Verdict(hidden=hidden))
