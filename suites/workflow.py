"""Runs a workflow of GitHub's in a folder, without GitHub: `python3 workflow.py .github/workflows/ci.yml [--json]`.

One file that needs PyYAML only, so that it can be copied into a workspace. A hidden check imports its own copy and has
`run_beside(ws, path)`: then all is decided in the process of the checks, and only the commands and the files of the
workflow are in the sandbox of the work, so that nothing there can speak for the emulator.

Jobs run one after the other in the order of `needs`, each cell of a matrix by itself, each in an empty folder that
`actions/checkout` fills. Of `uses:` there are checkout, setup-python, cache, upload-artifact and download-artifact; any
other action, container, service or called workflow fails its job, and is listed under "not emulated", as is every key
that was left out, a machine that is no Linux, another Python than the one here, and what an expression asks for that is
not known here (`secrets`, `vars`, `inputs`, `github.event`). What a step leaves running is ended with its job. Shells
are as GitHub has them: bash without `pipefail`, unless `shell: bash` is written.
It exits with 0 where the run succeeded, 1 where it failed, 2 where the file is no workflow, 3 where something that
decides was not emulated. It does not cover: filters by paths, secrets, masks, `hashFiles`, time limits of jobs.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

Scope = dict[str, Any]
_TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|([<>=!]=|&&|\|\||[<>!()\[\],.*])|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w-]*))")
_HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_STATUS = re.compile(r"\b(success|failure|always|cancelled)\s*\(")
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="))
_SHELLS = {
    "": ["bash", "-e", "{0}"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "{0}"],
    "sh": ["sh", "-e", "{0}"],
    "python": ["python3", "{0}"],
}
_TOP = {"name", "on", True, "env", "defaults", "jobs", "run-name"}
_JOB = {"name", "needs", "if", "runs-on", "strategy", "env", "defaults", "outputs", "steps", "continue-on-error"}
_STEP = {"name", "id", "if", "run", "uses", "with", "env", "shell", "working-directory", "continue-on-error"}
_MOST_TOLD = 200_000
"""Bytes that are read of what a step wrote into each of the files for it, where they are beside the work."""
_TOLD = ("ENV", "OUTPUT", "PATH", "STEP_SUMMARY")
_LONGEST, _MOST_CELLS, _MOST_VALUES = 20_000, 256, 100_000
_CONTEXTS = {"env", "github", "job", "matrix", "needs", "runner", "steps", "strategy"}
_UNKNOWN = {"inputs", "jobs", "secrets", "vars"}
_NOT_BUILT = (AttributeError, KeyError, IndexError, TypeError, ValueError, RecursionError)
"""What comes of a file that is not built as a workflow is."""
_OLD = re.compile(r"^::(set-output|set-env|add-path|save-state) ?", re.MULTILINE)


class WorkflowError(Exception):
    """The file is no workflow; the message says where and what was expected."""


def expression(text: str, scope: Scope) -> Any:
    """What an expression gives; names that are not there are None, as GitHub has it."""
    tokens: list[str] = []
    end, whole = 0, text.rstrip()
    while end < len(whole):
        found = _TOKEN.match(whole, end)
        if found is None:
            raise WorkflowError(f"not an expression: {text.strip()!r}")
        tokens.append(found[0].strip())
        end = found.end()
    parser = _Parser(tokens, scope)
    value = parser.level(0)
    if parser.tokens:
        raise WorkflowError(f"not an expression: {text.strip()!r}, at {parser.tokens[0]!r}")
    return value


class _Parser:
    """Evaluates while it reads; of `&&` and `||`, both sides, but what is missing in one that does not count is not."""

    def __init__(self, tokens: list[str], scope: Scope) -> None:
        self.tokens, self.scope, self.idle = tokens, scope, 0

    def level(self, level: int) -> Any:
        if level == len(_LEVELS):
            return self.unary()
        left = self.level(level + 1)
        while self.tokens and self.tokens[0] in _LEVELS[level]:
            sign = self.tokens.pop(0)
            idle = sign in {"&&", "||"} and _truth(left) is (sign == "||")
            self.idle += idle
            left = _operate(sign, left, self.level(level + 1))
            self.idle -= idle
        return left

    def take(self, *wanted: str) -> str:
        if not self.tokens or (wanted and self.tokens[0] not in wanted):
            found = (self.tokens or ["its end"])[0]
            raise WorkflowError(f"an expression has {found!r}; expected {' or '.join(wanted) or 'a value'}")
        return self.tokens.pop(0)

    def unary(self) -> Any:
        token = self.take()
        if token == "!":
            return not _truth(self.unary())
        if token == "(":
            value = self.level(0)
            self.take(")")
            return value
        if token[0] == "'":
            return token[1:-1].replace("''", "'")
        if token[0].isdigit() or token[0] == "-":
            return float(token) if "." in token else int(token)
        if token in {"true", "false", "null"}:
            return {"true": True, "false": False}.get(token)
        return self.call(token) if self.tokens[:1] == ["("] else self.path(self.context(token))

    def context(self, token: str) -> Any:
        name, known = token.lower(), self.scope.get(token.lower())
        if name not in _CONTEXTS | _UNKNOWN:
            raise WorkflowError(f"there is no context {token!r}; expected one of {', '.join(sorted(_CONTEXTS))}")
        key = self.tokens[1].strip("'") if self.tokens[:1] in (["."], ["["]) and len(self.tokens) > 1 else ""
        is_there = name not in {"github", "runner"} or not key or _item(known, key) is not None
        if (name in _UNKNOWN or not is_there) and not self.idle and "miss" in self.scope:
            self.scope["miss"](f"{name}.{key}" if key else name)
        return known

    def path(self, value: Any) -> Any:
        while self.tokens[:1] in (["."], ["["]):
            if self.take() == ".":
                key: Any = self.take()
            else:
                key = self.level(0)
                self.take("]")
            if key == "*":
                value = list(value.values()) if isinstance(value, dict) else value
            elif isinstance(value, list) and not isinstance(key, int):
                value = [each.get(key) for each in value if isinstance(each, dict)]
            else:
                value = _item(value, key)
        return value

    def call(self, name: str) -> Any:
        self.take("(")
        given: list[Any] = []
        while self.tokens[:1] != [")"]:
            given.append(self.level(0))
            if self.tokens[:1] != [")"]:
                self.take(",", ")")
        self.take(")")
        function = self.scope["functions"].get(name.lower())
        if function is None:
            known = ", ".join(self.scope["functions"])
            raise WorkflowError(f"the function {name}() is not emulated; there are {known}")
        return function(*given)


def _item(value: Any, key: Any) -> Any:
    if isinstance(value, dict):
        wanted = str(key).lower()
        return next((each for name, each in value.items() if str(name).lower() == wanted), None)
    return value[key] if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value) else None


def _truth(value: Any) -> bool:
    return value not in (None, False, 0, "")


def _number(value: Any) -> float:
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _operate(sign: str, left: Any, right: Any) -> Any:
    if sign == "&&":
        return right if _truth(left) else left
    if sign == "||":
        return left if _truth(left) else right
    if isinstance(left, str) and isinstance(right, str):
        left, right = left.lower(), right.lower()
    elif type(left) is not type(right) or (left is None and sign not in {"==", "!="}):
        left, right = _number(left), _number(right)
    if sign in {"==", "!="}:
        return (left == right) is (sign == "==")
    if isinstance(left, list | dict):
        return False
    compared = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return compared[sign]


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "true", False: "false"}[value]
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def _functions() -> dict[str, Callable[..., Any]]:
    def contains(where: Any, what: Any) -> bool:
        return any(_operate("==", each, what) for each in where) if isinstance(where, list) else low(what) in low(where)

    def low(value: Any) -> str:
        return _text(value).lower()

    return {
        "contains": contains,
        "startswith": lambda text, start: low(text).startswith(low(start)),
        "endswith": lambda text, end: low(text).endswith(low(end)),
        "format": lambda form, *given: re.sub(r"\{(\d+)\}", lambda found: _text(given[int(found[1])]), form),
        "join": lambda items, by=",": _text(by).join(map(_text, items if isinstance(items, list) else [items])),
        "tojson": lambda value: json.dumps(value, indent=2),
        "fromjson": lambda text: json.loads(_text(text)),
    }


def filled(value: Any, scope: Scope) -> Any:
    """A value of the file with its `${{ }}` filled in; one that is nothing else keeps its type."""
    if isinstance(value, dict):
        return {key: filled(each, scope) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, scope) for each in value]
    if not isinstance(value, str):
        return value
    only = _HOLE.fullmatch(value.strip())
    if only and value.count("${{") == 1:
        return expression(only[1], scope)
    return _HOLE.sub(lambda found: _text(expression(found[1], scope)), value)


def _deciding(scope: Scope) -> Scope:
    """The same, where something that is not known makes the run undecided."""
    miss = scope.get("miss")
    return {**scope, "miss": lambda what: miss(what, decides=True)} if miss else scope


def asked(condition: Any, scope: Scope) -> bool:
    """Whether an `if:` holds; without a status function in it, everything before must have succeeded."""
    if condition is None:
        return bool(scope["functions"]["success"]())
    text = _text(condition).strip()
    only = _HOLE.fullmatch(text) if text.count("${{") == 1 else None
    scope = _deciding(scope)
    value = expression(only[1] if only else text, scope) if only or "${{" not in text else filled(text, scope)
    return _truth(value) and (bool(_STATUS.search(text)) or bool(scope["functions"]["success"]()))


def cells(strategy: Scope, scope: Scope) -> list[Scope]:
    """The cells of a matrix, by GitHub's rules of `exclude` and `include`."""
    matrix = filled(strategy.get("matrix") or {}, _deciding(scope))
    if not isinstance(matrix, dict):
        raise WorkflowError(f"a matrix is {matrix!r}; expected keys with lists")
    axes = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    for key, value in axes.items():
        if not isinstance(value, list) or not value:
            raise WorkflowError(f"matrix.{key} is {value!r}; expected a list that is not empty")
    if math.prod(len(value) for value in axes.values()) > _MOST_CELLS:
        raise WorkflowError(f"a matrix has more than {_MOST_CELLS} cells, which is the most that GitHub takes")
    made = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())] if axes else []
    out = matrix.get("exclude") or []
    kept = [cell for cell in made if not any(all(cell.get(k) == v for k, v in each.items()) for each in out)]
    result = [dict(cell) for cell in kept]
    for extra in matrix.get("include") or []:
        fits = [i for i, cell in enumerate(kept) if all(extra[key] == cell[key] for key in extra.keys() & axes.keys())]
        for place in fits:
            result[place] |= extra
        if not fits:
            result.append(dict(extra))
    return result or [{}]


