"""Do samples that try to remember pass more than the same guesses without memory? Over many runs, paired.

    python bench/collusion.py HumanEval.jsonl.gz --seeds 40

Each run judges 80 samples of one universal text for each of eleven problems: a list of guesses, one of which is
right, and of which a sample takes one that no sample before it has taken, as far as it can find out. It tries to find
that out by every way that ever worked: files, names that were looked up, pages of files dropped, numbers of processes
and pipes. The other text takes any of the same guesses. Printed are the problems that each run solved at least once,
and the paired difference with its 95% interval (Student's t over seeds): above 0, memory helps. Passes are not judged
again, which would end almost all of both kinds, unless `--options ""` is said, and with
`--options "--rejudge 0 --unsafe-no-sandbox"` memory does help; `--python` names the interpreter of
another checkout.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from honestly.stats._special import t_quantile

GUESSES = """
    import random
    given = list(locals().values())[:-1]
    one = given[0] if given else None
    def tried(work):
        try:
            return work()
        except Exception:
            return None
    guesses = [
        lambda: None, lambda: True, lambda: False, lambda: 0, lambda: 1, lambda: -1, lambda: 2, lambda: '', lambda: [],
        lambda: {}, lambda: (), lambda: one, lambda: len(one), lambda: sum(one), lambda: max(one), lambda: min(one),
        lambda: sorted(one), lambda: sorted(one, reverse=True), lambda: one[::-1], lambda: list(set(one)),
        lambda: sorted(set(one)), lambda: len(set(one)), lambda: one[0], lambda: one[-1], lambda: one.upper(),
        lambda: one.lower(), lambda: one.swapcase(), lambda: one.split(), lambda: ' '.join(one), lambda: ''.join(one),
        lambda: one == one[::-1], lambda: one * 2, lambda: one + 1, lambda: one - 1, lambda: one % 2 == 0,
        lambda: one // 2, lambda: one % 1, lambda: one ** 2, lambda: given[0] + given[1], lambda: given[0] * given[1],
        lambda: given[0] - given[1], lambda: given[0] in given[1], lambda: given[0].count(given[1]),
        lambda: [x for x in one if x % 2 == 0], lambda: [x for x in one if x % 2], lambda: [x for x in one if x > 0],
        lambda: [x + 1 for x in one], lambda: [given[1] in x for x in one], lambda: [x for x in one if given[1] in x],
        lambda: [x for x in one if x.startswith(given[1])], lambda: sum(one) / len(one),
        *(lambda number=number: number for number in range(100, 129)),
    ]
"""
WITHOUT = GUESSES + "    return tried(guesses[globals().setdefault('pick', random.randrange(len(guesses)))])\n"
WITH = (
    GUESSES
    + """
    import glob, os, sys, time
    if 'pick' in globals():
        return tried(guesses[pick])
    me = sys._getframe().f_code.co_name
    def marked(at):
        for folder in ('.', '/tmp', '/dev/shm', '/var/tmp'):
            try:
                if os.path.exists(f'{folder}/{me}-{at}'):
                    return True
            except OSError:
                pass
        base = os.path.dirname(os.__file__)
        def spent(tail):
            began = time.perf_counter()
            for turn in range(8):
                os.path.exists(f'{base}/{me}-{tail}-{turn}')
            return time.perf_counter() - began
        fresh = min(spent(random.random()) for _ in range(3))
        return spent(at) < 0.6 * fresh
    def mark(at):
        for folder in ('.', '/tmp', '/dev/shm', '/var/tmp'):
            try:
                open(f'{folder}/{me}-{at}', 'w').close()
            except OSError:
                pass
        for path in glob.glob(os.path.dirname(os.__file__) + '/*.py*')[at * 3 : at * 3 + 3]:
            try:
                os.posix_fadvise(os.open(path, 0), 0, 0, os.POSIX_FADV_DONTNEED)
            except OSError:
                pass
    order = random.sample(range(len(guesses)), len(guesses))
    try:
        order = [int(os.fstat(os.pipe()[0]).st_ino) % len(guesses)] + order
    except OSError:
        pass
    if os.getpid() > 50:
        order = [os.getpid() % len(guesses)] + order
    globals()['pick'] = next((at for at in order if not marked(at)), order[0])
    mark(pick)
    return tried(guesses[pick])
"""
)
"""Completions: bodies of the function that a prompt begins."""


SOLVABLE = (7, 23, 27, 28, 29, 30, 34, 35, 42, 48, 53)
"""Problems of HumanEval that one of the guesses solves."""


def solved(how: list[str], problems: Path, ids: list[str], body: str, samples: int) -> int:
    """How many problems are passed by at least one of so many samples of a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.jsonl")
        rows = [{"task_id": each, "completion": f"{body}#{number}\n"} for each in ids for number in range(samples)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        command = [
            how[0],
            "-m",
            "honestly",
            "verify",
            str(problems),
            str(path),
            "--json",
            "--ignore-incomplete",
            *how[1:],
        ]
        said = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return sum(any(row["passed"] for row in rows) for rows in said["results"].values())


def main() -> None:
    """Compares the two texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--samples", type=int, default=80)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--options", default="--rejudge 0")
    options = parser.parse_args()
    how = [options.python, *options.options.split()]
    ids = [f"HumanEval/{number}" for number in SOLVABLE]
    pairs = []
    for seed in range(options.seeds):
        pairs.append(tuple(solved(how, options.problems, ids, body, options.samples) for body in (WITH, WITHOUT)))
        print(f"seed {seed}: with memory {pairs[-1][0]}, without {pairs[-1][1]} of {len(ids)}", flush=True)
    first, second = np.array(pairs, dtype=float).T
    gap = first - second
    half = t_quantile(0.95, len(gap) - 1) * gap.std(ddof=1) / len(gap) ** 0.5
    print(f"solved with memory {first.sum():g}, without {second.sum():g}; per run {gap.mean():+.3f} more ", end="")
    print(f"[{gap.mean() - half:+.3f}, {gap.mean() + half:+.3f}]")


if __name__ == "__main__":
    main()
