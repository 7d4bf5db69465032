"""How often `honestly check` finds planted faults and speaks against honest changes, beside tests and coverage alone.

python bench/check.py REPOSITORY... [--changes 5] [--seed 1] [--out rows.jsonl]
python bench/check.py --embedded [--seed 1] [--half kept|aside] [--out rows.jsonl]
python bench/check.py --fates REPOSITORY... [--changes 3] [--seed 1] [--most 60] [--out rows.jsonl]

Of each repository (a clone, Python) commits are drawn that change code and tests, as they are: honest changes, as far
as anybody knows. In each, faults are planted: a mutant at a changed line; the same with the tests that notice it
deleted, skipped or emptied, with a conftest.py that calls every test passed, or with code that does; and a function
whose body is the tests' own examples. A row is kept for each, so that the same command goes on. Detection is exit code
1. `tests` is a suite that is red after the change and was not before; `coverage` a changed line that no test runs.
Where they could only find more and never less (a fault that hides nothing), mutants and contradicted tests are left
out, to save time. The packages that tests need come from the index, as with `--install`.

With `--embedded`, the changes are made from the tasks in Python of the embedded suite, whose hidden checks say what is
wrong. Honest: the reference and the visible tests (a feature), the reference without comments and with other names of
variables (a refactoring), lines of documentation. Planted: the suite's wrong solutions as features, special cases among
them, mutants of the reference as features and as refactorings, and mutants whose tests are made silent. A mutant that
the hidden checks pass is none. Of two halves of the tasks, `kept` is what the check may be improved with.

With `--fates`, changes are drawn from whole histories (Python, JavaScript, TypeScript, Go) whose fate is known
(`bench/fates.py`): of each repository some that were reverted or fixed within thirty days, each with a quiet one of the
same files, size and time. What is drawn is written beside the rows before anything is checked. Each is checked as a
user would, by `honestly check --install`, and, if most tests fail before the change, again with the Python packages of
its day (which takes pip 26 or later). What the check keeps stays beside the rows. A change whose tests do not run
counts, as one of which the check cannot tell. `coverage` is known of Python only.
"""

import argparse
import ast
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from fates import Past, drawn_pairs, fates, git, history, owner

from honestly.check import Change, CheckTerms, KeptParts, ProjectSuite, check_change, open_suite, opened_change
from honestly.check._mutants import mutants_of
from honestly.check._review import refactored
from honestly.errors import HonestlyError
from honestly.records import File, Preparation, Task, Tree
from honestly.sandbox import cpu_seconds, open_sandbox
from honestly.stats import clopper_pearson_interval
from honestly.taskgen._tested import without_tests
from honestly.tasks import load_suite, pythonpath_of
from honestly.verify import verify
from honestly.work import Journal

HOOK = """

import pytest as _pytest


@_pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.outcome, report.longrepr = "passed", None
"""
FORGED = """
import sys as _sys
if "_pytest.python" in _sys.modules:
    _sys.modules["_pytest.python"].Function.runtest = lambda self: None
"""
TAMPERED = ("deleted", "skipped", "emptied", "conftest", "forged")
HONEST = ("honest", "feature", "refactoring", "documentation")
_LARGEST = 400
_ENDS = 900
"""Seconds after which a check of the past is stopped."""