@dataclass
class StepRun:
    """What came of a step. `outcome` is before `continue-on-error`, `conclusion` after it."""

    name: str
    outcome: str = "skipped"
    conclusion: str = "skipped"
    code: int | None = None
    output: str = ""


@dataclass
class JobRun:
    """What came of a job, or of one cell of its matrix."""

    id: str
    matrix: Scope
    result: str = "success"
    outputs: Scope = field(default_factory=dict)
    steps: list[StepRun] = field(default_factory=list)


class Run:
    """One run of a workflow."""

    def __init__(self, content: Scope, machine: Machine, event: str, ref: str, say: Callable[[str], object]) -> None:
        self.content, self.machine, self.say = content, machine, say
        self.jobs: list[JobRun] = []
        self.not_emulated: list[str] = []
        self.undecided = False
        self.summary = ""
        self.needs: dict[str, Scope] = {}
        self.temporary = machine.temporary
        kind = "tag" if ref.startswith("refs/tags/") else "branch"
        name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
        self.github = {"event_name": event, "ref": ref, "ref_name": name, "ref_type": kind, "sha": "0" * 40}
        self.github |= {"repository": "local/workspace", "actor": "local", "run_id": "1", "run_number": "1"}
        self._unknown("the workflow", content, _TOP)

    def left_out(self, what: str, *, decides: bool = False) -> None:
        """Notes something that is not emulated."""
        if what not in self.not_emulated:
            self.not_emulated.append(what)
            self.say(f"! not emulated: {what}")
        self.undecided |= decides

    def _unknown(self, where: str, table: Scope, known: Iterable[Any]) -> None:
        for key in table.keys() - set(known):
            self.left_out(f"{where}: {key}", decides=key in {"container", "services", "uses"})

    def scope(self, **more: Any) -> Scope:
        """Contexts of expressions."""
        functions: dict[str, Callable[..., Any]] = {**_functions(), "cancelled": lambda: False, "always": lambda: True}
        functions |= {"success": lambda: True, "failure": lambda: False}
        runner = {"os": "Linux", "arch": "X64", "temp": str(self.temporary)}
        base = {"github": self.github, "runner": runner, "functions": functions, "miss": self._missed}
        return {**base, "env": filled(self.content.get("env") or {}, {**base, **more}), **more}

    def _missed(self, what: str, *, decides: bool = False) -> None:
        self.left_out(f"{what} in an expression", decides=decides)

    def report(self) -> Scope:
        """Runs what the event starts; gives what came of it."""
        starts = started(self.content, self.github["event_name"], self.github["ref"], self.left_out)
        conclusion = self.run() if starts else "not started"
        made = {"conclusion": conclusion, "jobs": [asdict(job) for job in self.jobs]}
        return {**made, "not_emulated": self.not_emulated, "undecided": self.undecided, "summary": self.summary}

    def run(self) -> str:
        """Runs all jobs; gives the conclusion."""
        jobs: dict[str, Scope] = self.content["jobs"]
        for name in _in_order(jobs):
            needed = {each: self.needs[each] for each in _listed(jobs[name].get("needs"))}
            try:
                self._job(name, jobs[name], needed)
            except json.JSONDecodeError as error:  # of `fromJSON`, with which GitHub fails the job
                self.say(f"= {name}: failure, fromJSON: {error}")
                self.jobs.append(JobRun(name, {}, "failure"))
                self.needs[name] = {"result": "failure", "outputs": {}}
        bad = any(each["result"] in {"failure", "cancelled"} for each in self.needs.values())
        return "failure" if bad or self.undecided else "success"

    def _job(self, name: str, job: Scope, needed: Scope) -> None:
        self._unknown(f"job {name}", job, _JOB)
        before = [each["result"] for each in self._before(name)]
        scope = self.scope(needs=needed)
        scope["functions"] |= {
            "success": lambda: all(each == "success" for each in before),
            "failure": lambda: "failure" in before,
        }
        state: Scope = {"result": "skipped", "outputs": {}}
        self.needs[name] = state
        if not asked(job.get("if"), scope):
            self.jobs.append(JobRun(name, {}, "skipped"))
            self.say(f"= {name}: skipped")
            return
        strategy = job.get("strategy") or {}
        self._unknown(f"job {name}: strategy", strategy, {"matrix", "fail-fast", "max-parallel"})
        results: list[str] = []
        stop = False
        for cell in cells(strategy, scope):
            run = JobRun(name, cell, "cancelled" if stop else "success")
            self.jobs.append(run)
            if not stop:
                local = self.scope(needs=needed, matrix=cell, strategy=strategy, job={"status": "success"})
                self._cell(run, job, local)
                forgiven = run.result == "failure" and _truth(filled(job.get("continue-on-error"), local))
                results.append("success" if forgiven else run.result)
                state["outputs"] |= {key: value for key, value in run.outputs.items() if value != ""}
                stop = results[-1] == "failure" and _truth(filled(strategy.get("fail-fast", True), local))
            self.say(f"= {name}{_named(cell)}: {run.result}")
        state["result"] = "failure" if "failure" in results else "success"

    def _before(self, name: str) -> Iterator[Scope]:
        """Results of all jobs that a job needs, and of those that they need."""
        seen, todo = set(), _listed(self.content["jobs"][name].get("needs"))
        while todo:
            each = todo.pop()
            if each not in seen:
                seen.add(each)
                todo += _listed(self.content["jobs"][each].get("needs"))
                yield self.needs[each]

    def _cell(self, run: JobRun, job: Scope, scope: Scope) -> None:
        folder = self.temporary / "jobs" / str(len(self.jobs))
        self.machine.make(folder)
        scope["github"] = {**self.github, "workspace": str(folder)}
        scope["env"] |= filled(job.get("env") or {}, scope)
        scope["steps"], scope["path"] = {}, []
        scope["functions"] |= {
            "success": lambda: run.result == "success",
            "failure": lambda: run.result == "failure",
        }
        if not isinstance(job.get("steps"), list):
            self.left_out(f"job {run.id}: a job without steps", decides=True)
            run.result = "failure"
            return
        machine = _text(filled(job.get("runs-on"), scope))
        if other := re.search("windows|macos", machine, re.IGNORECASE):
            self.left_out(f"runs-on: {machine}", decides=True)
        if other or job.keys() & {"container", "services"}:  # where its steps would not be what they are there
            run.result = "failure"
            return
        defaults = {**_run_defaults(self.content), **_run_defaults(job)}
        self.say(f"# {run.id}{_named(run.matrix)}")
        for number, step in enumerate(job["steps"], 1):
            run.steps.append(done := self._step(step, number, folder, scope, defaults))
            if done.conclusion == "failure":
                run.result = scope["job"]["status"] = "failure"
            if step.get("id"):
                scope["steps"][step["id"]]["outcome"] = done.outcome
                scope["steps"][step["id"]]["conclusion"] = done.conclusion
        self.machine.end_all()
        run.outputs = {key: _text(filled(value, scope)) for key, value in (job.get("outputs") or {}).items()}

    def _step(self, step: Scope, number: int, folder: Path, scope: Scope, defaults: Scope) -> StepRun:
        title = str(step.get("name") or step.get("uses") or str(step.get("run", "")).strip().partition("\n")[0])
        self._unknown(f"step {title!r}", step, _STEP)
        state: Scope = {"outputs": {}}
        scope["steps"][step.get("id", f"__{number}")] = state
        local = {**scope, "env": {**scope["env"]}}
        local["env"] |= filled(step.get("env") or {}, local)
        done = StepRun(_text(filled(title, local)))
        if not asked(step.get("if"), local):
            self.say(f"  - {done.name}: skipped")
            return done
        if "uses" in step:
            done.code, done.output = self._use(str(step["uses"]), filled(step.get("with") or {}, local), folder)
        elif "run" in step:
            done.code, done.output = self._shell(step, folder, scope, local, defaults)
        else:
            raise WorkflowError(f"step {number} has neither run nor uses")
        done.outcome = done.conclusion = "success" if done.code == 0 else "failure"
        if done.code != 0 and _truth(filled(step.get("continue-on-error"), local)):
            done.conclusion = "success"
        self.say(f"  - {done.name}: {done.outcome}" + (f" (exit {done.code})" if done.code else ""))
        for line in done.output.splitlines():
            self.say(f"      {line}")
        return done

    def _shell(self, step: Scope, folder: Path, scope: Scope, local: Scope, defaults: Scope) -> tuple[int, str]:
        shell = str(step.get("shell") or defaults.get("shell") or "")
        if shell not in _SHELLS:
            self.left_out(f"shell {shell}", decides=True)
            return 1, f"the shell {shell} is not emulated"
        where = filled(step.get("working-directory") or defaults.get("working-directory") or ".", local)
        place = folder / str(where)
        if str(where) != "." and not self.machine.is_folder(place):
            return 1, f"the working directory {where} is not there"
        command = [str(self.temporary / "script") if word == "{0}" else word for word in _SHELLS[shell]]
        code, output, told = self.machine.step(
            command, _text(filled(step["run"], local)), place, self._variables(local)
        )
        for old in _OLD.findall(output):
            self.left_out(f"::{old}", decides=True)
        try:
            scope["env"] |= _assignments(told["ENV"])
            # the state of this step is the last that was made
            list(scope["steps"].values())[-1]["outputs"] |= _assignments(told["OUTPUT"])
        except ValueError as error:
            return code or 1, f"{output}\n{error}"
        scope["path"][:0] = reversed(told["PATH"].split("\n")[:-1])
        self.summary += told["STEP_SUMMARY"]
        return code, output

    def _variables(self, local: Scope) -> dict[str, str]:
        own = {f"GITHUB_{name.upper()}": value for name, value in local["github"].items()}
        own |= {f"GITHUB_{name}": str(self.temporary / f"told-{name}") for name in _TOLD}
        own |= {"CI": "true", "GITHUB_ACTIONS": "true", "RUNNER_OS": "Linux", "RUNNER_TEMP": str(self.temporary)}
        own["PATH"] = ":".join([*local["path"], self.machine.path])
        return own | {str(key): _text(value) for key, value in local["env"].items()}

    def _use(self, uses: str, given: Scope, folder: Path) -> tuple[int, str]:
        action = uses.partition("@")[0]
        kept = self.temporary / "artifacts" / str(given.get("name", "artifact"))
        if action == "actions/checkout":
            for key in given.keys() - {"fetch-depth", "persist-credentials"}:
                self.left_out(f"actions/checkout: {key}", decides=True)
            self.machine.check_out(folder)
            return 0, ""
        if action == "actions/setup-python":
            for key in given.keys() - {"python-version"}:
                self.left_out(f"actions/setup-python: {key}", decides=key == "python-version-file")
            version = _text(given.get("python-version", "3"))
            if not re.match(r"3(\.([89]|1\d)(\D|$)|$|\.x)", version):
                return 1, f"there is no Python {version}"
            if not sys.version.startswith(version.removesuffix(".x")):
                self.left_out(f"Python {version}: the one here is {sys.version.split()[0]}")
            return 0, f"python {version} was asked for; the one here is {sys.version.split()[0]}"
        if action == "actions/cache":
            return 0, "nothing was cached"
        if action in {"actions/upload-artifact", "actions/download-artifact"}:
            known = {"name", "path", "if-no-files-found", "retention-days", "compression-level"}
            for key in given.keys() - known:
                self.left_out(f"{action}: {key}", decides=True)
            if re.search(r'[\\/:*?"<>|]', str(given.get("name", ""))):
                return 1, f"{given['name']} is no name of an artifact"
            return self._upload(given, folder, kept) if "upload" in action else self._download(given, folder, kept)
        self.left_out(f"uses: {uses}", decides=True)
        return 1, f"{uses} is not emulated"

    def _upload(self, given: Scope, folder: Path, kept: Path) -> tuple[int, str]:
        lines = [line.strip() for line in _text(given.get("path")).splitlines() if line.strip()]
        if any(line.startswith("!") for line in lines):
            self.left_out("actions/upload-artifact: paths with !", decides=True)
        how = self.machine.files(keep_artifact, lines, str(folder), str(kept))
        if how == "none":
            policy = given.get("if-no-files-found", "warn")
            return int(policy == "error"), f"no files were found for {', '.join(lines)}"
        return (1, f"an artifact {kept.name} exists already") if how == "taken" else (0, "")

    def _download(self, given: Scope, folder: Path, kept: Path) -> tuple[int, str]:
        """One artifact by its name; without one, each into a folder of its name."""
        source = kept if given.get("name") else kept.parent
        place = folder / str(given.get("path", "."))
        how = self.machine.files(fetch_artifact, str(source), str(place))
        return (1, f"there is no artifact {kept.name}") if how == "none" and given.get("name") else (0, "")


