"""What the instruction of a task says that its hidden checks need, and the same instruction with some of it left out.

A table of facts lies beside the tasks of a suite, as `facts.toml`; docs/vague.md describes it. A fact is words of the
instruction, given by its first and last ones, so that a twin is the instruction less these words and nothing else, and
the words put back are the instruction. What a user knows (`Fact`) is made of the instruction alone: it holds nothing of
the hidden checks, so that no user can say anything of them.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from honestly._toml import toml_table
from honestly.errors import TaskError
from honestly.records import Suite, Task
from honestly.tasks import suite_file

FACTS_FILE = "facts.toml"
"""The name of the table, beside the tasks of a suite."""

VAGUE = ".vague"
"""How the name of an under-specified twin ends."""

_WORD = re.compile(r"[a-z0-9_]+")
_SENTENCE = re.compile(r"(?:[.:!?]\)?\s+|\n\s*\n|\n *(?:[-*]|\d+\.) +)")
_BULLET = re.compile(r"^\s*(?:[-*]|\d+\.) +")
_PART = re.compile(r"\n\s*\n|\n *(?:[-*]|\d+\.) +")
_ALIKE, _FEWEST = 0.8, 4
"""The share of a fact's words that a passage has which is said to tell it, too; and how many it takes to say so."""

_FEW = 3
"""Words of a question, common ones apart, so that one that it shares with a fact says what it is about."""
_WORDS = """
what which when where does should would could there their then than that this with from have been being into about your
they them will must many much more most some only also each every other another same such just like over under after
before between file files line lines value values number numbers name names give gives given used uses using want need
happen happens case cases mean means treat treated handle handled work works thing things else twice long text word
words write written read reads first last come comes made make makes take takes time times still even ever very rule
rules item items order orders list lists sure important importance follow follows following
"""
_COMMON = frozenset(_WORDS.split())


def _stems(text: str) -> set[str]:
    words = re.findall(r"[a-z]+|\d+", text.lower())
    return {word[:5] for word in words if (len(word) > 3 or word.isdigit()) and word not in _COMMON}


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a user knows, in words of the instruction."""

    name: str
    says: str
    """A passage of the full instruction, word for word."""
    about: tuple[str, ...]
    """Phrases: a question is about the fact where every word of one begins a word of the question."""

    def fits(self, question: str) -> int:
        """How much a question is about it; 0 where it is about something else.

        Ten for each word of the best phrase; or else one for each word in common, if there are two or the question is
        short.
        """
        words = set(_WORD.findall(question.lower()))
        fitting = (
            10 * len(stems)
            for phrase in self.about
            if (stems := phrase.split()) and all(any(word.startswith(stem) for word in words) for stem in stems)
        )
        asked = _stems(question)
        shared = len(asked & _stems(f"{self.says} {' '.join(self.about)}"))
        return max(fitting, default=shared if shared > 1 or len(asked) <= _FEW else 0)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A fact, with the parts that the user does not know."""

    fact: Fact
    spans: tuple[tuple[int, int], ...]
    """What a twin leaves out of the instruction: from and to, in characters."""
    rival: str
    """Name of the wrong solution that the twin allows, and the full instruction does not."""
    checks: tuple[str, ...]
    """Hidden checks that fail where this fact, and no other of the table, is not met."""
    look: str = ""
    """Shell command by which anybody can see whether the fact holds in a workspace; empty where there is none."""


