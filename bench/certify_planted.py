"""Does `honestly task certify` find defects that were planted in copies of real tasks?

    python bench/certify_planted.py SUITE [--half report] [--runs 5] [--task ID ...] [--most N] [--defect NAME ...]

SUITE is `embedded` or a folder in any layout. Each defect is planted in each task that can carry it, and measured by
the parts of `certify` that are to find it; it counts as found where the record names its place (a path, a check), not
where the verdict happens to be bad. The same parts measure the task without a defect: none may be called broken. The
halves are drawn by a hash of the task's id: `tune` is for whoever changes certify, `report` for what is said of it.
A task whose own verdict is not sound before anything is planted can carry leaks, but no other defect.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import marshal
import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import anyio
from msgspec.structs import replace

from honestly.records import Edit, File, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import How, Records, certify_task
from honestly.taskgen._record import ValidityRecord
from honestly.tasks import load_suite
from honestly.verify import OpenBox, Slots, build_environments, reference_workspace

Plant = Callable[[Task, Tree], Task | None]
Found = Callable[[ValidityRecord], bool]
_LUCK = {"random": "import random", "time_ns": "import time"}


def odd(task: Task) -> bool:
    """A coin for a task, the same each time."""
    return sha256(task.id.encode()).digest()[0] % 2 == 1


def source(task: Task, final: Tree) -> tuple[str, File] | None:
    """The largest file that the reference writes, which is not a test of the agent's."""
    assert task.hidden is not None
    shown = task.visible.files.files if task.visible is not None else {}
    written = final if task.environment is not None else Edit.between(task.workspace, final).write
    folders = ("app/", "srv/", "opt/", "home/") if task.environment is not None else ("",)
    some = [(len(file.data), path, file) for path, file in written.files.items() if path not in shown
            and file.mode != "link" and path.startswith(folders) and "/.git/" not in f"/{path}"
            and "__pycache__" not in path]  # fmt: skip
    if not some or max(some)[0] < 40:
        return None
    return max(some, key=lambda each: (each[1].endswith(".py"), *each[:2]))[1:]


def checks(task: Task, more: str, name: str) -> Task:
    """The task with one hidden check more: a body, as Python, in which `ws` or the files in `/app` are the work."""
    assert task.hidden is not None
    old = task.hidden.checks
    files, expected = dict(old.files.files), old.expected
    if old.runner == "script":
        path = next(path for path in files if path.endswith(".py"))
        files[path] = File(data=files[path].data + f"\n\ndef test_{name}():\n{more}".encode())
    elif old.runner == "grader":
        files[f"check_{name}.py"] = File(data=f"def test_{name}(ws):\n{more}".encode())
        expected = (*expected, f"check_{name}.test_{name}")
    else:
        path = next(path for path in files if path.endswith(".py"))
        body = f"\n\nclass Test{name.title()}(unittest.TestCase):\n    def test_{name}(self):\n"
        text = "import unittest\n" + files[path].data.decode() + body + indent(more, "    ")
        files[path] = File(data=text.encode())
        stem = path.removesuffix(".py").replace("/", ".") if old.runner == "unittest" else path
        joint = "." if old.runner == "unittest" else "::"
        expected = (*expected, joint.join((stem, f"Test{name.title()}", f"test_{name}")))
    return replace(task, hidden=replace(task.hidden, checks=replace(old, files=Tree(files=files), expected=expected)))


def read(task: Task, path: str) -> str:
    """How a check reads a file of the work."""
    assert task.hidden is not None
    if task.hidden.checks.runner == "grader":
        return f"ws.read({path!r})"
    return f"open({('/' + path if task.environment is not None else path)!r}).read()"


def flaky(task: Task, _: Tree) -> Task | None:
    """A check that passes every second time."""
    luck = "time.time_ns() // 1000 % 2" if odd(task) else "random.random() < 0.5"
    return checks(task, f"    import random, time\n    assert {luck}\n", "luck")


def constant(task: Task, _: Tree) -> Task | None:
    """A check more that any answer passes."""
    name = _function(task)
    if name is None or task.environment is not None:
        return None
    assert task.hidden is not None
    path, function = name
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    got = f"ws.load({module!r})" if task.hidden.checks.runner == "grader" else f"__import__({module!r}, fromlist=['x'])"
    return checks(task, f"    assert {got}.{function} is not None\n", "idle")