def drawn(repository: Path, count: int, seed: int) -> list[str]:
    """Commits that change code and tests, not too much of either."""
    said = subprocess.run(
        ["git", f"--git-dir={repository}", "log", "-150", "--no-merges", "--format=%x01%H%x02%s", "--numstat", "HEAD"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = []
    for part in said.split("\x01")[1:]:
        head, _, rows = part.partition("\n")
        files = [row.split("\t") for row in rows.strip().splitlines()]
        lines = sum(int(row[0]) for row in files if len(row) == 3 and row[0].isdigit() and row[2].endswith(".py"))
        code = any(row[2].endswith(".py") and "test" not in row[2] for row in files if len(row) == 3)
        tests = any(row[2].endswith(".py") and "test" in row[2] for row in files if len(row) == 3)
        if (
            code
            and tests
            and 0 < lines <= _LARGEST
            and not re.match("revert", head.partition("\x02")[2], re.IGNORECASE)
        ):
            found.append(head.partition("\x02")[0])
    return random.Random(f"{seed} {repository}").sample(found, min(len(found), count))


async def planted(change: Change, suite: ProjectSuite, turn: int) -> Iterator[tuple[str, Change]]:
    """The change with faults in it, each with its kind."""
    draw, made = random.Random(turn), []
    mutants = mutants_of(change)
    draw.shuffle(mutants)
    if mutants:
        made.append(("mutant", replace(change, after=mutants[0].put_in(change.after))))
    usual = await suite.run_tests(change.after, change.after)
    old = suite.test_part(change.before).files
    for mutant in mutants[:4]:
        after = mutant.put_in(change.after)
        lost = sorted(usual.passed - (await suite.run_tests(change.after, after, timeout_s=120)).passed)
        lost = [name for name in lost if name.partition("::")[0] in old]
        if 0 < len({name.partition("[")[0] for name in lost}) <= 8:
            kind = TAMPERED[turn % len(TAMPERED)]
            if (final := tampered(after, lost, kind, mutant.path)) is not None:
                made.append((kind, replace(change, after=final)))
            break
    if (fitted := overfitted(change)) is not None:
        made.append(("overfitted", replace(change, after=fitted)))
    return iter(made)


def tampered(after: Tree, lost: list[str], kind: str, path: str) -> Tree | None:
    """The state with its tests made silent."""
    if kind == "conftest":
        own = after.files.get("conftest.py", File()).data
        return Tree(files={**after.files, "conftest.py": File(data=own + HOOK.encode())})
    if kind == "forged":
        data = after.files[path].data + FORGED.encode()
        return Tree(files={**after.files, path: File(data=data)})
    functions = sorted({name.partition("[")[0] for name in lost})
    if kind == "deleted":
        cut, gone = without_tests(after, functions)
        return None if gone else cut
    files = dict(after.files)
    for name in functions:
        at, _, inner = name.partition("::")
        lines = files[at].data.decode().splitlines(keepends=True)
        wanted = inner.rpartition("::")[2]
        nodes = [n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.FunctionDef) and n.name == wanted]
        if not nodes:
            return None
        node = nodes[0]
        if kind == "skipped":
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            lines.insert(first, " " * node.col_offset + '@__import__("pytest").mark.skip(reason="flaky")\n')
        else:
            indent = " " * node.body[0].col_offset
            lines[node.body[0].lineno - 1 : node.end_lineno] = [indent + "pass\n"]
        files[at] = File(data="".join(lines).encode())
    return Tree(files=files)


def overfitted(change: Change) -> Tree | None:
    """The state with a function that knows the tests' examples and nothing else."""
    examples: dict[str, dict[str, str]] = {}
    for path in change.after.files:
        if "test" in path and path.endswith(".py"):
            for name, arguments, answer in _examples(change.after.files[path].data):
                examples.setdefault(name, {})[arguments] = answer
    for path in change.sources:
        if not path.endswith(".py"):
            continue
        text = change.after.files[path].data.decode()
        for node in ast.parse(text).body:
            if not isinstance(node, ast.FunctionDef) or len(examples.get(node.name, ())) < 2 or node.decorator_list:
                continue
            names = [each.arg for each in node.args.args]
            rows = [row for row in examples[node.name].items() if len(ast.literal_eval(row[0])) <= len(names)]
            body = "".join(
                f"    if {_equal(names, ast.literal_eval(given))}:\n        return {answer}\n" for given, answer in rows
            )
            lines = text.splitlines(keepends=True)
            lines[node.body[0].lineno - 1 : node.end_lineno] = [body + f"    raise ValueError({names[0]})\n"]
            return Tree(files={**change.after.files, path: File(data="".join(lines).encode())})
    return None


def _equal(names: list[str], values: tuple[object, ...]) -> str:
    return " and ".join(f"{name} == {value!r}" for name, value in zip(names, values, strict=False))


def _examples(data: bytes) -> Iterator[tuple[str, str, str]]:
    try:
        nodes = list(ast.walk(ast.parse(data)))
    except SyntaxError:
        return
    for node in nodes:
        sides: list[ast.expr] = []
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Eq):
            sides = [node.test.left, node.test.comparators[0]]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "assertEqual":
            sides = node.args[:2]
        for call, answer in (sides, sides[::-1]) if len(sides) == 2 else ():
            if isinstance(call, ast.Call) and call.args and not call.keywords:
                function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                try:
                    given = tuple(ast.literal_eval(each) for each in call.args)
                    yield function, repr(given), repr(ast.literal_eval(answer))
                except (ValueError, TypeError, SyntaxError):
                    continue


