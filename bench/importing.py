"""How long does the import of Terminal-Bench's results take, and does its memory grow with them?

    python bench/importing.py TERMINAL_BENCH_DIRECTORY

Imports the directory, and a directory with three copies of every submission, each in a process of its own, and prints
time and peak memory of both and their ratios, beside the time of merely reading and parsing every JSON file.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measure(source: Path, study: Path) -> tuple[float, float, int]:
    """Seconds, peak memory in MiB and number of trials of one import, in this process."""
    from honestly.formats import read_terminal_bench
    from honestly.store import create_study

    begin = time.perf_counter()
    with create_study(study) as out:
        out.add(read_terminal_bench(source))
        trials = len(out.trial_ids())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return time.perf_counter() - begin, peak, trials


def in_a_process(source: Path, study: Path) -> tuple[float, float, int]:
    """The same in a process of its own, so that peaks do not mix."""
    command = [sys.executable, __file__, "--one", str(source), str(study)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak, trials = json.loads(done.stdout)
    return seconds, peak, trials


def main(source: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for dataset in sorted(path for path in source.iterdir() if path.is_dir()):
            for submission in sorted(path for path in dataset.iterdir() if path.is_dir()):
                for copy in "abc":
                    target = folder / "thrice" / dataset.name / f"{submission.name}-{copy}"
                    shutil.copytree(submission, target, copy_function=shutil.copyfile)
        begin = time.perf_counter()
        files = [json.loads(path.read_bytes()) for path in source.rglob("*results.json")]
        parsing = time.perf_counter() - begin
        once = in_a_process(source, folder / "once.honestly")
        thrice = in_a_process(folder / "thrice", folder / "thrice.honestly")
        for path in (folder / "thrice").rglob("*"):
            path.chmod(0o700)
    print(f"parsing {len(files)} JSON files alone: {parsing:.2f} s")
    for label, (seconds, peak, trials) in (("once", once), ("thrice", thrice)):
        print(f"{label:>6}: {trials:6} trials in {seconds:6.2f} s, peak {peak:5.1f} MiB")
    time_ratio, memory_ratio = thrice[0] / once[0], thrice[1] / once[1]
    print(f" ratio: time {time_ratio:.2f}, memory {memory_ratio:.2f}, import to parsing {once[0] / parsing:.1f}")


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(measure(Path(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main(Path(sys.argv[1]))
