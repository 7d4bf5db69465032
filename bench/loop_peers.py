"""OpenEvolve and ShinkaEvolve for `loop_overhead.py`: run with a model and an evaluator that do nothing.

Each has an environment of its own in the user's cache (`HONESTLY_PEERS`), with the newest version that there is. The
model is a server in this process that answers at once with another constant, so that its cost is not theirs; CPU is
that of their process and of all that it has waited for. What a start costs is taken off: the figures are differences of
runs of different lengths. ShinkaEvolve starts a Python for every evaluation, which is part of what it costs.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import NamedTuple

START = "# EVOLVE-BLOCK-START\nLEVEL = 0.4\n# EVOLVE-BLOCK-END\n"
OPENEVOLVE = """checkpoint_interval: 1000000
diff_based_evolution: false
llm: {{api_base: "{url}", api_key: none, models: [{{name: m, weight: 1.0}}]}}
evaluator: {{cascade_evaluation: false, timeout: {seconds}, parallel_evaluations: 1, max_retries: 0}}
"""
# What an evaluation answers, as Python: of the unchanged program, and of a changed one.
NOTHING = ('{"combined_score": 0.4}', '{"combined_score": 0.4}')
HANGS = ('{"combined_score": 0.4}', "time.sleep(10_000)")
BELOW = ('{"combined_score": -0.4}', "time.sleep(10_000)")
TIMED_OUT = ('{"score": 0.4}', '{"error": 0.0, "timeout": True}')
ODD = {
    "an evaluator that hangs, limit 5 s": HANGS,
    "the same where all scores are below 0": BELOW,
    '{"error": 0.0, "timeout": true}': TIMED_OUT,
}
JUDGE = """
import json, os, sys, time
def evaluate(path):
    return {changed} if "tuned" in open(path).read() else {start}
if __name__ == "__main__":  # as ShinkaEvolve calls it
    said = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    found = evaluate(said["--program_path"])
    os.makedirs(said["--results_dir"], exist_ok=True)
    for name, content in (("correct", {{"correct": True, "error": None}}), ("metrics", found)):
        with open(os.path.join(said["--results_dir"], name + ".json"), "w") as file:
            json.dump(content, file)
"""


class Ran(NamedTuple):
    """One run of a peer."""

    cpu: float
    wall: float
    code: int | None
    """Exit status; None where it did not end in time and was killed."""
    left: bool
    """Whether processes were at work after its end; they were killed then."""
    output: Path
    """Its directory."""


@contextmanager
def answering():
    """The address of a server that answers every request for a chat with another constant."""
    numbers = count(1)

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            n = next(numbers)
            program = START.replace("0.4", f"{n}.5  # tuned")
            message = {"role": "assistant", "content": f"Another value.\n```python\n{program}```\n"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            found = {"id": str(n), "object": "chat.completion", "created": n, "model": "m"}
            body = json.dumps({**found, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def environment(package: str) -> Path | str:
    """The `bin` of an environment with a package; or why there is none."""
    base = os.environ.get("HONESTLY_PEERS") or Path.home() / ".cache" / "honestly" / "peers"
    folder = Path(base) / f"bench-{package}"
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", package]
        for command in ([sys.executable, "-m", "venv", folder], pip):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no reason given"
        (folder / "whole").touch()
    return folder / "bin"


def version(place: Path, package: str) -> str:
    program = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([place / "python", "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def openevolve(place: Path, folder: Path, url: str, judge, many: int, seconds: int, patience: int) -> Ran:
    """Some iterations of OpenEvolve."""
    files = {"program.py": START, "evaluator.py": JUDGE.format(start=judge[0], changed=judge[1])}
    write(folder, {**files, "config.yaml": OPENEVOLVE.format(url=url, seconds=seconds)})
    words = ["program.py", "evaluator.py", "--config", "config.yaml", "--output", "out", "--iterations", str(many)]
    return ran([place / "python", "-m", "openevolve.cli", *words], folder, patience)


def shinka(place: Path, folder: Path, url: str, judge, many: int, seconds: int, patience: int) -> Ran:
    """Some generations of ShinkaEvolve; the unchanged program is one more."""
    write(folder, {"task/initial.py": START, "task/evaluate.py": JUDGE.format(start=judge[0], changed=judge[1])})
    sets = {
        "evo.llm_models": json.dumps([f"local/m@{url}"]),
        "evo.embedding_model": "null", "evo.meta_rec_interval": "null",
        "evo.patch_types": '["full"]', "evo.patch_type_probs": "[1.0]", "job.time": f"00:00:{seconds:02}",
    }  # fmt: skip
    words = ["--task-dir", "task", "--results_dir", "out", "--num_generations", str(many + 1)]
    words += [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
    return ran([place / "shinka_run", *words], folder, patience)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def ran(command, folder: Path, patience: int) -> Ran:
    before, clock = spent(), time.time()
    with (folder / "log.txt").open("w") as log:
        job = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = job.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
        wall, left = time.time() - clock, True
        try:
            os.killpg(job.pid, signal.SIGKILL)
        except ProcessLookupError:
            left = False
        job.wait()
    return Ran(spent() - before, wall, code, left and code is not None, folder / "out")


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


PEERS = {"openevolve": (openevolve, (20, 110, 200)), "shinka-evolve": (shinka, (5, 25, 45))}
"""How each is run, and how many evaluations the three runs have whose differences are printed."""


def compare(root: Path) -> None:
    """Prints what each peer costs an evaluation, and what it does with an evaluator that hangs or says it timed out."""
    with answering() as url:
        for package, (run, sizes) in PEERS.items():
            place = environment(package)
            if isinstance(place, str):
                print(f"{package}: cannot be installed: {place}")
                continue
            name = f"{package} {version(place, package)}"
            print(f"{name}: {costs(run, place, root / package, url, sizes)}", flush=True)
            for what, judge in ODD.items():
                found = run(place, root / package / str(len(what)), url, judge, 3, 5, 180)
                ended = f"ended with {found.code}" if found.code is not None else "had not ended: killed"
                left = ", and left processes behind" if found.left else ""
                print(f"  {what}: 3 changes, {ended} after {found.wall:.0f} s{left}; {best(found)}", flush=True)


def costs(run, place: Path, root: Path, url: str, sizes) -> str:
    found = [run(place, root / str(many), url, NOTHING, many, 60, 1200) for many in sizes]
    if any(each.code != 0 for each in found):
        return f"it failed: {(root / str(sizes[0]) / 'log.txt').read_text()[-300:]}"
    first, last = (1000 * (found[at + 1].cpu - found[at].cpu) / (sizes[at + 1] - sizes[at]) for at in (0, 1))
    spans = f"{first:.1f} ms for {sizes[0]} to {sizes[1]}, {last:.1f} ms for {sizes[1]} to {sizes[2]}"
    return f"CPU an evaluation {spans}; a run of {sizes[0]} costs {found[0].cpu:.1f} s"


def best(found: Ran) -> str:
    """What stands as the best at the end."""
    for place in ("best/best_program.py", "best/main.py"):
        if (found.output / place).is_file():
            changed = "tuned" in (found.output / place).read_text()
            return f"its best is {'a change that was never measured' if changed else 'the unchanged program'}"
    return "it names no best"
