"""Runs tests in other languages than Python inside a sandbox, and writes a reward for each test: 1 if it passed.

    python3 run_tests.py REWARDS    in the workspace; beside this file lie orders.json, files/ and maybe `backwards`

The task's test files are put back first. What failed is printed. Standard library only. Tests share their process with
the code that they test, which can make it say anything.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
_SCRATCH = Path("/tmp")
_SHOWN = 6000
_MOST_SLOW = 30
_TOOK: dict[str, float] = {}
"""Seconds of each test, where its runner says so."""
_ENV = {
    "HOME": "/tmp/home", "CI": "1", "NO_COLOR": "1", "FORCE_COLOR": "0", "TZ": "UTC", "GOCACHE": "/tmp/go-build",
    "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off",
    "GOMEMLIMIT": f"{max(350, resource.getrlimit(resource.RLIMIT_DATA)[0] * 7 // 10 >> 20)}MiB",
}  # fmt: skip
_NO_MEMORY = re.compile(
    r"out of memory|cannot allocate memory|memory exhausted|bad_alloc|\bENOMEM\b|Killed signal terminated|"
    r"signal=SIGKILL|ERR_WORKER_OUT_OF_MEMORY|\bMemoryError\b",
    re.IGNORECASE,
)
_STARVED: list[str] = []
"""The words of programs that had too little memory."""
Found = Iterator[tuple[str, str, str]]
"""Id, status and words of each test."""


def main(rewards: Path) -> None:
    """Runs everything, and writes what came of each test."""
    orders = json.loads((HERE / "orders.json").read_text("utf-8"))
    _put_back(orders)
    backwards, at = (HERE / "backwards").exists(), f"{orders['at']}/" if orders.get("at") else ""
    os.chdir(at or ".")
    if orders.get("builds"):
        _ENV["PATH"] = f"/node_modules/.bin:{os.environ['PATH']}"
    for command in orders.get("builds", ()):
        _said(["sh", "-c", command])
    said: dict[str, list[tuple[str, str]]] = {}
    for name, status, words in _KINDS[orders["kind"]](orders, backwards):
        said.setdefault(at + name, []).append((status, words))
    passed = {name: float(all(status == "passed" for status, _ in each)) for name, each in said.items()}
    kept = {name: each for name, each in passed.items() if any(status != "skipped" for status, _ in said[name])}
    for name in (name for name, good in kept.items() if not good):
        print(f"{name} failed: {' '.join(words for _, words in said[name])[:600]}")
    slowest = sorted(_TOOK.items(), key=lambda each: -each[1])[:_MOST_SLOW]
    print(f"\nslowest: {json.dumps([[name, round(seconds, 2)] for name, seconds in slowest if seconds > 0.05])}")
    failed = [words for each in said.values() for status, words in each if status == "failed"]
    if starved := [*_STARVED, *filter(_NO_MEMORY.search, failed)]:
        print(f"ran out of memory: {starved[0][-300:]}")
    rewards.parent.mkdir(parents=True, exist_ok=True)
    rewards.write_text(json.dumps(kept), "utf-8")


def _put_back(orders: dict[str, Any]) -> None:
    """The tests as the task has them, and none beside them where others would be compiled with them."""
    for path in orders["without"]:
        shutil.rmtree(path, ignore_errors=True)
    for name, folder in orders.get("links", {}).items():
        link = Path("node_modules", name)
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(Path(folder).resolve())
    for path in orders["paths"] if orders["kind"] == "go" else ():
        for other in Path(orders.get("at", "."), path).glob("*_test.go"):
            other.unlink()
    for file in (HERE / "files").rglob("*"):
        if file.is_file():
            place = Path(file.relative_to(HERE / "files"))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)  # it may be a link that leads nowhere
            shutil.copy(file, place)


def _run(argv: list[str]) -> str:
    """Standard output of a command; its other words are printed."""
    Path(_ENV["HOME"]).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(argv, capture_output=True, check=False, env={**os.environ, **_ENV}, stdin=subprocess.DEVNULL)
    said, text = (each.decode("utf-8", "replace") for each in (done.stderr, done.stdout))
    print(said[-_SHOWN:])
    _note_memory(done.returncode, f"{said}\n{text}")
    return text


def _note_memory(code: int, text: str) -> None:
    """Keeps the words of a command that had too little memory, or that the kernel killed for it."""
    found = next((line for line in text.splitlines() if _NO_MEMORY.search(line)), "")
    if code and (found or code in (-signal.SIGKILL, 128 + signal.SIGKILL)):
        _STARVED.append(found or "it was killed")


def _go(orders: dict[str, Any], backwards: bool) -> Found:
    for path in orders["paths"]:
        yield from _of_go([*orders["argv"], f"./{path}"], path)
        # One that panics in another order ends the process: of those after it, the usual order says enough.
        yield from _of_go([*orders["argv"], "-shuffle=2", f"./{path}"], path) if backwards else ()


def _of_go(argv: list[str], path: str) -> Found:
    words: dict[str, list[str]] = {}
    begun: dict[str, None] = {}
    for line in _run([*argv[:-1], "-json", "-count=1", argv[-1]]).splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            print(line)
            continue
        test, action = event.get("Test"), event.get("Action")
        if test is None:
            print(event.get("Output", ""), end="")
        elif action == "run":
            begun[test] = None
        elif action == "output":
            words.setdefault(test, []).append(event["Output"].strip())
        elif action in ("pass", "fail", "skip"):
            begun.pop(test, None)
            _TOOK[f"{path}::{test}"] = float(event.get("Elapsed") or 0)
            status = {"pass": "passed", "fail": "failed", "skip": "skipped"}[action]
            yield f"{path}::{test}", status, " ".join(words.get(test, ()))
    for test in begun:  # the process ended first, and nobody knows of those after it
        yield f"{path}::{test}", "failed", " ".join(words.get(test, ()))


def _jest(orders: dict[str, Any], backwards: bool) -> Found:
    """Of jest and of vitest, which reports the same."""
    place = _SCRATCH / "results.json"
    place.unlink(missing_ok=True)
    print(_run([*orders["argv"], *(_shuffled(orders["kind"]) if backwards else []), *orders["paths"]])[-_SHOWN:])
    results = json.loads(place.read_text("utf-8"))["testResults"] if place.exists() else []
    for file in results:
        path = os.path.relpath(file["name"])
        print(str(file.get("message") or "")[:_SHOWN])
        for test in file["assertionResults"]:
            name = " > ".join(map(str, [*test["ancestorTitles"], test["title"]]))  # a title may be a list
            status = {"passed": "passed", "failed": "failed"}.get(test["status"], "skipped")
            _TOOK[f"{path}::{name}"] = float(test.get("duration") or 0) / 1000
            yield f"{path}::{name}", status, " ".join(test.get("failureMessages") or ())


def _shuffled(kind: str) -> list[str]:
    if kind == "vitest":
        return ["--sequence.shuffle", "--sequence.seed=2"]
    package = Path("/node_modules/jest/package.json")
    version = json.loads(package.read_text("utf-8"))["version"] if package.exists() else "0"
    return ["--randomize", "--seed=2"] if int(version.partition(".")[0]) >= 30 else []


def _mocha(orders: dict[str, Any], backwards: bool) -> Found:  # noqa: ARG001 - it has no order but its own
    for path in orders["paths"]:
        text = _run([*orders["argv"], "--reporter", "json", path])
        start = text.find('{\n  "stats"')
        try:
            found = json.JSONDecoder().raw_decode(text[max(start, 0) :])[0]
        except ValueError:
            print(text[-_SHOWN:])
            continue
        for kind, status in (("passes", "passed"), ("failures", "failed"), ("pending", "skipped")):
            for test in found[kind]:
                _TOOK[f"{path}::{test['fullTitle']}"] = float(test.get("duration") or 0) / 1000
                yield f"{path}::{test['fullTitle']}", status, str(test["err"].get("message", ""))


_REPORTER = """
const {appendFileSync} = require("fs"), suites = [];
jasmine.getEnv().addReporter({
  suiteStarted(suite) { suites.push(suite.description); },
  suiteDone() { suites.pop(); },
  specDone(spec) {
    const name = [...suites, spec.description].join(" > "), words = spec.failedExpectations.map(each => each.message);
    const row = {name, status: spec.status, words: words.join(" "), seconds: (spec.duration || 0) / 1000};
    appendFileSync("RESULTS", JSON.stringify(row) + "\\n");
  },
});
"""


def _jasmine(orders: dict[str, Any], backwards: bool) -> Found:
    place = _SCRATCH / "results.json"
    (_SCRATCH / "reporter.cjs").write_text(_REPORTER.replace("RESULTS", str(place)), "utf-8")
    order = ["--random=true", "--seed=2"] if backwards else ["--random=false"]
    for path in orders["paths"]:
        place.unlink(missing_ok=True)
        print(_run([*orders["argv"], *order, path])[-_SHOWN:])
        for row in map(json.loads, place.read_text("utf-8").splitlines() if place.exists() else ()):
            status = {"passed": "passed", "failed": "failed"}.get(row["status"], "skipped")
            _TOOK[f"{path}::{row['name']}"] = row["seconds"]
            yield f"{path}::{row['name']}", status, row["words"]


def _script(orders: dict[str, Any], backwards: bool) -> Found:  # noqa: ARG001 - it has no order but its own
    """Of a program that runs all tests, and of each file of tests alone: the exit status, and the whole's summary."""
    _ENV["NODE_ENV"] = "test"
    whole = [orders["argv"]] if orders["kind"] == "script" else []
    for argv in [*whole, *([*orders["argv"][: -len(whole) or None], path] for path in orders["paths"])]:
        code, text = _said(argv)
        failed = code != 0 or (argv in whole and _summary_fails(text))
        yield " ".join(argv), "failed" if failed else "passed", text[-300:]