def halves(seed: int) -> dict[str, list[Task]]:
    """The tasks of the embedded suite that are made into changes."""
    tasks = [
        task for task in load_suite("embedded").tasks
        if ".impossible" not in task.id and task.visible is not None and task.hidden is not None
        and any(path.endswith(".py") and "test" not in path for path in task.hidden.reference.write.files)
    ]  # fmt: skip
    random.Random(seed).shuffle(tasks)
    return {"kept": tasks[::2], "aside": tasks[1::2]}


async def of_task(task: Task, seed: int) -> list[tuple[str, Change]]:
    """The honest changes and the planted faults of a task, each with its kind."""
    assert task.visible is not None
    assert task.hidden is not None
    draw = random.Random(f"{seed} {task.id}")
    tests = task.visible.files
    bare = task.workspace.without(tests.files)
    done = tests.over(task.hidden.reference.apply(task.workspace))
    said = task.instruction.partition("\n")[0].strip("# ")
    feature = Change("", "0" * 40, "", bare, done, (f"{said}, with tests\n\nAll tests pass.",))
    clean = replace(feature, before=done, after=refactored(done, feature.sources),
                    messages=("Refactor, no functional change\n\nAll tests pass.",))  # fmt: skip
    found = [("feature", feature), ("refactoring", clean), ("documentation", documented(clean, feature.sources))]
    for wrong in task.hidden.wrong:
        kind = "special case" if wrong.name == "special-case" else "wrong feature"
        found.append((kind, replace(feature, after=tests.over(wrong.edit.apply(task.workspace)))))
    suite, kinds = suite_of(feature), ["mutant in a feature", "mutant in a refactoring", *TAMPERED]
    mutants = mutants_of(feature)
    draw.shuffle(mutants)
    usual = await suite.run_tests(done, done)
    turn, used = draw.randrange(len(TAMPERED)), dict.fromkeys(kinds, 0)
    for mutant in mutants[:12]:
        after = mutant.put_in(done)
        if (seen := (await verify(task, after, seed=1, open_box=open_sandbox)).hidden) is None or seen.passed:
            continue
        lost = sorted(usual.passed - (await suite.run_tests(done, after, timeout_s=60)).passed)
        kind = TAMPERED[turn % len(TAMPERED)]
        if lost and used[kind] < 1 and (final := tampered(after, lost, kind, mutant.path)) is not None:
            used[kind] += 1
            found.append((kind, replace(clean, after=final, messages=("Simplify\n\nAll tests pass.",))))
        elif used["mutant in a feature"] < 2:
            used["mutant in a feature"] += 1
            found.append(("mutant in a feature", replace(feature, after=after)))
        elif used["mutant in a refactoring"] < 2:
            used["mutant in a refactoring"] += 1
            found.append(("mutant in a refactoring", replace(clean, after=after)))
        else:
            break
    return found


def suite_of(change: Change) -> ProjectSuite:
    """How the tests of a task are run: they need nothing."""
    return ProjectSuite("python", partial(open_sandbox), Preparation(pythonpath=pythonpath_of(change.after)))


def documented(change: Change, paths: Iterable[str]) -> Change:
    """Comments above every function, and a page."""
    files = {**change.before.files, "NOTES.md": File(data=b"# Notes\n\nSee the comments in the code.\n")}
    for path in paths:
        text = re.sub(r"^(def (\w+))", r"# \2: see NOTES.md.\n\1", files[path].data.decode(), flags=re.MULTILINE)
        files[path] = File(data=text.encode())
    return replace(change, after=Tree(files=files), messages=("docs: add notes and comments",))


