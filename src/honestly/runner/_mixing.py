"""The order in which samples are judged: mixed over the whole run, the samples of one problem apart from each other.

What a sample could learn of those before it, by whatever trace they left, is then about other problems, and nobody can
say beforehand where in the run a sample will stand. The samples lie meanwhile in a file without a name beside the
results, which takes as much disk as they do and no memory.
"""

import marshal
import random
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from honestly.errors import StoreError
from honestly.formats import Sample
from honestly.records import Suite
from honestly.runner._results_file import Key

_APART = 8
_TRIES = 30


class Mixture:
    """Samples in a mixed order, each read when its turn comes."""

    def __init__(self, samples: Iterable[tuple[Key, Sample]], suite: Suite, folder: Path) -> None:
        """Args:
        samples: with what their results belong to.
        suite: their problems.
        folder: where they are kept meanwhile.

        Raises:
            StoreError: they cannot be kept there.
        """
        self._tasks = suite.tasks
        numbers = {task.id: number for number, task in enumerate(suite.tasks)}
        problems, places = array("L"), array("Q")
        try:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open as long as the run
            for key, sample in samples:
                problems.append(numbers[sample.task.id])
                places.append(self._file.tell())
                marshal.dump(
                    (key, problems[-1], sample.problem, sample.number, sample.row, sample.key, sample.where), self._file
                )
        except OSError as error:
            raise StoreError(f"{folder}: the samples cannot be kept there while they are judged: {error}") from error
        self._places = array("Q", map(places.__getitem__, mixed(problems)))

    def __iter__(self) -> Iterator[tuple[Key, Sample]]:
        for place in self._places:
            self._file.seek(place)
            key, task, problem, number, row, code, where = marshal.load(self._file)  # noqa: S302 - written above
            yield key, Sample(problem, self._tasks[task], number, row, code, where)
        self._file.close()


def mixed(problems: Sequence[int], seed: int | None = None) -> list[int]:
    """The places of samples in a mixed order.

    All orders are about equally likely in which samples of one problem do not stand near each other. They do not stand
    in regular distances either: a clock or a counter would then tell a sample which one of its problem it is, and so
    which guess is its turn.

    Args:
        problems: of each sample, the number of its problem.
        seed: what the order derives from; None for a secret one.

    Returns:
        Each place once. Between two samples of a problem that has `n` of all `N` stand `N / 8n` others, but for some
        at the end.
    """
    rng = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311
    free = {problem: len(problems) // (_APART * count) for problem, count in Counter(problems).items()}
    again = dict.fromkeys(free, 0)
    """Where the next sample of a problem may stand."""
    left = array("L", range(len(problems)))
    order: list[int] = []
    while left:
        for _ in range(_TRIES):
            at = rng.randrange(len(left))
            problem = problems[left[at]]
            if again[problem] <= len(order):
                break
        left[at], left[-1] = left[-1], left[at]
        again[problem] = len(order) + 1 + free[problem]
        order.append(left.pop())
    return order