def _node(orders: dict[str, Any], backwards: bool) -> Found:  # noqa: ARG001 - it has no order but its own
    """Of `node --test`, whose results are TAP."""
    for path in orders["paths"]:
        text = _run([*orders["argv"], path])
        yield from _of_tap(text, path)
        if "\nnot ok" in text:
            print(text[-_SHOWN:])


def _tap(orders: dict[str, Any], backwards: bool) -> Found:  # noqa: ARG001 - it has no order but its own
    """Of other programs that print TAP: one that ends badly, and reports no failure, broke in its last test."""
    for path in orders["paths"]:
        code, text = _said([*orders["argv"], path])
        rows = list(_of_tap(text, path))
        yield from rows
        if code and rows and all(status != "failed" for _, status, _ in rows):
            yield rows[-1][0], "failed", text[-300:]


def _of_tap(text: str, path: str) -> Found:
    """Tests in TAP: what is below one is indented by four, or is the assertions that follow its name in a comment."""
    above, group = list[str](), ""
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip(" "))) // 4
        if named := re.match(r" *# Subtest: (.*)", line):
            above[depth:] = [named[1]]
        elif result := re.match(
            r" *(not )?ok \d+(?:(?: -)? (?!# )(.*?))?( # (?:SKIP|TODO).*)?(?: # time=.*)?(?: \{)?$", line
        ):
            names = [*above[:depth], group or re.sub(r"^\(\d+\) ", "", result[2] or "")]
            names = names[1:] if names[0].endswith(Path(path).name) else names
            status = "skipped" if result[3] else "failed" if result[1] else "passed"
            if names and not (group and status == "skipped"):
                yield f"{path}::{' > '.join(names)}", status, ""
        elif not above and (named := re.match(r"# (?!(?:tests|pass|fail|skip\w*|todo)\s+\d|ok$)(.+)", line)):
            group = named[1]