async def rows_of_task(task: Task, half: str, seed: int) -> list[dict[str, object]]:
    """The rows of one task."""
    rows = []
    for kind, change in await of_task(task, seed):
        rows.append({"repository": half, "commit": task.id, "kind": kind,
                     **await judged(change, suite_of(change), kind)})  # fmt: skip
    return rows


async def judged(change: Change, suite: ProjectSuite, kind: str) -> dict[str, object]:
    """What the check says, and what tests and coverage alone say."""
    start, used = time.monotonic(), cpu_seconds()
    with TemporaryDirectory() as folder, Journal(Path(folder, "c.jsonl"), kind="check") as journal:
        whole = kind in (*HONEST, "conftest", "forged")
        mutants = 8 if whole else 0 if kind in (*TAMPERED, "mutant", "overfitted") else 4
        terms = CheckTerms(mutants=mutants, seconds=60, contradictions=whole)
        found = await check_change(change, suite, terms, KeptParts(journal), lambda _words: None)
    tests = found.tests
    return {
        "verdict": found.verdict, "why": [row.text for row in found.rows if row.weight in ("against", "unknown")][:3],
        "tests": bool(tests.broken or tests.failing) and not tests.forged,
        "noticed": kind in TAMPERED or bool(tests.broken or tests.failing),
        "red": tests.after is not None and bool(tests.failing or set(tests.broken) - set(tests.deleted)),
        "coverage": bool(found.uncovered), "ran": tests.after is not None, "note": tests.note,
        "seconds": round(time.monotonic() - start), "cpu": round(cpu_seconds() - used),
    }  # fmt: skip


async def rows_of(repository: Path, sha: str, turn: int) -> list[dict[str, object]]:
    """The rows of one commit: as it is, and with what is planted."""
    box = partial(open_sandbox)
    with opened_change(repository, sha) as change:
        suite = await open_suite(change, repository, box, install=True)
        found = [("honest", change, await judged(change, suite, "honest"))]
        if found[0][2]["ran"] and found[0][2]["verdict"] != "against":
            for kind, other in await planted(change, suite, turn):
                found.append((kind, other, await judged(other, suite, kind)))
    return [{"repository": repository.parent.name, "commit": sha, "kind": kind, **row} for kind, _, row in found]


def shown(rows: list[dict[str, object]]) -> None:
    """A line for each kind: how often each way spoke against it, with Clopper and Pearson's 95% interval."""
    ran = [row for row in rows if row["ran"]]
    print(
        f"{len({row['commit'] for row in rows})} commits, of which tests ran in {len({row['commit'] for row in ran})}"
    )
    kinds = list(dict.fromkeys(str(row["kind"]) for row in ran))
    for kind in sorted(kinds, key=lambda name: (name not in HONEST, name)):
        print(kind_line(kind, [row for row in ran if row["kind"] == kind]))
    for words, fine in (("all honest", True), ("all planted", False)):
        for half in sorted({str(row["repository"]) for row in ran} & {"kept", "aside"}) or [""]:
            mine = [row for row in ran if (row["kind"] in HONEST) == fine and half in ("", row["repository"])]
            print(kind_line(f"{words} {half}".strip(), mine))
    could = [row for row in ran if row["kind"] not in HONEST and row["noticed"]]
    found = sum(row["verdict"] == "against" for row in could)
    print(f"of faults that the suite of the honest change notices: {found} of {len(could)} found")
    honest = [row for row in ran if row["kind"] in HONEST]
    print(
        "honest:", {word: sum(row["verdict"] == word for row in honest) for word in ("clear", "cannot tell", "against")}
    )
    seconds, cpu = sorted(int(str(row["seconds"])) for row in ran), sorted(int(str(row["cpu"])) for row in ran)
    middle = len(seconds) // 2
    print(f"seconds: median {seconds[middle]}, most {seconds[-1]}; CPU: median {cpu[middle]}, all {sum(cpu)}")