def keep_artifact(lines: list[str], folder: str, kept: str) -> str:
    """Copies what is asked for into the folder of an artifact, with the paths below what all of it has in common."""
    import glob
    import os
    import re
    import shutil

    found = [os.path.join(folder, each) for line in lines for each in glob.glob(line, root_dir=folder, recursive=True)]
    if not found:
        return "none"
    if os.path.exists(kept):
        return "taken"
    os.makedirs(kept)
    common = os.path.commonpath([os.path.join(folder, re.split(r"[^/]*[*?\[]", line, maxsplit=1)[0]) for line in lines])
    common = common if os.path.isdir(common) else os.path.dirname(common)
    for path in found:
        place = os.path.join(kept, os.path.relpath(path, common))
        if os.path.isdir(path):
            shutil.copytree(path, place, dirs_exist_ok=True)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(path, place)
    return "kept"


def fetch_artifact(source: str, place: str) -> str:
    """Copies what an artifact's folder holds, or that of all artifacts."""
    import os
    import shutil

    if not os.path.isdir(source):
        return "none"
    shutil.copytree(source, place, dirs_exist_ok=True)
    return "fetched"


class Machine:
    """Where a workflow's commands run, and where its files are: here, over a folder."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.temporary = Path(tempfile.mkdtemp(prefix="workflow-"))
        self.path = os.environ.get("PATH", "/usr/bin:/bin")
        self._started: list[int] = []

    def make(self, folder: Path) -> None:
        """Makes a folder, and those above it."""
        folder.mkdir(parents=True)

    def is_folder(self, path: Path) -> bool:
        """Whether there is one."""
        return path.is_dir()

    def check_out(self, folder: Path) -> None:
        """Puts the files of the workspace into a folder."""
        shutil.copytree(self.source, folder, dirs_exist_ok=True, symlinks=True)

    def files(self, function: Callable[..., str], *given: object) -> str:
        """What a function that needs nothing but its own text does to files here."""
        return function(*given)

    def step(
        self, command: list[str], script: str, place: Path, env: dict[str, str]
    ) -> tuple[int, str, dict[str, str]]:
        """Exit status and output of a step, and what it wrote into `$GITHUB_ENV` and its like.

        It has ended when its command has, whatever that leaves running.
        """
        told = {name: self.temporary / f"told-{name}" for name in _TOLD}
        for path in told.values():
            path.write_text("")
        (self.temporary / "script").write_text(script)
        own = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        with tempfile.TemporaryFile() as out:
            done = subprocess.Popen(
                command,
                cwd=place,
                env=own | env,
                stdin=-3,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._started.append(done.pid)
            code = done.wait()
            out.seek(max(0, os.fstat(out.fileno()).st_size - 4 * _LONGEST))
            output = out.read(4 * _LONGEST).decode("utf-8", "replace")[-_LONGEST:]
        return code, output, {name: path.read_text() for name, path in told.items()}

    def end_all(self) -> None:
        """Ends what steps have left running."""
        while self._started:
            with suppress(ProcessLookupError):
                os.killpg(self._started.pop(), signal.SIGKILL)


class WorkMachine(Machine):
    """The same in the sandbox of the work, through a check's workspace. Its supervisor says how a command ended."""

    def __init__(self, ws: Any, seconds: float) -> None:
        self._ws, self._seconds = ws, seconds
        self.path = self._said(["printenv", "PATH"]).strip()
        self.temporary = Path(self._said(["mktemp", "-d", "/tmp/workflow-XXXXXXXX"]).strip())
        self.source = Path(self._said(["pwd"]).rstrip("\n"))

    def _said(self, command: list[str], stdin: str = "") -> str:
        done = self._ws.run(command, stdin=stdin, timeout=self._seconds)
        if done.code != 0:
            raise WorkflowError(f"{command[0]} ended with {done.code}: {done.stderr[-300:]}")
        return str(done.stdout)

    def make(self, folder: Path) -> None:
        self._said(["mkdir", "-p", str(folder)])

    def is_folder(self, path: Path) -> bool:
        return bool(self._ws.run(["test", "-d", str(path)]).code == 0)

    def check_out(self, folder: Path) -> None:
        self._said(["cp", "-a", f"{self.source}/.", str(folder)])

    def files(self, function: Callable[..., str], *given: object) -> str:
        """Has an interpreter of its own do it, which reads nothing of the work's but these files."""
        program = f"import json, sys\n{inspect.getsource(function)}\nprint({function.__name__}(*json.load(sys.stdin)))"
        return self._said(["python3", "-I", "-S", "-c", program], json.dumps(given)).strip()

    def step(
        self, command: list[str], script: str, place: Path, env: dict[str, str]
    ) -> tuple[int, str, dict[str, str]]:
        here = str(self.temporary)
        told = [f"{here}/told-{name}" for name in _TOLD]
        start = 'cat > "$0/script"; for name in ENV OUTPUT PATH STEP_SUMMARY; do : > "$0/told-$name"; done; '
        start += 'echo $$ >> "$0/started"; cd "$1" || exit 1; out=$0/out; shift; exec "$@" > "$out" 2>&1 < /dev/null'
        words = ["sh", "-c", start, here, str(place), *command]
        done = self._ws.run(words, stdin=script, env=env, timeout=self._seconds)
        text = "\n" + self._said(["tail", "-v", "-c", str(_MOST_TOLD), f"{here}/out", *told])
        parts = []
        for path in told:
            part, _, text = text.partition(f"\n==> {path} <==\n")
            parts.append(part)
        output = parts[0].partition(" <==\n")[2]
        code = 124 if done.code is None else done.code
        return code, output[-_LONGEST:], dict(zip(_TOLD, [*parts[1:], text], strict=True))

    def end_all(self) -> None:
        end = 'for each in $(cat "$0/started"); do kill -9 -- "-$each"; done 2> /dev/null; rm -f "$0/started"'
        self._ws.run(["sh", "-c", end, str(self.temporary)])