def _tsd(orders: dict[str, Any], backwards: bool) -> Found:
    """Of tsd, which compiles a file of tests as one."""
    paths = [path for path in orders["paths"] if re.search(r"(?:^|/)tests?-d/|\.test-d\.", path)]
    for path in reversed(paths) if backwards else paths:
        code, text = _said([*orders["argv"], "--files", path])
        yield path, "failed" if code else "passed", text[-300:]


_CC = '#!/bin/sh\nexec /usr/bin/{} "$@" -w -Wno-error{}\n'
"""A compiler whose warnings are no errors: newer ones warn of more than older projects knew."""
_RESULTS = (
    (re.compile(r"\s*\d+/\d+ Test +#\d+: (?P<name>.+?) \.{2,} *\**(?P<said>[A-Z]\w+)"), "ctest "),
    (re.compile(r"\s*\d+/\d+ (?P<name>\S.*?) {2,}(?P<said>OK|FAIL|SKIP|TIMEOUT|ERROR|EXPECTEDFAIL) +[\d.]+s"), ""),
    (re.compile(r"(?P<said>PASS(?:ED)?|FAIL(?:ED)?|XPASS|XFAIL|SKIP|ERROR): (?P<name>\S*[^\W\d].*)"), ""),
    (re.compile(r"(?:\d+: )?(?P<said>ok|not ok) \d+(?: -)? (?P<name>[^#\s][^#]*)"), ""),
    (re.compile(r"(?:\d+: )?\[ *(?P<said>OK|FAILED|SKIPPED) *\] (?P<name>[\w./:]+)"), ""),
    (re.compile(r"(?:\d+: )?[^\s:]+:\d+:(?P<name>\w+):(?P<said>PASS|FAIL|IGNORE)"), ""),
)
"""What says the result of one test: ctest, meson, automake, TAP, googletest and cmocka, Unity."""
_FAILURES = re.compile(r"\b(?:fail(?:ed|ures?)?|errors?) *[:=] *[1-9]\d*\b", re.IGNORECASE)
_SHARE = re.compile(r"\b(\d+) (?:out )?of (\d+) (?:\w+ )?pass")
"""Summaries of what failed, by a program whose exit status may say nothing."""
_SAID = {"passed": "passed", "pass": "passed", "ok": "passed", "xfail": "passed", "expectedfail": "passed",
         **dict.fromkeys(("skipped", "skip", "disabled", "ignore"), "skipped")}  # fmt: skip


