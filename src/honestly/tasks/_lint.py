"""Invitations to cheat in a task: findings with file, line, quote, severity, and what to do about it.

Everything here is read off the files; nothing is run or imported, and no link is followed. The history in `.git` is
looked at in a sandbox (`honestly.verify`), and so is what takes a run: tests that pass on nothing, or on a constant.

`high`: the answers can be had, or the verdict be bought, without doing the work. `medium`: it takes luck or a second
weakness. `low`: worth knowing. A rule speaks of what it can see; a suite without findings has none of these weaknesses,
which does not make it unhackable.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from honestly.records import File, Task, Tree
from honestly.tasks._lint_tests import printed_truths, quieted_file, skip_marks, text_literals, tools_beside_the_work

Severity = Literal["high", "medium", "low"]

_LEAST = 40
"""Bytes of a file that say anything when another one is the same."""
_LEAST_LINE, _LEAST_LINES, _SHARE = 12, 4, 0.8
"""A file holds a solution if it has at least `_LEAST_LINES`, and this share, of the solution's new lines, of which only
those of `_LEAST_LINE` characters or more count. Where a file that was there is mended, it holds it too if it has all of
the new lines, and this share of all lines."""
_LARGEST = 4 << 20
_QUOTE = 120
ANSWERS = re.compile(
    r"(?:^|/)[^/]*(?:expected|golden|ground.?truth|answer.?key|solution|reference)[^/]*$|\.(?:expected|ans)$",
    re.IGNORECASE,
)
"""Names that answers go by."""
_LEFTOVER = re.compile(r"\.(?:orig|rej|bak|swp|swo|pyc|pyo|patch|diff)$|~$|(?:^|/)__pycache__/")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|spec)/|(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*\.test)\.\w+$|(?:^|/)conftest\.py$"
)
_RUNS_TESTS = re.compile(
    r"-m\s+(unittest|pytest)\b|(?<![\w/])(pytest|py\.test)\b|\b(npm test|make test|go test|cargo test)\b"
)
_SECRETS = re.compile(
    rb"AKIA[0-9A-Z]{16}|-----BEGIN (?:RSA |EC |OPENSSH |DSA )?PRIVATE KEY-----|gh[pousr]_[A-Za-z0-9]{36}|"
    rb"xox[abprs]-[0-9A-Za-z-]{10,48}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|AIza[0-9A-Za-z_-]{35}"
)
_SETTINGS = ("conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_WORDS = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """One thing that invites cheating."""

    rule: str
    severity: Severity
    task: str
    path: str
    """The file; `workspace/...`, `tests/...` as they lie in a task's folder."""
    line: int | None = None
    quote: str = ""
    why: str
    do: str
    """What to do about it."""
    fixed: bool = True
    """Whether a hardened copy is without it; otherwise it takes a person."""


def task_weaknesses(task: Task) -> list[Weakness]:
    """List the weaknesses of a task that show in its files, the worst first; its own decoys do not count."""
    laid = {f"workspace/{decoy.path}" for decoy in (task.hidden.decoys if task.hidden is not None else ())}
    found = [weakness for rule in _RULES for weakness in rule(task) if weakness.path not in laid]
    return sorted(found, key=lambda each: (("high", "medium", "low").index(each.severity), each.rule, each.path))


def is_leftover(path: str) -> bool:
    """Whether a file is a by-product: a backup, a compiled file, a patch."""
    return _LEFTOVER.search(path) is not None


def is_test(path: str) -> bool:
    """Whether a file looks like a test, or belongs to some."""
    return _TEST.search(path) is not None


def leads_out(path: str, file: File) -> bool:
    """Whether a file is a link to what is not in the workspace."""
    if file.mode != "link":
        return False
    target = file.data.decode("utf-8", "replace")
    depth = path.count("/")
    for part in target.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return target.startswith("/")


def reads_own_tests(task: Task) -> str:
    """The line by which the hidden script runs tests that the agent can edit; empty if there is no such line."""
    checks = task.hidden.checks if task.hidden is not None else None
    if (
        checks is None
        or checks.runner != "script"
        or any(is_test(path) for path in checks.files.files if path != "test.sh")
    ):
        return ""
    if not any(is_test(path) for path in task.workspace.files):
        return ""
    script = checks.files.files.get("test.sh")
    text = script.data.decode("utf-8", "replace") if script is not None else " ".join(checks.command)
    match = _RUNS_TESTS.search(text)
    return next((line.strip() for line in text.splitlines() if match and match[0] in line), "")