def _function(task: Task) -> tuple[str, str] | None:
    assert task.hidden is not None
    for path, file in task.hidden.reference.write.files.items():
        for node in ast.parse(file.data).body if path.endswith(".py") else ():
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                return path, node.name
    return None


def idle(task: Task, final: Tree) -> Task | None:
    """Nothing but checks that any answer passes: the written file is there."""
    assert task.hidden is not None
    old = task.hidden.checks
    found = source(task, final)
    if found is None:
        return None
    if old.runner == "script":
        path = next(path for path in old.files.files if path.endswith(".py"))
        files = {**old.files.files, path: File(data=b"")}
        bare = replace(old, files=Tree(files=files))
    elif old.runner == "grader":
        bare = replace(old, files=Tree(), expected=())
    else:
        path = next(path for path in old.files.files if path.endswith(".py"))
        bare = replace(old, files=Tree.of({path: ""}), expected=())
    empty = replace(task, hidden=replace(task.hidden, checks=bare))
    begun = task.workspace.files.get(found[0])
    differs = f" != {begun.data.decode('utf-8', 'replace')!r}" if begun is not None else " is not None"
    return checks(empty, f"    assert {read(task, found[0])}{differs}\n", "there")


def narrow(task: Task, final: Tree) -> Task | None:
    """A check that asks for the reference's own words."""
    found = source(task, final)
    if found is None:
        return None
    path, file = found
    text = file.data.decode("utf-8", "replace")
    wanted = _private(text) if path.endswith(".py") else ""
    elsewhere = "".join(f.data.decode("utf-8", "replace") for p, f in task.workspace.files.items()) + task.instruction
    if wanted and wanted not in elsewhere and odd(task):
        return checks(task, f"    assert {wanted!r} in {read(task, path)}\n", "words")
    return checks(task, f"    assert {read(task, path)} == {text!r}\n", "words")


def _private(text: str) -> str:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("_")]
    return names[0] if names else ""


def message(task: Task, final: Tree) -> Task | None:
    """A check that asks for the words of the reference's exception, which are nowhere else."""
    found = source(task, final)
    if found is None or not found[0].endswith(".py"):
        return None
    elsewhere = "".join(f.data.decode("utf-8", "replace") for p, f in task.workspace.files.items()) + task.instruction
    for node in ast.walk(ast.parse(found[1].data)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            kind, said = node.exc.func, node.exc.args[0]
            known = isinstance(kind, ast.Name) and kind.id in ("ValueError", "TypeError", "RuntimeError")
            if known and isinstance(said, ast.Constant) and str(said.value) not in elsewhere:
                return checks(task, f"    assert {str(said.value)!r} in {read(task, found[0])}\n", "message")
    return None


def alternative(task: Task, final: Tree) -> Task | None:
    """A check of the exact text, beside an alternative that its author gives; for any language."""
    found = source(task, final)
    if found is None:
        return None
    return checks(task, f"    assert not {read(task, found[0])}.endswith('\\n\\n\\n')\n", "blank")


def given(task: Task, final: Tree) -> Tree:
    """The author's alternative to that: blank lines at the end."""
    found = source(task, final)
    assert found is not None
    return Tree(files={found[0]: File(data=found[1].data.rstrip(b"\n") + b"\n\n\n", mode=found[1].mode)})


def edited(path: str, data: bytes, task: Task) -> bytes:
    """The answer as it is, or, for half of the tasks, as another version of the file has it."""
    if not odd(task):
        return data
    if path.endswith(".py"):
        return b"# Another version.\n" + data + b"\n\nVERSION = 2\n"
    return data.rstrip(b"\n") + b"\n\n"


def laid(task: Task, files: dict[str, File]) -> Task:
    """The task with more files for the agent: in its workspace, or in `/app` of its image."""
    if task.environment is None:
        return replace(task, workspace=Tree(files={**task.workspace.files, **files}))
    context = dict(task.environment.context.files)
    stages = context["Dockerfile"].data + b"\nUSER root\nCOPY planted/ /app/\n"
    context["Dockerfile"] = File(data=stages)
    context |= {f"planted/{path}": file for path, file in files.items()}
    return replace(task, environment=replace(task.environment, context=Tree(files=context)))


def git(how: str) -> Plant:
    """The fix in a repository, behind the commit that the agent begins with."""

    def plant(task: Task, final: Tree) -> Task | None:
        found = source(task, final)
        if found is None or any(".git/" in path for path in task.workspace.files) or "git" in task.requires:
            return None
        path, file = found
        inside = path.removeprefix("app/") if task.environment is not None else path
        with TemporaryDirectory() as folder:
            root = Path(folder)
            _repository(root, task, inside, edited(path, file.data, task), how)
            files = {p: f for p, f in Tree.read(root, skip=()).files.items() if p.startswith(".git/")}
        return laid(task, {p: f for p, f in files.items() if not p.startswith(".git/hooks/")})

    return plant


def _repository(root: Path, task: Task, path: str, fix: bytes, how: str) -> None:
    who = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}

    def run(*words: str) -> None:
        subprocess.run(["git", "-C", str(root), *words], env=env, capture_output=True, check=True)

    run("init", "-q", "-b", "main")
    for name, file in task.workspace.files.items():
        if file.mode != "link":
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(file.data)
    (root / "README.begun").write_text("begun\n")
    run("add", "-A")
    run("commit", "-q", "-m", "begun")
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(fix)
    if how == "loose":
        run("add", "-A")  # the object is written, and the index is set back
        run("reset", "-q", "--hard")
        return
    if how == "stash":
        run("add", "-A")
        run("stash", "-q")
        return
    run("add", "-A")
    run("commit", "-q", "-m", "next")
    if how in ("tag", "packed"):
        run("tag", "v2")
    run("reset", "-q", "--hard", "HEAD~1")
    if how == "packed":
        run("gc", "-q")