def _c(orders: dict[str, Any], backwards: bool) -> Found:  # noqa: ARG001 - it has no order but its own
    """Of C: built in a copy, in which what was built before is older than every source. The last step is the tests."""
    tools, copy = _SCRATCH / "tools", _SCRATCH / "work"
    for folder in (copy, _SCRATCH / "built"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(".", copy, symlinks=True)
    for path in copy.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                made = file.read(8).startswith((b"\x7fELF", b"!<arch>"))
            os.utime(path, (1e9, 1e9) if made else (1.5e9, 1.5e9))
    tools.mkdir(exist_ok=True)
    for name in ("cc", "gcc", "c++", "g++"):
        real = {"cc": "gcc", "c++": "g++"}.get(name, name)
        (tools / name).write_text(_CC.format(real, " -fcommon" if real == "gcc" else ""))
        (tools / name).chmod(0o755)
    _ENV["PATH"] = f"{tools}:{os.environ['PATH']}"
    os.chdir(copy)
    *builds, tests = orders["steps"]
    for step in [*builds, tests]:
        code, text = _said(step)
        if code and step is not tests:
            faults = [line for line in text.splitlines() if "error" in line.lower()]
            yield " ".join(tests), "failed", f"{' '.join(step)} failed: {' '.join(faults[:3]) or text[-300:]}"
            return
    failed = code != 0 or "No tests were found" in text or _summary_fails(text)
    for line in text.splitlines():
        for pattern, before in _RESULTS:
            if found := pattern.match(line):
                status = _SAID.get(found["said"].lower(), "failed")
                failed |= status == "failed"
                yield before + found["name"].strip(), status, ""
                break
    yield " ".join(tests), "failed" if failed else "passed", text[-300:]


def _summary_fails(text: str) -> bool:
    return _FAILURES.search(text) is not None or any(some != every for some, every in _SHARE.findall(text))


def _said(argv: list[str]) -> tuple[int, str]:
    """Exit status of a command, and all that it said, which is printed too."""
    Path(_ENV["HOME"]).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env={**os.environ, **_ENV},
        stdin=subprocess.DEVNULL,
    )
    text = done.stdout.decode("utf-8", "replace")
    print(text[-_SHOWN:])
    _note_memory(done.returncode, text)
    return done.returncode, text


_KINDS = {
    "c": _c,
    "go": _go,
    "jest": _jest,
    "vitest": _jest,
    "mocha": _mocha,
    "node": _node,
    "tsd": _tsd,
    "jasmine": _jasmine,
    "script": _script,
    "files": _script,
    "tap": _tap,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
