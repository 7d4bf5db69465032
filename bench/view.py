"""How soon does each page of the viewer show something useful, and how much memory does its server take?

A real `honestly view` in a process of its own, beside a real Chromium, on three studies: 100,000 trials; one
trajectory of 300,000 steps and 250 MB; 10,000 trials with words to find. Each page is opened three times; printed are
the median and the largest first contentful paint, as the browser reports it, how long all of the page took, and the
server's CPU meanwhile, which other programs of the machine disturb less.
Figures are computed by a process of their own, whose largest memory is printed beside the server's.

    python bench/view.py [--part many|long|words|inspect|first] [--small] [--keep FOLDER] [--inspect FOLDER] [STUDY ...]

The part `first` opens the overview of the 100,000 trials and of each STUDY, and an empty page beside it: when are the
sentence and the forest plot painted, once the study's figures are made?

With `--inspect`, Inspect's own viewer is measured on the same content: the 10,000 trials, and one sample with 20,000
events. Its environment is made in FOLDER if it is not there. Its first paint is an empty frame: compare `complete`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from inspect_logs import environment
from playwright.sync_api import Browser, sync_playwright
from view_inspect import inspect_served, write_log
from view_studies import NEEDLE, many_trials, one_trajectory

from honestly.store import open_study

CHROMIUM = "/usr/bin/chromium"
ROUNDS = 3
_PAINT = "performance.getEntriesByName('first-contentful-paint').map(paint => paint.startTime)"


class Memory(threading.Thread):
    """Watches a process and its children: the most that each kind held, in MB."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.server = self.figures = 0.0
        self.start()

    def run(self) -> None:
        while self.process.is_running():
            try:
                self.server = max(self.server, self.process.memory_info().rss / 1e6)
                for child in self.process.children(recursive=True):
                    self.figures = max(self.figures, child.memory_info().rss / 1e6)
            except psutil.Error:
                return
            time.sleep(0.05)