def wheel(task: Task, final: Tree) -> Task | None:
    """The fix in a wheel that was built of the next version."""
    found = source(task, final)
    if found is None:
        return None
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"next/{found[0]}", edited(*_pair(found), task))
        archive.writestr("next-2.dist-info/METADATA", "Name: next\nVersion: 2\n")
    return laid(task, {"dist/next-2-py3-none-any.whl": File(data=packed.getvalue())})


def compiled(task: Task, final: Tree) -> Task | None:
    """The fix in compiled Python."""
    found = source(task, final)
    if found is None or not found[0].endswith(".py"):
        return None
    code = marshal.dumps(compile(edited(*_pair(found), task), found[0], "exec"))
    name = found[0].rpartition("/")[2].removesuffix(".py")
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    return laid(task, {f"old/__pycache__/{name}.cpython-{version}.pyc": File(data=MAGIC_NUMBER + bytes(12) + code)})


def built(where: str) -> Plant:
    """The fix in a folder that a build, or an installation, has left."""

    def plant(task: Task, final: Tree) -> Task | None:
        found = source(task, final)
        return found and laid(task, {f"{where}/{found[0]}": File(data=edited(*_pair(found), task))})

    return plant


def _pair(found: tuple[str, File]) -> tuple[str, bytes]:
    return found[0], found[1].data


def reached(place: str) -> Found:
    """Whether a leak at a place is a reason against the task."""
    return lambda record: any(place in reason for reason in record.reasons if "within the agent's reach" in reason)


def narrowed(check: str, how: str = "over-specified") -> Found:
    """Whether a check is called over-specified; a script has only its reward to name."""
    return lambda record: any(how in each and (check in each or "refused by reward" in each) for each in record.reasons)


def wavers(record: ValidityRecord) -> bool:
    """Whether the planted check is called flaky."""
    named = record.flake is not None and any(check.endswith("test_luck") for check in record.flake.checks)
    return record.verdict == "broken" and (named or any(each.startswith("flaky") for each in record.reasons))


def idles(record: ValidityRecord) -> bool:
    """Whether the record names the planted check as one that guesses pass."""
    return any(check.endswith("test_idle") for check in record.cheats.weak_checks)


