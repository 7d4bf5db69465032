"""A process that writes a study until it is killed: `writer_process.py STUDY [TRIALS]`.

With a number of trials it waits for a line of input after each, and ends when they are done.

It prints a dot for each step that it hands to the store, and a trial's id once the trial is in the study, so that
whoever watches can kill it within a trial and know what must not be lost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import shake_128
from itertools import count
from pathlib import Path

from made_records import Make

from honestly.records import Step
from honestly.store import create_study, open_study

LENGTH = 12
"""Steps of a trajectory; seven fill a chunk."""


def step(sample: int, n: int) -> Step:
    """The n-th step of a sample."""
    return Step(source="agent", message=shake_128(b"%d/%d" % (sample, n)).hexdigest(75_000))


def steps(sample: int) -> Iterator[Step]:
    for n in range(LENGTH):
        yield step(sample, n)
        say(".")


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main(path: Path, trials: int | None) -> None:
    make = Make()
    study = open_study(path, "write") if path.exists() else create_study(path)
    study.add([make.agents[0], make.tasks[0]])
    done = study.trial_ids()
    for sample in count() if trials is None else range(trials):
        trial = make.trial(sample=sample)
        if trial.id not in done:
            study.add_trial(trial, steps(sample), {"log": b"log of %d" % sample})
            say(f"\n{trial.id}\n")
            if trials is not None:
                sys.stdin.readline()
    study.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