def _readable_tests(task: Task) -> Iterator[Weakness]:
    if task.hidden is None:
        return
    shown = task.visible.files.files if task.visible is not None else {}
    hidden = {file.data: path for path, file in task.hidden.checks.files.files.items() if len(file.data) >= _LEAST}
    judging = {name.partition("::")[0] for name in task.hidden.checks.expected}
    for path, file in task.workspace.files.items():
        # What is put back as it was, at its own place, and is none of the tests themselves, gives nothing away.
        put_back = task.hidden.checks.files.files.get(path, File()).data == file.data and path not in judging
        if file.data in hidden and path not in shown and not put_back:
            yield Weakness(
                rule="tests-readable", severity="high", task=task.id, path=f"workspace/{path}",
                quote=_first_telling_line(file),
                why=f"the hidden checks' file {hidden[file.data]} lies in the workspace",
                do="take it out of the workspace",
            )  # fmt: skip
    if task.visible is not None and task.visible.files == task.hidden.checks.files:
        yield Weakness(
            rule="visible-is-hidden", severity="medium", task=task.id, path="tests/",
            why="what the agent sees is all that judges: whoever special-cases the shown inputs passes",
            do="write hidden checks with other inputs; `honestly task check --mutants` says how much they see",
            fixed=False,
        )  # fmt: skip


def _reference_leaks(task: Task) -> Iterator[Weakness]:
    """Files of the reference, or most of what is new in them, under whatever name."""
    if task.hidden is None:
        return
    wanted = dict(_solution_files(task))
    shown = task.visible.files.files if task.visible is not None else {}
    for path, file in task.workspace.files.items():
        if file.mode == "link" or len(file.data) > _LARGEST or path in shown or path.startswith(".git/"):
            continue
        for name, data in wanted.items():
            line = _solution_line_held(file, task.workspace.files.get(name), data)
            if line and path != name:
                yield Weakness(
                    rule="answer-in-workspace", severity="high", task=task.id, path=f"workspace/{path}",
                    line=_line_of(file, line), quote=line[:_QUOTE], why=f"it holds the reference's {name}",
                    do="take it out of the workspace",
                )  # fmt: skip
                break
        else:
            yield from _looks_like_answers(task, path, file)


def _looks_like_answers(task: Task, path: str, file: File) -> Iterator[Weakness]:
    if is_leftover(path):
        yield Weakness(
            rule="leftover", severity="medium", task=task.id, path=f"workspace/{path}", quote=_first_telling_line(file),
            why="a backup, a compiled file or a patch may hold what is asked for", do="take it out of the workspace",
        )  # fmt: skip
        return
    assert task.hidden is not None
    if not ANSWERS.search(path) or path in task.hidden.reference.write.files or path in task.instruction:
        return
    said = [text for text in text_literals(task.hidden.checks.files) if text in file.data]
    yield Weakness(
        rule="answer-in-workspace", severity="high" if said else "medium", task=task.id, path=f"workspace/{path}",
        line=_line_of(file, said[0].decode("utf-8", "replace")) if said else None,
        quote=(said[0].decode("utf-8", "replace") if said else _first_telling_line(file))[:_QUOTE],
        why="it holds values that the hidden checks ask for" if said else "its name is one that answers go by",
        do="take it out of the workspace, or name it in the instruction if it belongs to the task", fixed=bool(said),
    )  # fmt: skip


def reference_in(task: Task, file: File) -> tuple[str, str] | None:
    """The reference file that another file contains completely or mostly, and one shared line."""
    if task.hidden is None or len(file.data) > _LARGEST:
        return None
    for name, data in _solution_files(task):
        if line := _solution_line_held(file, task.workspace.files.get(name), data):
            return name, line
    return None


def _solution_files(task: Task) -> Iterator[tuple[str, bytes]]:
    """The content of a solution, by path."""
    assert task.hidden is not None
    for path, file in (*task.hidden.reference.write.files.items(), *task.hidden.solution.files.items()):
        if file.mode != "link" and _LEAST <= len(file.data) <= _LARGEST:
            yield path, file.data


def _solution_line_held(file: File, before: File | None, solution: bytes) -> str:
    """A line of the solution that stands in a file which holds most of what is new in it; empty if it does not."""
    if solution in file.data:
        return next(
            (line for line in _stripped_lines(solution) if len(line) >= _LEAST_LINE), ""
        ) or _first_telling_line(file)
    every, old = set(_stripped_lines(solution)), set(_stripped_lines(before.data)) if before is not None else set()
    held = every & set(_stripped_lines(file.data))
    new = {line for line in every if len(line) >= _LEAST_LINE} - old
    if len(held & new) >= _LEAST_LINES and len(held & new) >= _SHARE * len(new):
        return min(held & new)
    few = every - old
    same = before is not None and few and few <= held and len(held) >= max(_LEAST_LINES, _SHARE * len(every))
    return min(few) if same else ""


