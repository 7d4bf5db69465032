"""Trials written without their steps: as a table in CSV, and as JUnit's XML for continuous integration.

Both come back by `honestly study import` with outcomes, grades and tags of tasks, the table with costs, too. In XML,
a case is a task, a sample is a case of the same name, void is skipped, and a limit is an error.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import quoteattr

from honestly.formats._export import safe_name
from honestly.formats._imported import beside_text
from honestly.formats._seams import Exported, Remark
from honestly.formats._table import TASK_COLUMNS
from honestly.records import Outcome, Tags, Trial

_COLUMNS = ("agent", "task", "sample", "outcome", "usd", "reason", "input_tokens", "output_tokens", "seconds", "source")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GRADED = Remark("it is graded, which JUnit cannot say: written as failed; only honestly reads the grade")
_TAGS = {Outcome.FAILED: "failure", Outcome.LIMIT: "error", Outcome.VOID: "skipped"}


def export_table(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `trials.csv`: a row for each trial, with its grade in place of the outcome where it has one."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "trials.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*_COLUMNS, *TASK_COLUMNS))
        for trial, _, task, _ in trials:
            spent = trial.usage
            is_graded = trial.is_graded and trial.outcome is Outcome.FAILED
            said = repr(trial.score) if is_graded else str(trial.outcome)
            row = (trial.agent, trial.task, trial.sample, said, spent.usd, trial.reason, spent.input_tokens)
            tags = (getattr(task.tags, name) for name in TASK_COLUMNS)
            writer.writerow((*row, spent.output_tokens, trial.seconds, trial.source, *tags))
            yield ""


def export_junit(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `AGENT.xml` for each agent: a suite whose cases are its trials."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, theirs in groupby(trials, lambda each: each.trial.agent):
        with (folder / f"{safe_name(name)}.xml").open("w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite><properties>')
            file.write(f'<property name="agent" value={_xml_attribute(name)}/></properties>\n')
            for each in theirs:
                file.write(_case(each.trial, each.task.tags))
                yield _GRADED if each.trial.is_graded else ""
            file.write("</testsuite></testsuites>\n")


def _case(trial: Trial, tags: Tags) -> str:
    time = f' time="{trial.seconds:.6g}"' if trial.seconds is not None else ""
    start = f"<testcase name={_xml_attribute(trial.task)}{time}"
    tag, more = _TAGS.get(trial.outcome), beside_text(trial, tags)
    more = more and f'<properties><property name="honestly" value={_xml_attribute(more)}/></properties>'
    if tag is None:
        return f"{start}>{more}</testcase>\n" if more else f"{start}/>\n"
    run = trial.verdict.hidden or trial.verdict.visible
    checks = run.checks if run is not None else ()
    failed = (f"{check.id}: {check.status} {check.message}" for check in checks if check.status != "passed")
    grade = f"graded {trial.score:g}" if trial.is_graded else ""
    words = "; ".join(filter(None, (grade, trial.reason, *failed)))[:2000]
    return f"{start}>{more}<{tag} message={_xml_attribute(words or str(trial.outcome))}/></testcase>\n"


def _xml_attribute(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("?", text))