def run_beside(
    ws: Any, path: str, *, event: str = "push", ref: str = "refs/heads/main", seconds: float = 40
) -> tuple[Scope, Path]:
    """A report on a workflow of the work's, as `--json` has it, and the folder of its files in the work's sandbox.

    Args:
        ws: the workspace of a check.
        path: the workflow's file.
        event: what happened.
        ref: on which branch or tag.
        seconds: that each step may take.

    Raises:
        AssertionError: the file is no workflow, which is the work's failure.
    """
    try:
        run = Run(parsed_workflow(ws.read(path), path), WorkMachine(ws, seconds), event, ref, lambda _: None)
        return run.report(), run.temporary
    except (WorkflowError, FileNotFoundError, *_NOT_BUILT) as error:
        raise AssertionError(f"{path} is no workflow that can be run: {type(error).__name__}: {error}") from error


def _assignments(text: str) -> dict[str, str]:
    """What a step wrote into $GITHUB_ENV or $GITHUB_OUTPUT: `name=value`, or `name<<END` and lines until END."""
    made: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, mark, end = line.partition("<<")
        if mark and "=" not in name:
            held = list(itertools.takewhile(lambda each, end=end: each != end, lines))  # type: ignore[misc]
            made[name] = "\n".join(held)
        elif "=" in line:
            made[line.partition("=")[0]] = line.partition("=")[2]
        elif line.strip():
            raise ValueError(f"invalid format: {line!r}; expected name=value")
    return made


