"""Cautions are rare in sound studies: independent tasks, samples that no result decided, all of one table.

The condition on rare differences is no caution but the middle one of three verdicts, and no line says it again.
"""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from honestly import studies
from sampled import sampled

KINDS = {
    "ten tasks": (10, 5, 0.2, 2),
    "twenty tasks": (20, 5, 0.2, 2),
    "equal": (50, 5, 0.0, 2),
    "single": (50, 1, 0.2, 2),
    "graded": (40, 0, 0.2, 2),
    "by difficulty": (100, 5, 0.15, 2),
    "eight agents, rows lost": (40, 5, 0.05, 8),
}


def drawn(path, kind, seed):
    tasks, samples, gap, agents = KINDS[kind]
    rng = np.random.default_rng([seed, tasks, samples])
    ease = rng.beta(2, 2, tasks)
    ease = np.sort(ease) if kind == "by difficulty" else ease
    rows = ["agent,task,sample,score"]
    for agent, task in np.ndindex(agents, tasks):
        chance = min(max(ease[task] + (gap if agent else 0) + rng.normal(0, 0.1), 0), 1)
        for sample in range(samples or 1):
            value = int(rng.random() < chance) if samples else round(float(np.clip(rng.normal(chance, 0.1), 0, 1)), 2)
            if agents == 2 or rng.random() > 0.1:
                rows.append(f"a{agent},t{task:03},{sample + 1},{value}")
    path.write_text("\n".join(rows) + "\n")
    return studies.open(path)


def cautions(answer):
    console = Console(file=StringIO(), width=80)
    console.print(answer.brief())
    said = [line for line in console.file.getvalue().splitlines() if line.startswith("! ")]
    of_lost = (
        "Not every trial has a verdict",
        "without a verdict count",
        "Agents are scored on",
    )  # so it is, of lost rows
    return [line for line in said if not any(each in line for each in of_lost)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", sampled(KINDS, quick=1))
def test_at_most_a_tenth_of_sound_studies_carries_a_caution(tmp_path, monkeypatch, kind):
    """Of 40 studies at most nine (99%), beside what is said of rows that are lost."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    studies_of, said, conditional = 40, {"compare": 0, "report": 0}, 0
    for seed in range(studies_of):
        study = drawn(tmp_path / f"{seed}.csv", kind, seed)
        pair = study.compare("a0", "a1")
        said["compare"] += bool(cautions(pair))
        said["report"] += bool(cautions(study.report()))
        conditional += "if rare" in pair.verdict
    print(f"{kind}: {said} of {studies_of}; {conditional} under the condition")
    assert max(said.values()) <= 9, said


def test_a_condition_is_no_caution(tmp_path, monkeypatch):
    """Ten tasks with a gap of 20 points: where t finds it, the sentence says the condition once, and no line warns."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    study = drawn(tmp_path / "t.csv", "ten tasks", 2)
    for answer in (study.compare("a0", "a1"), study.report()):
        console = Console(file=StringIO(), width=1000)
        console.print(answer.brief())
        text = console.file.getvalue()
        assert text.count("rare large differences") == 1
        assert cautions(answer) == []