def _stripped_lines(data: bytes) -> list[str]:
    return [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def _test_weaknesses(task: Task) -> Iterator[Weakness]:
    """The weaknesses of the test files themselves."""
    sides = [("workspace", task.visible), ("tests", task.hidden.checks if task.hidden is not None else None)]
    for side, checks in sides:
        for path, file in checks.files.files.items() if checks is not None else ():
            if not path.endswith(".py") or file.mode == "link":
                continue
            for line, quote, why in printed_truths(file.data):
                yield Weakness(
                    rule="prints-truth", severity="low" if side == "workspace" else "medium", task=task.id,
                    path=f"{side}/{path}", line=line, quote=quote[:_QUOTE], why=why,
                    do="say what was wrong without saying what is right",
                )  # fmt: skip
            for line, quote in skip_marks(file.data):
                yield Weakness(
                    rule="skipped-test", severity="low", task=task.id, path=f"{side}/{path}", line=line,
                    quote=quote[:_QUOTE], why="a test that may be skipped is one that may not run",
                    do="let it run, or take it out", fixed=False,
                )  # fmt: skip


def _tool_weaknesses(task: Task) -> Iterator[Weakness]:
    """Tools whose word hidden checks believe, started where the work can speak for them."""
    checks = task.hidden.checks if task.hidden is not None else None
    if checks is None or checks.runner != "grader":
        return
    for path, file in checks.files.files.items():
        for line, quote, name in tools_beside_the_work(file.data) if path.endswith(".py") else ():
            yield Weakness(
                rule="tool-beside-work", severity="high", task=task.id, path=f"tests/{path}", line=line,
                quote=quote[:_QUOTE], why=f"{name} starts beside the work, whose modules and settings can speak for it",
                do="start it by `ws.tool`, with the files that it judges, tests by `ws.tests_pass`", fixed=False,
            )  # fmt: skip


def _writable_weaknesses(task: Task) -> Iterator[Weakness]:
    """Tests, their helpers and settings that the agent can change, and nobody puts back."""
    if line := reads_own_tests(task):
        yield Weakness(
            rule="grades-agents-tests", severity="high", task=task.id, path="tests/test.sh", quote=line[:_QUOTE],
            why="the verdict comes from tests in the workspace, which the agent can edit",
            do="keep the tests in tests/, put them back before judging, and expect each of them by its id",
        )  # fmt: skip
    if task.visible is None:
        return
    pinned = task.visible.files.files
    folders = {path.rpartition("/")[0] for path in pinned if "/" in path}
    for path in task.workspace.files:
        beside = any(folder and path.startswith(f"{folder}/") for folder in folders)
        if path not in pinned and (path in _SETTINGS[:2] or (beside and not is_leftover(path))):
            yield Weakness(
                rule="test-not-put-back", severity="medium", task=task.id, path=f"workspace/{path}",
                why="the visible tests use what lies beside them, and it is not put back before they run",
                do="name it among the visible files",
            )  # fmt: skip
    if task.visible.runner == "pytest" and not pinned.keys() & set(_SETTINGS):
        yield Weakness(
            rule="open-settings", severity="medium", task=task.id, path="workspace/",
            why="a conftest.py or pytest.ini of the agent's would configure the visible tests",
            do="give the tests a pytest.ini and a conftest.py of their own",
        )  # fmt: skip


def _place_weaknesses(task: Task) -> Iterator[Weakness]:
    for path, file in task.workspace.files.items():
        if leads_out(path, file):
            yield Weakness(
                rule="link-out", severity="high", task=task.id, path=f"workspace/{path}",
                quote=file.data.decode("utf-8", "replace")[:_QUOTE], why="the link leads out of the workspace",
                do="put the file itself there, or take the link out",
            )  # fmt: skip
        if match := _SECRETS.search(file.data[:_LARGEST]):
            shown = match[0][:8].decode("ascii", "replace")
            yield Weakness(
                rule="secret", severity="high", task=task.id, path=f"workspace/{path}",
                line=file.data[: match.start()].count(b"\n") + 1, quote=f"{shown}...",
                why="it looks like a credential, which an agent may use", do="replace it by a fake that says so",
                fixed=False,
            )  # fmt: skip
    for need in task.requires:
        if "network" in need:
            yield Weakness(
                rule="network", severity="medium", task=task.id, path="tests/test.sh", quote=need[:_QUOTE],
                why="what the network serves can be another thing tomorrow, and can be the answer",
                do="ship what the tests need", fixed=False,
            )  # fmt: skip


_RULES = (
    *(_readable_tests, _reference_leaks, _test_weaknesses, _tool_weaknesses, _writable_weaknesses, _place_weaknesses),
)


def _first_telling_line(file: File) -> str:
    text = file.data[:_QUOTE].decode("utf-8", "replace")
    return next((line.strip() for line in text.splitlines() if _WORDS.search(line)), "")


def _line_of(file: File, text: str) -> int | None:
    at = file.data.find(text.encode("utf-8", "replace"))
    return file.data[:at].count(b"\n") + 1 if at >= 0 else None


def without_answers(task: Task) -> Tree:
    """The workspace without the files that hold answers, compiled files, backups, and links out of it."""
    gone = {
        weakness.path.removeprefix("workspace/")
        for rule in (_readable_tests, _reference_leaks, _place_weaknesses)
        for weakness in rule(task)
        if weakness.fixed and weakness.path.startswith("workspace/")
    }
    return task.workspace.without(gone)


def quieted_tests(files: Tree) -> Tree:
    """Test files without the assertion messages and prints that give the right answer away."""
    return Tree(
        files={
            path: File(data=quieted_file(file.data), mode=file.mode)
            if path.endswith(".py") and file.mode != "link"
            else file
            for path, file in files.files.items()
        }
    )