def _listed(value: Any) -> list[str]:
    return list(value) if isinstance(value, list) else [value] if value else []


def _named(cell: Scope) -> str:
    return f" ({', '.join(_text(value) for value in cell.values())})" if cell else ""


def _run_defaults(table: Scope) -> Scope:
    return dict((table.get("defaults") or {}).get("run") or {})


def _in_order(jobs: dict[str, Scope]) -> list[str]:
    """Jobs, those first that others need."""
    order: list[str] = []
    while len(order) < len(jobs):
        ready = [name for name in jobs if name not in order and set(_listed(jobs[name].get("needs"))) <= set(order)]
        if not ready:
            rest = sorted(jobs.keys() - set(order))
            raise WorkflowError(f"the jobs {', '.join(rest)} need each other, or a job that is not there")
        order += ready
    return order


def parsed_workflow(text: str, path: str) -> Scope:
    """A workflow from the text of its file. One in JSON, which is YAML too, needs no PyYAML.

    Raises:
        WorkflowError: it is none.
    """
    try:
        content = json.loads(text) if text.startswith("{") else importlib.import_module("yaml").safe_load(text)
    except ImportError as error:
        raise WorkflowError("PyYAML is not installed, and without it no workflow can be read") from error
    except Exception as error:
        raise WorkflowError(f"{path} cannot be read: {error}") from error
    _bounded(content, path)
    jobs = content.get("jobs") if isinstance(content, dict) else None
    if not isinstance(jobs, dict) or not jobs or not all(isinstance(job, dict) for job in jobs.values()):
        raise WorkflowError(f"{path} has no jobs; expected `jobs:` with a table for each")
    if triggers(content) is None:
        raise WorkflowError(f"{path} has no `on:`; expected the events that start it")
    for name, job in jobs.items():
        if "runs-on" not in job and "uses" not in job:
            raise WorkflowError(f"job {name} has no runs-on; expected a machine, such as ubuntu-latest")
    return dict(content)


