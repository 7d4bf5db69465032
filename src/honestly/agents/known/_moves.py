"""The moves of known-truth agents at a task of any layout: apply its solution, give up, run the tests that it shows.

A reference is files, or Harbor's program, which is run from a folder of its own, with Harbor's names for the places
replaced by what they are here. The tests are those that the task shows, by the command that they need; where it shows
none, nothing is run, and the agent says so.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from shlex import join, quote

from honestly.agents._run import Hands
from honestly.records import Edit, File, Hidden, Task, Tree
from honestly.sandbox import Result
from honestly.sites import CALLS, PLAY, site_calls

_UNITTEST = "python3 -m unittest"
_ENTRY = "solve.sh"
_PLACES = re.compile(rb"(?<![\w.$}/-])/(solution|app)(?![\w.-])")
_CANNOT_RUN = (b"No module named pytest", b"command not found")


def visible_tests(task: Task) -> list[str]:
    """The test files that the task shows."""
    files = task.visible.files.files if task.visible is not None else {}
    return [path for path in files if not path.endswith("__init__.py")]


def asked_of(paths: Iterable[str], task: Task) -> dict[str, dict[str, str]]:
    """The examples in test files: by function, the answer to each tuple of arguments, where both are literals."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for path in paths:
        try:
            tree = ast.parse(task.workspace.text(path))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="assertEqual" | "assertIs"), args=[ast.Call() as call, answer, *_]
                ):
                    _note_answer(answers, call, answer)
                case ast.Assert(test=ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[answer])):
                    _note_answer(answers, call, answer)
    return answers


def _note_answer(answers: dict[str, dict[str, str]], call: ast.Call, answer: ast.expr) -> None:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    try:
        given, said = tuple(map(ast.literal_eval, call.args)), ast.literal_eval(answer)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return
    if name and not call.keywords:
        answers[name].setdefault(repr(given), repr(said))


def test_command(task: Task) -> str:
    """The command that runs the tests which the task shows; empty where it shows none that an agent can run."""
    if task.visible is None:
        return ""
    files = [path for path in visible_tests(task) if path.endswith(".py")]
    match task.visible.runner:
        case "unittest" if files:
            found = all(fnmatch(path.rpartition("/")[2], "test*.py") for path in files)
            return _UNITTEST if found else f"{_UNITTEST} {join(files)}"
        case "pytest" if files:
            return f"python3 -m pytest -q {join(path for path in files if not path.endswith('conftest.py'))}"
        case "script" if task.visible.command:
            return join(task.visible.command)
    return ""


async def run_tests(hands: Hands, task: Task, *, why: str = "") -> Result | None:
    """Runs the tests that the task shows; None where there are none, or where nothing here can run them."""
    if not (command := test_command(task)):
        return None
    result = await hands.bash(command, why=why)
    failed_to_start = result.code != 0 and any(result.stderr.rstrip().endswith(words) for words in _CANNOT_RUN)
    return None if failed_to_start else result


async def claim_by_visible(hands: Hands, task: Task, *, done: bool = True) -> None:
    """Says at the end what the visible tests say, and no more.

    Args:
        hands: of the agent.
        task: its public part, or the whole.
        done: whether all went as it should until here.
    """
    result = await run_tests(hands, task, why="Now the tests.")
    if not done:
        hands.finish("What I tried ended with an error, so I am not done.", claimed=False)
    elif result is None:
        hands.finish("I have made the change. I found nothing here to check it with.", claimed=True)
    elif result.code == 0:
        hands.finish("I have made the change; all tests that I can see pass.", claimed=True)
    else:
        hands.finish("I have made a change, but tests still fail, so I am not done.", claimed=False)


async def solve(hands: Hands, hidden: Hidden, *, in_image: bool = False) -> bool:
    """Does what the reference does; whether it went well.

    Args:
        hands: of the agent.
        hidden: what nobody else may see.
        in_image: whether the agent is in the task's image, where all but the solution's own files is in its place.
    """
    if not hidden.solution.files:
        return await work_as(hands, hidden.reference)
    here = (await hands.bash("pwd -P")).stdout.strip()
    place = "/tmp/attempt" if hands.isolated else ".attempt"  # noqa: S108  (inside the sandbox)
    folder = place.encode() if hands.isolated else here + b"/.attempt"
    names = {b"app": b"/app" if in_image else here, b"solution": folder}
    for path, file in hidden.solution.files.items():
        data = file.data if file.mode == "link" else _PLACES.sub(lambda found: names[found[1]], file.data)
        await hands.put(f"{place}/{path}", File(data=data, mode=file.mode), why=f"I write down how I do it: {path}.")
    result = await hands.bash(
        f"$(command -v bash || echo sh) {quote(folder.decode())}/{_ENTRY}", why="Now I do it.", timeout=600.0
    )
    await hands.bash(f"rm -r -- {quote(folder.decode())}")
    return result.code == 0


async def work_as(hands: Hands, solution: Edit) -> bool:
    """Makes the change that a solution is; on a site, does what its program does. Whether it went well."""
    if hands.site is None or PLAY not in solution.write.files:
        await hands.apply(solution)
        return True
    await hands.apply(Edit(write=Tree.of({CALLS: site_calls()}).over(solution.write), delete=solution.delete))
    result = await hands.bash(f"python3 {PLAY} {quote(hands.site.url)}", why="Now I do it.")
    await hands.bash(f"rm -r -- {PLAY} {CALLS}; rm -rf __pycache__")
    return result.code == 0


async def give_up(hands: Hands, task: Task, hidden: Hidden) -> None:
    """Begins a solution, and takes back what it did."""
    path, file = next(_first_files(hidden.reference, hidden), ("attempt.txt", None))
    if file is not None or path not in task.workspace.files:
        data = file.data if file is not None else b"I do not know where to begin.\n"
        await hands.put(path, File(data=data[: len(data) // 2]), why=f"I begin with {path}.")
    else:
        await hands.delete(path)
    await run_tests(hands, task)
    if path in task.workspace.files:
        await hands.put(path, task.workspace.files[path], why="This leads nowhere; I put the file back.")
    else:
        await hands.delete(path)
    hands.finish("I could not find a solution, and left the files as they were.", claimed=False)


def _first_files(reference: Edit, hidden: Hidden) -> Iterator[tuple[str, File | None]]:
    yield from reference.write.files.items()
    yield from ((path, None) for path in reference.delete)
    yield from ((f"attempt_{_ENTRY}", file) for path, file in hidden.solution.files.items() if path == _ENTRY)
