"""How soon does each page of the viewer show something useful, and how much memory does its server take?

A real `honestly view` in a process of its own, beside a real Chromium, on three studies: 100,000 trials; one
trajectory of 300,000 steps and 250 MB; 10,000 trials with words to find. Each page is opened three times; printed are
the median and the largest first contentful paint, as the browser reports it, and how long all of the page took.
Figures are computed by a process of their own, whose largest memory is printed beside the server's.

    python bench/view.py [--small] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, sync_playwright
from view_studies import NEEDLE, many_trials, one_trajectory

from honestly.store import open_study

CHROMIUM = "/usr/bin/chromium"
ROUNDS = 3
_PAINT = "performance.getEntriesByName('first-contentful-paint').map(paint => paint.startTime)"


class Memory(threading.Thread):
    """Watches a process and its children: the most that each kind held, in MB."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self._process = process
        self.server = self.figures = 0.0
        self.start()

    def run(self) -> None:
        while self._process.is_running():
            try:
                self.server = max(self.server, self._process.memory_info().rss / 1e6)
                for child in self._process.children(recursive=True):
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


def measured(browser: Browser, address: str, places: dict[str, tuple[str, str]]) -> Page:
    """Print a line for each page: its paint, and how long what is waited for took."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    base = page.url
    for name, (place, awaited) in places.items():
        paints, waits = [], []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            page.goto(f"{base}{place}", wait_until="commit")
            page.wait_for_selector(awaited, state="attached", timeout=120_000)
            waits.append(time.perf_counter() - begun)
            page.wait_for_timeout(150)
            paints += page.evaluate(_PAINT)
        painted, waited = f"{statistics.median(paints):6.0f} {max(paints):7.0f}", [1000 * each for each in waits]
        print(f"  {name:34} {painted} {min(waited):9.0f} {max(waited):7.0f}", flush=True)
    return page


def main() -> None:
    """Make the studies where they are not kept, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="A tenth of everything, to try the program itself.")
    parser.add_argument("--keep", type=Path, help="Where the studies are kept for the next time.")
    asked = parser.parse_args()
    part = 10 if asked.small else 1
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = asked.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        many, long, words = (folder / f"{name}-{part}.honestly" for name in ("many", "long", "words"))
        if not many.exists():
            many_trials(many, 200 // part, 500)
        if not long.exists():
            one_trajectory(long, 300_000 // part, (250 << 20) // part)
        if not words.exists():
            many_trials(words, 20 // part or 1, 500)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        print(f"{'page':36} {'paint, ms':>10} {'most':>3} {'complete, ms':>12} {'most':>4}")
        for name, path, places in (
            ("100,000 trials", many, _many(many)),
            ("300,000 steps, 250 MB", long, _long(long)),
            ("10,000 trials, find", words, {"find in all": (f"find?q={NEEDLE}", "main a[href*='/t/']")}),
        ):
            print(f"{name} ({path.stat().st_size / 1e6:.0f} MB on the disk)")
            with served(path) as (address, memory):
                measured(browser, address, places)
            print(f"  memory: server {memory.server:.0f} MB, figures {memory.figures:.0f} MB")
        browser.close()


def _many(path: Path) -> dict[str, tuple[str, str]]:
    with open_study(path) as study:
        trial = next(iter(study.trial_ids()))
        a, b = sorted(agent.name for agent in study.agents())[:2]
        task = next(iter(study.tasks())).id
    return {
        "overview": ("", "#grid"),
        "overview, with its figures": ("", "#scores-top"),
        "trials": ("trials", "tbody tr"),
        "trials, filtered and sorted": (f"trials?agent={a}&sort=-seconds", "tbody tr"),
        "trial": (f"t/{trial}", ".step"),
        "compare": (f"compare?a={a}&b={b}", "#groups"),
        "compare, with its sentence": (f"compare?a={a}&b={b}", "#pair"),
        "compare a task": (f"compare/task?a={a}&b={b}&task={task}", ".side .step"),
        "review": ("review", "h1"),
        "running now": ("live", "h1"),
    }


def _long(path: Path) -> dict[str, tuple[str, str]]:
    with open_study(path) as study:
        trial = next(iter(study.trial_ids()))
    return {
        "overview": ("", "#grid"),
        "trial": (f"t/{trial}", ".step"),
        "trial, its middle": (f"t/{trial}?step=150000", ".step.now"),
        "trial, its end": (f"t/{trial}?step=299999", ".step"),
        "trial, sums of the whole": (f"t/{trial}", ".sum[title]"),
    }


if __name__ == "__main__":
    main()