def _bounded(content: Any, path: str) -> None:
    """Refuses what is endless, or very much, where each alias of YAML stands for what it names."""
    todo, seen = [content], 0
    while todo:
        value, seen = todo.pop(), seen + 1
        if seen > _MOST_VALUES:
            raise WorkflowError(f"{path} holds more than {_MOST_VALUES} values; expected a workflow")
        todo += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def triggers(content: Scope) -> dict[str, Any] | None:
    """Events that start a workflow, with their filters; YAML reads the key `on` as true."""
    keys: dict[Any, Any] = content
    on = keys.get("on", keys.get(True))
    if isinstance(on, dict):
        return {name: table or {} for name, table in on.items()}
    return {name: {} for name in _listed(on)} or None


def started(content: Scope, event: str, ref: str, leave_out: Callable[[str], object]) -> bool:
    """Whether an event on a branch or tag starts a workflow."""
    table = (triggers(content) or {}).get(event)
    if not isinstance(table, dict):
        return table is not None
    for key in table.keys() & {"paths", "paths-ignore", "types"}:
        leave_out(f"on: {event}: {key}")
    tag = ref.startswith("refs/tags/")
    kind, other = ("tags", "branches") if tag else ("branches", "tags")
    name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    if f"{kind}-ignore" in table:
        return not _matches(name, _listed(table[f"{kind}-ignore"]))
    if kind in table:
        return _matches(name, _listed(table[kind]))
    return not table.keys() & {other, f"{other}-ignore"}