DEFECTS: dict[str, tuple[Plant, tuple[str, ...], Found]] = {
    "flaky test": (flaky, ("alternatives",), wavers),
    "a check that a constant passes": (constant, ("guesses",), idles),
    "only such checks": (idle, ("wrong", "guesses", "mutants"), lambda record: record.verdict in ("weak", "broken")),
    "over-specified: the reference's text": (narrow, ("alternatives",), narrowed("test_words")),
    "over-specified: words of an exception": (message, ("alternatives",), narrowed("test_message")),
    "over-specified: an alternative is given": (alternative, ("alternatives",), narrowed("test_blank", "a correct")),
    **{f"fix in .git: {how}": (git(how), ("leaks",), reached(".git")) for how in
       ("loose", "packed", "stash", "tag", "reflog")},
    "fix in a wheel": (wheel, ("leaks",), reached("next-2-py3")),
    "fix in a .pyc": (compiled, ("leaks",), reached(".pyc")),
    "fix in node_modules": (built("node_modules/next"), ("leaks",), reached("node_modules/next")),
    "fix in build/lib": (built("build/lib"), ("leaks",), reached("build/lib")),
}  # fmt: skip


async def measured(task: Task, parts: Sequence[str], runs: int, boxes: OpenBox, more: Tree | None) -> ValidityRecord:
    """The record of a task, from some of the parts of `certify`."""
    with TemporaryDirectory() as folder:
        records = Records("embedded", "planted", Path(folder))
        if more is not None:
            for path, file in more.files.items():
                place = Path(folder) / f"{task.id}.alternatives" / "given" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.data)
        how = How(runs=0 if parts == ("leaks",) else runs, limit=10, by="bench", parts=parts)
        if task.environment is not None:
            await build_environments([task], lambda _: None)
        return await certify_task(task, boxes, task_hash=task.hash, suite="planted", records=records, how=how)


async def one(task: Task, wanted: Sequence[str], runs: int) -> list[tuple[str, str]]:
    """What became of each defect in a task: `found`, `missed`, `not applicable`, or why it was not planted."""
    said = []
    async with Slots(partial(open_sandbox)) as boxes:
        if task.environment is not None:
            await build_environments([task], lambda _: None)
        only = all(DEFECTS[name][1] == ("leaks",) for name in wanted)
        clean = await measured(task, ("leaks",) if only else ("leaks", "alternatives", "guesses"), runs, boxes, None)
        said.append(("clean", clean.verdict))
        note(task, "clean", f"{clean.verdict}: {'; '.join(clean.reasons)[:300]}")
        final = await reference_workspace(task, boxes)
        for name in wanted:
            plant, parts, found = DEFECTS[name]
            if clean.verdict == "broken" and parts != ("leaks",):
                continue
            with_it = plant(task, final)
            if with_it is None:
                continue
            more = given(task, final) if plant is alternative else None
            record = await measured(with_it, parts, runs, boxes, more)
            said.append((name, "found" if found(record) else "missed"))
            note(task, name, f"{said[-1][1]}: {record.verdict}: {'; '.join(record.reasons)[:200]}")
    return said


def note(task: Task, what: str, text: str) -> None:
    """A line of progress."""
    print(f"{task.id}: {what}: {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--half", choices=["tune", "report", "all"], default="report")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--task", action="append", default=[])
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--defect", action="append", choices=[*DEFECTS], default=[])
    options = parser.parse_args()
    suite = load_suite(options.suite, only=options.task)
    able = [task for task in suite.tasks if task.tags.variant == "standard" and task.hidden is not None]
    half = {"tune": (0,), "report": (1,), "all": (0, 1)}[options.half]
    chosen = [task for task in able if sha256(b"half" + task.id.encode()).digest()[0] % 2 in half][: options.most]
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("clean", *DEFECTS)}
    for task in chosen:
        for name, state in anyio.run(partial(one, task, options.defect or [*DEFECTS], options.runs)):
            counts[name][state] += 1
    clean = counts.pop("clean")
    print(f"| {suite.name}, {len(chosen)} tasks | planted | found | missed |\n|---|--:|--:|--:|")
    for name, each in counts.items():
        if total := each.total():
            print(f"| {name} | {total} | {each['found']} | {each['missed']} |")
    print(f"\nWithout a defect: {json.dumps(dict(clean))}; called broken: {clean['broken']} of {clean.total()}.")


if __name__ == "__main__":
    main()