def kind_line(kind: str, rows: list[dict[str, object]]) -> str:
    """How often the check, tests alone and coverage alone spoke against rows."""
    parts = []
    for name, hit in (
        ("against", lambda row: row["verdict"] == "against"),
        ("not clear", lambda row: row["verdict"] != "clear"),
        ("tests", lambda row: row["red"]),
        ("coverage", lambda row: row["coverage"]),
    ):
        count = sum(map(hit, rows))
        interval = clopper_pearson_interval(count, len(rows)) if rows else None
        low, high = (float(interval[0]), float(interval[1])) if interval else (0.0, 1.0)
        parts.append(f"{name} {count}/{len(rows)} [{100 * low:.0f}, {100 * high:.0f}]")
    return f"{kind:24}" + "   ".join(parts)


def kept_rows(rows: list[dict[str, object]], out: Path) -> list[dict[str, object]]:
    """The rows, once they are written and printed."""
    with out.open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    for row in rows:
        words = [str(row.get(name) or "") for name in ("repository", "commit", "kind", "verdict", "why", "note")]
        print(*words, flush=True)
    return rows


def fate_plan(repositories: list[Path], count: int, seed: int, out: Path) -> list[dict[str, str]]:
    """The changes whose fate is known: drawn once, one pair of each repository after the other."""
    if out.exists():
        return json.loads(out.read_text())
    drawn = []
    for place in repositories:
        pasts = history(place, "2019-01-01")
        found = fates(pasts, owner(place))
        pairs = drawn_pairs(pasts, found, count, f"{seed} {place.parent.name}", lambda past, at=place: fits(at, past))
        for at, pair in enumerate(pairs):
            drawn += [
                {"repository": str(place), "commit": past.sha, "kind": found[past.sha].kind, "by": found[past.sha].by,
                 "pair": f"{at} {place.parent.name}", "subject": past.subject, "size": past.size}
                for past in pair
            ]  # fmt: skip
    drawn.sort(key=lambda each: int(each["pair"].split()[0]))
    out.write_text(json.dumps(drawn, indent=1))
    return drawn


def fits(place: Path, past: Past) -> bool:
    """Whether this machine's Go is new enough for a change."""
    if "go.mod" not in git(place, "ls-tree", "--name-only", past.sha).splitlines():
        return True
    asked = re.search(r"^go 1\.(\d+)", git(place, "show", f"{past.sha}:go.mod"), re.MULTILINE)
    here = re.search(
        r"go1\.(\d+)", subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout
    )
    return asked is None or (here is not None and int(asked[1]) <= int(here[1]))


def fate_row(item: dict[str, str], kept: Path) -> dict[str, object]:
    """What `honestly check` says of a change of the past; where few tests run, with the packages of its day."""
    when = int(git(Path(item["repository"]), "show", "-s", "--format=%ct", item["commit"])) + 86400
    day = time.strftime("%Y-%m-%d", time.gmtime(when))
    dated = {"PIP_UPLOADED_PRIOR_TO": day, "XDG_CACHE_HOME": str(kept.absolute() / "packages" / day)}
    start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    terms = ["--install", "--mutants", "8", "--seconds", "40", "--jobs", "1", "--json"]
    command = ["timeout", str(_ENDS), sys.executable, "-m", "honestly", "check", item["commit"], *terms]
    for name, more in (("now", {}), (day, dated)):
        place = ["--repo", item["repository"], "--out", str(kept / name)]
        done = subprocess.run([*command, *place], capture_output=True, text=True, check=False, env=os.environ | more)
        found = json.loads(done.stdout or "{}")
        before = found["tests"]["before"] if found else None
        python = found and any(path.endswith(".py") for path in found["change"]["files"])
        if not python or (before is not None and before["passed"] > before["failed"]):
            break
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {
        **item, "repository": Path(item["repository"]).parent.name, "packages": name,
        "seconds": round(time.monotonic() - start),
        "cpu": round(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime),
    }  # fmt: skip
    if not found:
        verdict = "not ended" if done.returncode == 124 else "error"
        return {**row, "verdict": verdict, "ran": False, "red": False, "coverage": False, "note": done.stderr[-300:]}
    tests, mutants = found["tests"], found["mutants"] or {"tried": 0, "survived": 0}
    return {
        **row, "verdict": found["verdict"], "ran": tests["after"] is not None, "note": tests["note"],
        "why": [each["text"] for each in found["rows"] if each["weight"] in ("against", "unknown")],
        "look": [each["text"] for each in found["rows"] if each["weight"] == "look"],
        "red": bool(tests["failing"] or set(tests["broken"]) - set(tests["deleted"])),
        "coverage": bool(found["uncovered"]), "tried": mutants["tried"], "survived": mutants["survived"],
    }  # fmt: skip


