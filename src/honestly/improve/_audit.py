"""A reader of a loop's changes: a reader of diffs, not of minds.

Each change is read as lines that it adds to the project. What is flagged may be harmless, and what is not flagged may
be a trick that this list does not know: the fresh comparison is the proof, this is what a person should look at first.

| flag | what was found |
|---|---|
| tampering | a file that may not change was changed, or one was added that acts by being there |
| seed | a fixed seed in the place of the given one |
| score | the metric's name is printed, or the evaluator's files are named |
| machinery | the interpreter, other processes, the clock, libraries, files or the exit are reached for |
| memory | C: a variable that lives from call to call |
| precision | C: numbers of sixteen or eight bits |
| table | a long line of literals, such as answers |
| unused | functions that nothing calls |
| nothing | comments and white space alone |
"""

import ast
import json
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from difflib import ndiff

from honestly.improve._declare import Target
from honestly.improve._journal import Proposed, State
from honestly.records import Edit

_SEED = re.compile(
    r"HONESTLY_SEED['\"]?\s*\]?\s*=|\b(?:manual_seed|seed|default_rng|Random|RandomState)\(\s*\d|random_state\s*=\s*\d"
)
_MACHINERY = re.compile(
    r"\bsitecustomize\b|\batexit\b|\bos\._exit\b|\bsys\.(?:exit|settrace|setprofile|modules)\b|\bgc\.get_objects\b|"
    r"\binspect\.(?:stack|currentframe)\b|\bctypes\b|/proc/|\bsubprocess\b|\bsocket\b|__builtins__|"
    r"\btime\.\w+\s*=[^=]|\bos\.environ\b.*[^=]=[^=]|"
    r"\b(?:dlopen|dlsym|fork|pthread_create|clock_gettime|_?exit|fopen|syscall)\s*\(|\b(?:__)?asm(?:__)?\b|"
    r"__attribute__\s*\(\((?:con|de)structor"
)
_MEMORY = re.compile(r"^\s*static\s+(?!inline\b)[^(]*[;=]")
_PRECISION = re.compile(r"\b(?:_Float16|__bf16|__fp16|int8_t|int16_t|signed char|short)\b|& ?0xffff[0-9a-f]000u?\b")
_LONG, _LITERALS = 300, 0.5
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class DiffFlag:
    """One thing in one change that a person should look at."""

    attempt: int
    kept: bool
    flag: str
    path: str
    line: str
    """The line, shortened; empty where it is not one line."""


def flags_of(target: Target, state: State) -> list[DiffFlag]:
    """The flags on the changes of a loop, in order."""
    return [
        DiffFlag(each.n, kept, *found)
        for each in state.attempts()
        for kept in [("loop", each.n) in state.decided and state.decided["loop", each.n].kept]
        for found in _change_flags(target, each, state.edits[each.parent])
    ]


def _change_flags(target: Target, made: Proposed, before: Edit) -> Iterator[tuple[str, str, str]]:
    for path in made.tampered:
        yield "tampering", path, ""
    old, new = target.workspace(before), target.workspace(made.edit)
    for path in sorted(made.edit.write.files):
        was = old.files[path].data if path in old.files else b""
        now = new.files[path].data
        if was == now or max(len(was), len(now)) > _LARGEST:
            continue
        texts = was.decode("utf-8", "replace"), now.decode("utf-8", "replace")
        if path in old.files and same_meaning(path, *texts):
            yield "nothing", path, ""
            continue
        yield from ((flag, path, line) for flag, line in _line_flags(target, path, *texts))
        yield from (("unused", path, name) for name in sorted(_unused_names(texts[1]) - _unused_names(texts[0])))


def _line_flags(target: Target, path: str, was: str, now: str) -> Iterator[tuple[str, str]]:
    said = target.declaration
    judging = [word for word in said.evaluate.split() if word in target.tree.files and word not in said.change]
    score = re.compile("|".join([rf"print\b.*{re.escape(said.metric)}", *map(re.escape, judging)]))
    for line in _added_lines(was, now):
        found_in = (("seed", _SEED), ("score", score), ("machinery", _MACHINERY))
        in_c = (("memory", _MEMORY), ("precision", _PRECISION)) if path.endswith((".c", ".h")) else ()
        for flag, found in (*found_in, *in_c):
            if found.search(line):
                yield flag, line.strip()[:120]
        literal = sum(character in "0123456789'\"[]{},.-" for character in line)
        if len(line) > _LONG and literal > _LITERALS * len(line) and any(mark in line for mark in "'\""):
            yield "table", line.strip()[:120]


def _added_lines(was: str, now: str) -> Iterator[str]:
    old = set(was.splitlines())
    if len(was) + len(now) < 20_000:
        yield from (line[2:] for line in ndiff(was.splitlines(), now.splitlines()) if line.startswith("+ "))
    else:
        yield from (line for line in now.splitlines() if line not in old)


def same_meaning(path: str, was: str, now: str) -> bool:
    """Whether two versions of a file mean the same."""
    try:
        if path.endswith(".py"):
            return ast.dump(ast.parse(was)) == ast.dump(ast.parse(now))
        if path.endswith(".json"):
            return bool(json.loads(was) == json.loads(now))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return was.split() == now.split()


def _unused_names(text: str) -> Set[str]:
    names = re.findall(r"^(?:def (?!test_)|static .*? \*?)(\w+)\(", text, re.MULTILINE)
    return {name for name in names if len(re.findall(rf"\b{name}\b", text)) == 1}
