"""Compiled Python that holds what is new in a reference: its code, or the names and texts of it.

It is read in a sandbox. Compiled by this version of Python, the code of functions is compared; by another one, which
cannot be loaded here, the names and texts are looked for that the reference has and the workspace has not.
"""

import json
from collections.abc import Mapping

from honestly.errors import SandboxError
from honestly.records import File, Task, Tree
from honestly.verify import OpenBox

_COMPARE = """
import ast, importlib.util, json, marshal, types

def bare(code):
    consts = code.co_consts
    if consts and isinstance(consts[0], (str, type(None))):
        consts = consts[1:]
    return [c for c in consts if not isinstance(c, types.CodeType)]

def codes(code, found):
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            codes(each, found)
    found.add((code.co_name, code.co_code, repr(bare(code)), code.co_names, code.co_varnames))
    return found

def words(code, found):
    found |= {*code.co_names, *code.co_varnames, code.co_name}
    found |= {each for each in code.co_consts if isinstance(each, str)}
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            words(each, found)
    return found

def of_source(text, what):
    try:
        return what(compile(text, "f", "exec"), set()) if text else set()
    except (SyntaxError, ValueError):
        return set()

def told(data, texts):
    want = {each for each in texts if len(each) > 4 and each.isascii()}
    there = {each for each in want if each.encode() in data}
    return None if len(want) < 4 else len(there) * 5 >= len(want) * 4

want = json.load(open("want.json"))
new = {name: of_source(after, codes) - of_source(before, codes) for name, (before, after) in want.items()}
texts = {name: of_source(after, words) - of_source(before, words) for name, (before, after) in want.items()}
for at, path in enumerate(json.load(open("paths.json"))):
    data = open(f"c{at}", "rb").read()
    found, why = set(), ""
    if data[:4] != importlib.util.MAGIC_NUMBER:
        why = "compiled by another version of Python"
    else:
        try:
            found = codes(marshal.loads(data[16:]), set())
        except Exception as error:
            why = "no code: " + type(error).__name__
    said = {name: told(data, texts[name]) for name in new} if why else {}
    for name, some in new.items():
        if some and len(some & found) * 2 >= len(some) or said.get(name):
            print(json.dumps([path, "holds", name]))
            break
    else:
        print(json.dumps([path, "unread" if None in said.values() else "clean", why]))
"""


async def compiled_from(
    task: Task, compiled: Mapping[str, bytes], open_box: OpenBox
) -> tuple[dict[str, str], list[str]]:
    """Compiled files with half of the functions that are new in the reference, and what could not be told."""
    assert task.hidden is not None
    written = (*task.hidden.reference.write.files.items(), *task.hidden.solution.files.items())
    want = {
        path: (_file_text(task.workspace.files.get(path)), _file_text(file))
        for path, file in written
        if path.endswith(".py")
    }
    if not want:
        known = bool(task.hidden.reference.write.files)  # what is not Python is not compiled to it
        return {}, [] if known else [f"{len(compiled)} compiled files: what the reference writes is not known"]
    tree = {f"c{at}": data for at, data in enumerate(compiled.values())}
    tree |= {"want.json": json.dumps(want).encode(), "paths.json": json.dumps(list(compiled)).encode()}
    found, unread, seen = {}, list[str](), set[str]()
    try:
        async with open_box(Tree.of({**tree, "compare.py": _COMPARE})) as box:
            result = await box.exec(["python3", "compare.py"], timeout=60.0)
    except SandboxError as error:
        return {}, [f"compiled files: {error}"[:200]]
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        path, state, about = json.loads(line)
        seen.add(path)
        if state == "holds":
            found[path] = f"it was compiled from the reference's {about}"
        elif state == "unread":
            unread.append(f"{path}: {about}")
    return found, [*unread, *(f"{path}: not read" for path in compiled if path not in seen)]


def _file_text(file: File | None) -> str:
    return file.data.decode("utf-8", "replace") if file is not None else ""