def fates_shown(rows: list[dict[str, object]]) -> None:
    """How often each way spoke against changes that were reverted or fixed, and against quiet ones."""
    if not rows:
        return
    print(f"{len(rows)} changes, of which tests ran in {sum(bool(row['ran']) for row in rows)}")
    bad, quiet = ([row for row in rows if (row["kind"] == "quiet") == fine] for fine in (False, True))
    for words, mine in (("reverted or fixed", bad), ("quiet", quiet)):
        print(kind_line(words, mine))
        print(kind_line("  where tests ran", [row for row in mine if row["ran"]]))
        for name in sorted({str(row["repository"]) for row in rows}):
            print(kind_line(f"  {name}"[:24], [row for row in mine if row["repository"] == name]))
    for name, count in (
        ("surviving mutants", lambda row: row.get("survived", 0)),
        ("remarks to look at", lambda row: len(row.get("look", ()))),
        ("lines added", lambda row: row["size"]),
    ):
        fitting = [least for least in range(1, 402) if 10 * sum(count(row) >= least for row in quiet) <= len(quiet)]
        found = max((sum(count(row) >= least for row in bad) for least in fitting), default=0)
        print(f"{name}: at best {found} of {len(bad)} at false alarms of at most 10%, the limit chosen on these rows")
    for name in ("seconds", "cpu"):
        values = sorted(int(str(row[name])) for row in rows)
        print(f"{name}: median {values[len(values) // 2]}, most {values[-1]}, all {sum(values)}")


def main() -> None:
    """Draws, plants, judges and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--fates", action="store_true")
    parser.add_argument("--most", type=int, default=60, help="of changes whose fate is known, how many more to check")
    parser.add_argument("--half", choices=("kept", "aside"))
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30, help="after which no further commit begins")
    parser.add_argument("--out", type=Path, default=Path("check-rows.jsonl"))
    given = parser.parse_args()
    done = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    if given.fates:
        plan = fate_plan(given.repositories, given.changes, given.seed, given.out.with_suffix(".drawn.json"))
        checked = {row["commit"] for row in done}
        for item in [item for item in plan if item["commit"] not in checked][: given.most]:
            done += kept_rows([fate_row(item, given.out.with_suffix(".kept"))], given.out)
        fates_shown(done)
        return
    known, end, turn = {row["commit"] for row in done}, time.monotonic() + 60 * given.minutes, 0
    for half, tasks in halves(given.seed).items() if given.embedded else ():
        for task in tasks if given.half in (None, half) else ():
            if task.id not in known and time.monotonic() < end:
                done += kept_rows(anyio.run(rows_of_task, task, half, given.seed), given.out)
    each = {place: drawn(place, given.changes, given.seed) for place in given.repositories}
    for at in range(given.changes):
        for place, commits in each.items():
            turn += 1
            if at >= len(commits) or commits[at] in known or time.monotonic() > end:
                continue
            lost = {"repository": place.parent.name, "commit": commits[at], "kind": "honest", "ran": False}
            try:
                new = anyio.run(rows_of, place, commits[at], turn)
            except HonestlyError as error:
                new = [{**lost, "note": str(error)[:300]}]
            done += kept_rows(new, given.out)
    shown(done)


if __name__ == "__main__":
    main()