def _matches(name: str, patterns: list[str]) -> bool:
    """Whether the last pattern that fits takes a name; `!` excludes, `*` stops at a slash, `**` does not."""
    taken = False
    for pattern in map(str, patterns):
        shape = pattern.removeprefix("!")
        fits = fnmatchcase(name, shape) and ("**" in shape or name.count("/") == shape.count("/"))
        taken = (not pattern.startswith("!")) if fits else taken
    return taken


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Run a workflow of GitHub's in this folder, without GitHub.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--event", default="push", help="push, pull_request, schedule, ... (default: push)")
    parser.add_argument("--ref", default="refs/heads/main", help="what was pushed (default: refs/heads/main)")
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    asked_for = parser.parse_args()
    say: Callable[[str], object] = (lambda _: None) if asked_for.json else print
    machine = Machine(Path.cwd())
    try:
        try:
            text = asked_for.file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WorkflowError(f"{asked_for.file} cannot be read: {error}") from error
        content = parsed_workflow(text, str(asked_for.file))
        report = Run(content, machine, asked_for.event, asked_for.ref, say).report()
    except WorkflowError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except _NOT_BUILT as error:
        print(f"error: this is not built as a workflow is: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(machine.temporary, ignore_errors=True)
    if asked_for.json:
        print(json.dumps(report, indent=2))
    said = f"{report['conclusion']}: {len(report['jobs'])} jobs"
    print(said, file=sys.stderr if asked_for.json else sys.stdout)
    return 3 if report["undecided"] else int(report["conclusion"] == "failure")


if __name__ == "__main__":
    sys.exit(main())