@dataclass(frozen=True, slots=True)
class FactTable:
    """The facts of one task, in the order of its instruction."""

    task: str
    full: str
    """The instruction that says everything."""
    requirements: tuple[Requirement, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What a user may know."""
        return tuple(each.fact for each in self.requirements)

    def instruction(self, hidden: Collection[str]) -> str:
        """The instruction without these facts."""
        spans = sorted(span for each in self.requirements if each.fact.name in hidden for span in each.spans)
        return cut_text(self.full, spans)


def cut_text(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without some of it."""
    parts, at = [], 0
    for start, stop in sorted(spans):
        parts.append(text[at:start])
        at = max(at, stop)
    return "".join([*parts, text[at:]])


class _FactRow(msgspec.Struct, forbid_unknown_fields=True):
    cut: Annotated[list[str], Meta(min_length=1)]
    about: Annotated[list[str], Meta(min_length=1)]
    rival: str = ""
    says: str = ""
    look: str = ""
    checks: list[str] = []


def facts_of_suite(source: str | Path, suite: Suite) -> dict[str, FactTable]:
    """Read the tables of facts of a suite, by task; of a twin, the one of the task that it was made from.

    Args:
        source: where the suite is from: its name, folder or archive.
        suite: what was loaded from there.

    Raises:
        TaskError: the file is malformed, or names words that an instruction does not have.
    """
    if (data := suite_file(source, FACTS_FILE)) is None:
        return {}
    try:
        rows = msgspec.convert(toml_table(data), dict[str, dict[str, _FactRow | str]])
    except ValueError as error:  # what TOML, UTF-8 and msgspec say are ValueErrors
        raise TaskError(f"{FACTS_FILE} of {suite.name}: {error}; see docs/vague.md") from error
    return {task.id: _fact_table(task, rows[task.id]) for task in suite.tasks if task.id in rows}


def _fact_table(task: Task, rows: Mapping[str, _FactRow | str]) -> FactTable:
    given = rows.get("full")
    full = given if isinstance(given, str) else task.instruction
    facts = {name: row for name, row in rows.items() if isinstance(row, _FactRow)}
    spans = {
        name: tuple(find_passage(full, text, f"{task.id}.{name}") for text in row.cut) for name, row in facts.items()
    }
    found = []
    for name, row in facts.items():
        others = [span for other, group in spans.items() if other != name for span in group]
        start, stop = (
            find_passage(full, row.says, f"{task.id}.{name}") if row.says else _sentences_around(full, spans[name])
        )
        inside = [(a - start, b - start) for a, b in others if start <= a and b <= stop]
        says = _BULLET.sub("", cut_text(full[start:stop], inside)).strip()
        fact = Fact(name, says, tuple(row.about))
        found.append(Requirement(fact, spans[name], row.rival, tuple(row.checks), row.look))
    return FactTable(task.id, full, tuple(sorted(found, key=lambda each: each.spans)))


def find_passage(text: str, words: str, where: str = "the fact") -> tuple[int, int]:
    """From where to where the words stand in a text; ` ... ` is anything between the first and the last of them.

    Raises:
        TaskError: they stand nowhere, or the first of them at several places.
    """
    first, *rest = (r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in words.split(" ... "))
    found = re.search(".*?".join([first, *rest]), text, re.DOTALL)
    if found is None:
        raise TaskError(f"{where}: the instruction does not say {words!r}; expected words of the instruction")
    if (times := len(re.findall(first, text))) > 1:
        raise TaskError(f"{where}: the words before ` ... ` occur {times} times in the instruction; give more of them")
    return found.span()


def _sentences_around(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The sentences that have all of these places in them."""
    first, last = min(start for start, _ in spans), max(stop for _, stop in spans)
    first += len(text[first:last]) - len(text[first:last].lstrip())
    ends = [match.end() for match in _SENTENCE.finditer(text) if match.end() <= first]
    after = _SENTENCE.search(text, max(first, last - 2))
    return (ends[-1] if ends else 0), (after.start() + 1 if after else len(text))


def without_facts(task: Task, table: FactTable) -> Task:
    """The vague twin of a task: only its instruction and name differ."""
    hidden = {fact.name for fact in table.facts}
    return msgspec.structs.replace(
        task,
        id=task.id + VAGUE,
        instruction=table.instruction(hidden),
        tags=msgspec.structs.replace(task.tags, twin=task.id, cluster=task.tags.cluster or task.id),
    )


def places_that_tell(task: Task, table: FactTable, requirement: Requirement) -> list[str]:
    """Where else an agent would read a fact: the rest of the instruction, or a file that it gets."""
    words = {
        word for start, stop in requirement.spans for word in _WORD.findall(table.full[start:stop].lower()) if word[3:]
    }
    if len(words) < _FEWEST:
        return []
    texts = {"the instruction": table.instruction([fact.name for fact in table.facts])}
    for path, file in task.workspace.files.items():
        if file.mode != "link" and b"\0" not in file.data:
            texts[path] = file.data.decode("utf-8", "replace")
    return [
        path
        for path, text in texts.items()
        if any(len(words & set(_WORD.findall(part.lower()))) >= _ALIKE * len(words) for part in _PART.split(text))
    ]


def facts_toml(tables: Iterable[FactTable], *, twins: bool = False) -> str:
    """The tables as `facts.toml`; for twins with the full instruction beside each."""
    lines = []
    for table in tables:
        if twins:
            lines.append(f"[{_key(table.task + VAGUE)}]\nfull = {_toml_text(table.full)}\n")
        for each in table.requirements:
            name = f"{_key(table.task + (VAGUE if twins else ''))}.{_key(each.fact.name)}"
            cut = [table.full[start:stop] for start, stop in each.spans]
            rows = {"cut": cut, "about": list(each.fact.about), "checks": list(each.checks)}
            lines.append(f"[{name}]")
            lines += [f"{key} = [{', '.join(map(_toml_text, texts))}]" for key, texts in rows.items()]
            lines.append(f"rival = {_toml_text(each.rival)}")
            if each.look:
                lines.append(f"look = {_toml_text(each.look)}")
            if each.fact.says in table.full:
                lines.append(f"says = {_toml_text(each.fact.says)}")
            lines.append("")
    return "\n".join(lines)


def _toml_text(text: str) -> str:
    return msgspec.json.encode(text).decode()  # a basic string of TOML escapes as JSON does


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml_text(name)