@contextmanager
def served(*paths: Path) -> Iterator[tuple[str, Memory]]:
    """A viewer of these studies: the address that opens it once, and its memory."""
    command = [sys.executable, "-m", "honestly", "view", *map(str, paths), "--no-browser"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as viewer:
        assert viewer.stdout is not None
        address = viewer.stdout.readline().strip()
        memory = Memory(psutil.Process(viewer.pid))
        try:
            yield address, memory
        finally:
            viewer.terminate()


def measured(browser: Browser, address: str, places: dict[str, tuple[str, str]], process: psutil.Process) -> None:
    """Print a line for each page: its paint, how long what is waited for took, and the server's CPU up to then."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    base = page.url.partition("#")[0]
    for name, (place, awaited) in places.items():
        paints, waits, cpu = [], [], []
        for _ in range(ROUNDS):
            page.goto("about:blank")
            begun, before = time.perf_counter(), process.cpu_times()
            page.goto(f"{base}{place}", wait_until="commit")
            page.wait_for_selector(awaited, state="attached", timeout=600_000)
            waits.append(time.perf_counter() - begun)
            after = process.cpu_times()
            cpu.append(after.user - before.user + after.system - before.system)
            page.wait_for_timeout(150)
            paints += page.evaluate(_PAINT)
        painted, waited = f"{statistics.median(paints):6.0f} {max(paints):7.0f}", [1000 * each for each in waits]
        spent = f"{1000 * min(cpu):9.0f} {1000 * max(cpu):6.0f}"
        print(f"  {name:34} {painted} {min(waited):9.0f} {max(waited):7.0f} {spent}", flush=True)
    context.close()


_EMPTY = "data:text/html,<p id=drawn>An empty page"
_SEEN = """new MutationObserver((_, seen) => {
    if (document.querySelector("#drawn, #scores-top figure.forest svg")) {
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
    }
}).observe(document, { childList: true, subtree: true });"""


def first_paints(browser: Browser, path: Path, rounds: int = 11) -> None:
    """Print when the sentence and the forest plot of a study are painted, beside an empty page, interleaved."""
    with served(path) as (address, _):
        context = browser.new_context()
        context.add_init_script(_SEEN)
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#scores-top", state="attached", timeout=600_000)
        base = page.url.partition("#")[0]
        times: dict[str, list[float]] = {base: [], _EMPTY: []}
        for _ in range(rounds):
            for place, found in times.items():
                page.goto("about:blank")
                page.goto(place, wait_until="commit")
                while not (seen := page.evaluate("window.paintedAt")):
                    page.wait_for_timeout(20)
                found.append(seen)
                page.wait_for_load_state("networkidle")  # the rest of the page; the next one is opened alone
        ours, empty = map(statistics.median, times.values())
        print(
            f"  {path.name:34} {ours:6.0f} ms, an empty page {empty:4.0f} ms, over it {ours - empty:4.0f} ms",
            flush=True,
        )
        context.close()


def main() -> None:
    """Make the studies where they are not kept, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("many", "long", "words", "inspect", "first"), help="One part alone.")
    parser.add_argument("--small", action="store_true", help="A tenth of everything, to try the program itself.")
    parser.add_argument("studies", nargs="*", type=Path, metavar="STUDY", help="More studies for the part `first`.")
    parser.add_argument("--keep", type=Path, help="Where the studies are kept for the next time.")
    parser.add_argument("--inspect", type=Path, metavar="FOLDER", help="Inspect's environment: its viewer, too.")
    asked = parser.parse_args()
    part = 10 if asked.small else 1
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = asked.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)

        def study(name: str, make: Callable[[Path], object]) -> Path:
            path = folder / f"{name}-{part}.honestly"
            if not path.exists():
                make(path)
            return path

        def words() -> Path:
            return study("words", lambda path: many_trials(path, 20 // part, 500))

        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        print(f"{'page':36} {'paint, ms':>10} {'most':>3} {'complete, ms':>12} {'most':>4} {'CPU, ms':>10} {'most':>5}")
        if asked.part in {None, "many", "first"}:
            many = study("many", lambda path: many_trials(path, 200 // part, 500))
        if asked.part in {None, "first"}:
            for path in (many, *asked.studies):
                first_paints(browser, path)
        if asked.part in {None, "many"}:
            _ours(browser, "100,000 trials", many, _many(many))
        if asked.part in {None, "long"}:
            long = study("long", lambda path: one_trajectory(path, 300_000 // part, (250 << 20) // part))
            _ours(browser, "300,000 steps, 250 MB", long, _long(long))
        if asked.part in {None, "words"}:
            _ours(browser, "10,000 trials", words(), {"find in all": (f"find?q={NEEDLE}", "main a[href*='/t/']")})
        if asked.inspect and asked.part in {None, "inspect"}:
            tall = study("tall", lambda path: one_trajectory(path, 10_001 // part, (8 << 20) // part))
            _ours(browser, "10,000 trials", words(), {"trials": ("trials", "tbody tr")})
            _ours(browser, "a trial of 10,000 calls", tall, {"trial": (f"t/{_first(tall)}", ".step")})
            _inspect(browser, environment(asked.inspect), folder / f"logs-{part}", words(), tall)
        browser.close()


def _ours(browser: Browser, title: str, path: Path, places: dict[str, tuple[str, str]]) -> None:
    print(f"{title} ({path.stat().st_size / 1e6:.0f} MB on the disk)")
    with served(path) as (address, memory):
        measured(browser, address, places, memory.process)
    print(f"  memory: server {memory.server:.0f} MB, figures {memory.figures:.0f} MB", flush=True)


def _inspect(browser: Browser, python: Path, logs: Path, words: Path, tall: Path) -> None:
    if not logs.exists():
        begun = logs.with_name("logs-begun")
        begun.mkdir(exist_ok=True)
        write_log(python, tall, begun / "tall.eval", events=True)
        write_log(python, words, begun / "words.eval")
        begun.rename(logs)
    print(f"Inspect's viewer, of the same ({sum(each.stat().st_size for each in logs.iterdir()) / 1e6:.0f} MB)")
    places = {
        "list of logs": ("#/logs", "text=words.eval"),
        "samples": ("#/logs/words.eval", "text=task-000"),
        "sample of 20,000 events": ("#/logs/tall.eval/samples/sample/task-000/1/transcript", "text=/turn 1\\//"),
    }
    with inspect_served(python, logs) as (address, process):
        memory = Memory(process)
        measured(browser, address, places, process)
    print(f"  memory: server {memory.server:.0f} MB", flush=True)


def _many(path: Path) -> dict[str, tuple[str, str]]:
    with open_study(path) as study:
        a, b = sorted(agent.name for agent in study.agents())[:2]
        task = next(iter(study.tasks())).id
    return {
        "overview": ("", "#grid"),
        "overview, with its figures": ("", "#scores-top"),
        "trials": ("trials", "tbody tr"),
        "trials, filtered and sorted": (f"trials?agent={a}&sort=-seconds", "tbody tr"),
        "trial": (f"t/{_first(path)}", ".step"),
        "compare": (f"compare?a={a}&b={b}", "#groups"),
        "compare, with its sentence": (f"compare?a={a}&b={b}", "#pair"),
        "compare a task": (f"compare/task?a={a}&b={b}&task={task}", ".side .step"),
        "review": ("review", "h1"),
        "running now": ("live", "h1"),
    }


def _long(path: Path) -> dict[str, tuple[str, str]]:
    trial = _first(path)
    return {
        "overview": ("", "#grid"),
        "trial": (f"t/{trial}", ".step"),
        "trial, its middle": (f"t/{trial}?step=150000", ".step.now"),
        "trial, its end": (f"t/{trial}?step=299999", ".step"),
        "trial, sums of the whole": (f"t/{trial}", ".sum[title]"),
    }


def _first(path: Path) -> str:
    with open_study(path) as study:
        return next(iter(study.trial_ids()))


if __name__ == "__main__":
    main()
