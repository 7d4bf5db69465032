"""The audit of a large study takes hardly more memory than that of a small one."""

from __future__ import annotations

import tracemalloc

import pytest

from honestly.audit import USUAL_DETECTORS
from honestly.audit._study import missing_from
from honestly.audit.report import audit_report
from honestly.leaderboards import corrected_scores
from honestly.records import Agent, Finding, Outcome, ReadCoverage, Task, Trial, trial_id
from honestly.store import create_study, open_study


def audited(path, trials):
    """A study whose trials every detector has seen, and found something out about."""
    agent, task = Agent(name="a"), Task(id="t", instruction="Do.")
    with create_study(path) as study:
        study.add([agent, task])
        for sample in range(trials):
            trial = Trial(
                id=trial_id(task.hash, agent.hash, sample, 0),
                agent="a",
                task="t",
                sample=sample,
                outcome=Outcome.PASSED,
            )
            study.add_trial(trial)
            found = [
                Finding(
                    trial=trial.id, detector=each.name, version=each.version, state="clean", note=f"{each.name} {sample}",
                    coverage=ReadCoverage(steps=sample, steps_read=sample) if at == 0 else None,
                )
                for at, each in enumerate(USUAL_DETECTORS)
            ]  # fmt: skip
            study.add(found, every=len(found) + 1)
    return path


def peak_of(path):
    """Bytes at most while it is looked for what is missing, and while reports are made; and that of the audit."""
    with open_study(path) as study:
        tracemalloc.start()
        try:
            assert missing_from(study, USUAL_DETECTORS) == {}
            report = audit_report(study, "s", USUAL_DETECTORS)
            assert corrected_scores(study) is not None
            return tracemalloc.get_traced_memory()[1], report
        finally:
            tracemalloc.stop()


@pytest.mark.slow
def test_memory_grows_by_little_for_each_trial(tmp_path):
    small, large = audited(tmp_path / "small.honestly", 100), audited(tmp_path / "large.honestly", 900)
    peak_of(small)  # what is loaded once
    before, (after, report) = peak_of(small)[0], peak_of(large)
    assert {rate.n for rate in report.rates if rate.detector == "any detector"} == {900}
    assert (after - before) / 800 < 4000, "16,000 where all findings are held"
