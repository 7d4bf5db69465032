"""The verdict on a change: rows of a page, the worst first, each with its evidence and the command that shows it.

What speaks against a change is a fact about it: a test that passed and fails, a claim that is not true, a test that was
silenced, a secret. Where nothing measured says whether it works, because no test runs it or no test would notice a
fault, the verdict is that it cannot be told. All else is for somebody to look at, and changes no verdict.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

from honestly.check._change import Change, shown_paths
from honestly.check._claims import UNTESTED, quoted_start
from honestly.check._honesty import WEAKER, lost_tests_text
from honestly.check._mutants import lines_reached
from honestly.check._records import (
    Answer,
    Area,
    ClaimResult,
    Difference,
    MutantCounts,
    Remark,
    SuiteResults,
    UncoveredLines,
    fault_text,
)
from honestly.show import Shown, plural_text, printable_text_line

SENTENCES = {
    "clear": "Nothing speaks against this change.",
    "fewer": "Nothing speaks against this change, but tests were skipped, deleted or weakened: look at them.",
    "against": "Something speaks against this change.",
    "cannot tell": "It cannot be told whether this change is right.",
}
EXIT_CODES = {"clear": 0, "against": 1, "cannot tell": 4}
_ORDER = ("against", "unknown", "look", "good", "note")
_MARKS = {
    "against": ("✗", "bold red"),
    "unknown": ("?", "bold yellow"),
    "look": ("!", "yellow"),
    "good": ("✓", "green"),
    "note": ("·", "dim"),
}
_MOST_ROWS, _EACH = 17, 4
_FAILING = {
    "broken": "passed before, failing now",
    "failing": "new or rewritten, failing",
    "silenced": "skipped now, would fail",
}
_REMOVAL = re.compile(
    r"\b(?:remov|delet|drop|deprecat|no longer|replac|renam|mov(?:e|es|ed|ing)\b|obsolete|unsupport|merg)"
    r"(?!\w*\s+(?:(?!and\b|for\b|of\b|from\b|in\b)[\w-]+\s+){0,3}tests?\b)",
    re.IGNORECASE,
)
"""What explains that a test which would fail is gone: something else than tests went."""
_NAMELESS = re.compile(
    r"ImportError|ModuleNotFoundError|AttributeError|NameError|cannot import|No module named|has no attribute"
)


def _escaped(char: str) -> str:
    """A character between the quotes of a shell's `$'...'`."""
    if char.isprintable():
        return f"\\{char}" if char in "\\'" else char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Row:
    """A line of the page."""

    weight: str
    """`against`, `unknown`, `look`, `good` or `note`."""
    area: Area
    text: str
    command: str
    path: str = ""
    line: int = 0
    evidence: str = ""


@dataclass(frozen=True)
class CheckResult(Shown):
    """Everything that a check found about a change."""

    change: Change
    claims: tuple[ClaimResult, ...]
    tests: SuiteResults
    uncovered: tuple[UncoveredLines, ...] | None
    mutants: MutantCounts | None
    differences: tuple[Difference, ...] | None
    honesty: tuple[Remark, ...]
    safety: tuple[Remark, ...]
    seconds: float
    again: str
    """The command that checks it again."""
    notes: tuple[str, ...] = ()
    structure: tuple[Remark, ...] = ()

    @cached_property
    def verdict(self) -> Answer:
        """Whether something speaks against it."""
        weights = {row.weight for row in self.rows}
        return "against" if "against" in weights else "cannot tell" if "unknown" in weights else "clear"

    @property
    def sentence(self) -> str:
        """The verdict in words, which say that a clear change took something from its tests."""
        fewer = self.verdict == "clear" and lost_tests_text(self.tests, self.honesty)
        return SENTENCES["fewer"] if fewer else SENTENCES[self.verdict]

    @property
    def exit_code(self) -> int:
        """0 nothing speaks against it, 1 something does, 4 it cannot be told."""
        return EXIT_CODES[self.verdict]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every line that there is to say, the worst first."""
        rows = [
            *self._of_tests(),
            *self._of_claims(),
            *self._of_remarks(),
            *self._of_mutants(),
            *self._of_differences(),
        ]
        return tuple(sorted(rows, key=lambda row: _ORDER.index(row.weight)))

    @property
    def words(self) -> str:
        """What is said of it and what was asked for."""
        return "\n".join((*self.change.messages, self.change.last_words, self.change.asked))

    def _command(self, area: str) -> str:
        return f"{self.again} --show {area}"

    def _diff(self, path: str) -> str:
        ends = " ".join(filter(None, (self.change.base[:10], self.change.head[:10])))
        word = shlex.quote(path) if path.isprintable() else f"$'{''.join(map(_escaped, path))}'"
        return f"git diff {ends} -- {word}"

    def _of_tests(self) -> Iterator[Row]:
        tests = self.tests

        def row(weight: str, names: tuple[str, ...], what: str) -> Row:
            text = f"{plural_text(len(names), 'test')} {what}: {shown_paths(names, 2)}"
            path, message = names[0].partition("::")[0], tests.messages.get(names[0], "")
            return Row(weight, "tests", text, self._command("tests"), path, 0, message)

        for sign in tests.forged:
            yield Row("against", "tests", sign, self._command("tests"))
        for name, what in _FAILING.items():
            if names := getattr(tests, name):
                # New tests that fail where most fail before, too, say more of what is installed than of the change.
                unfit = name == "failing" and tests.before is not None and tests.before.failed > tests.before.passed
                more = ", as most tests do before the change" if unfit else ""
                yield row("unknown" if unfit else "against", names, what + more)
        if tests.deleted:
            explained = _REMOVAL.search(self.words) or all(
                _NAMELESS.search(tests.messages.get(name, "")) for name in tests.deleted
            )
            gone = "deleted" if self._changes_files_of(tests.deleted) else "not run any more"
            yield row("look" if explained else "against", tests.deleted, f"{gone}, would fail")
        if tests.rewritten:
            weak = [name for name in tests.rewritten if self._is_weaker(name.partition("::")[0])]
            anew = not (weak or self._changes_files_of(tests.rewritten))
            how = "made weaker" if weak else "set up anew" if anew else "rewritten"
            # A set-up can put other code in the place of what is tested.
            missed = [each.path for each in self.uncovered or () if anew and len(each.lines) == each.changed]
            what = f"{how}, failing as they stood before" + (
                f", and none runs what changed in {missed[0]}" if missed else ""
            )
            weight = "against" if weak else "unknown" if missed else "look"
            yield row(weight, tuple(weak) or tests.rewritten, what)
        if tests.gone and not tests.deleted:
            yield row("look", tests.gone, "deleted, would pass")
        if tests.after is None:
            needed = bool(self.change.sources or self.change.tests)
            yield Row(
                "unknown" if needed else "note", "tests", f"tests were not run: {tests.note}", self._command("tests")
            )
            return
        if not tests.after.passed and self.change.sources:
            yield Row("unknown", "tests", "no test is left that passes", self._command("tests"))
        if tests.fixed:
            yield row("good", tests.fixed, "failing before, passing now")
        doubtful = not tests.after.passed or any(each.weight == "against" for each in self.honesty)
        yield Row("note" if doubtful else "good", "tests", self._passing, self._command("tests"))
        if tests.flaky:
            yield row("note", tests.flaky, "flaky, in either state, and not counted")

    @property
    def _passing(self) -> str:
        """How many tests pass, in words."""
        tests = self.tests
        assert tests.after is not None
        before = f" ({tests.before.passed:,} before)" if tests.before is not None else ""
        failed = (
            f", {tests.after.failed} failing before it, too"
            if tests.after.failed and not (tests.broken or tests.failing)
            else ""
        )
        seen = f"; {tests.guarded} of them seen to fail when they say the opposite"
        guarded = seen if tests.guarded and not tests.forged else ""
        return f"{plural_text(tests.after.passed, 'test')} passing{before}{failed}{guarded}"

    def _changes_files_of(self, names: tuple[str, ...]) -> bool:
        return any(name.partition("::")[0] in self.change.paths for name in names)

    def _is_weaker(self, path: str) -> bool:
        return any(each.path == path and WEAKER.search(each.what) for each in self.honesty)

    def _of_claims(self) -> Iterator[Row]:
        for claim in self.claims:
            if claim.state != "not testable":
                weight = "against" if claim.state == "contradicted" else "good"
                said = quoted_start(claim.text, 70)
                yield Row(weight, "claims", f"{claim.state}: “{said}”: {claim.evidence}", self._command("claims"))
        untested = [claim for claim in self.claims if claim.state == "not testable"]
        if untested:
            first = max(untested, key=lambda claim: claim.evidence != UNTESTED[1])
            why = "" if first.evidence == UNTESTED[1] else f": {first.evidence}"
            said = f"“{quoted_start(first.text, 60)}”{why}"
            text = f"{len(untested)} of {len(self.claims)} sentences not testable: {said}"
            yield Row("note", "claims", text, self._command("claims"))

    def _of_remarks(self) -> Iterator[Row]:
        for area, remarks in (("honesty", self.honesty), ("safety", self.safety), ("structure", self.structure)):
            for each in remarks:
                where = f" ({each.path}{f':{each.line}' if each.line else ''})" if each.path else ""
                command = self._diff(each.path) if each.path else self._command(area)
                yield Row(each.weight, area, f"{each.what}{where}", command, each.path, each.line, each.evidence)  # type: ignore[arg-type]

    def _of_mutants(self) -> Iterator[Row]:
        if self.tests.after is None:
            return
        if self.uncovered:
            changed = sum(active for active, _ in lines_reached(self.uncovered, self.change).values())
            gone = sum(len(each.lines) for each in self.uncovered)
            places = shown_paths([f"{each.path}:{each.lines[0]}" for each in self.uncovered])
            weight = "unknown" if gone == changed else "look"
            yield Row(
                weight,
                "uncovered",
                f"{gone} of {changed} changed lines run in no test: {places}",
                self._command("uncovered"),
                self.uncovered[0].path,
                self.uncovered[0].lines[0],
            )
        found = self.mutants
        if found is None or not found.tried:
            if self.change.sources and not self.uncovered and found is not None and found.made:
                yield Row("unknown", "mutants", "no mutant was tried", self._command("mutants"))
            return
        first = next((each for each in found.survivors if each.reached), next(iter(found.survivors), None))
        shown = f", as {first.path}:{first.line} {fault_text(first.before, first.after)}" if first else ""
        weight = "unknown" if not found.killed else "look" if found.survivors else "good"
        late = "; time was up for others" if any("time was up" in note for note in found.notes) else ""
        text = f"{found.killed} of {found.tried} small faults at the changed lines are noticed by tests{shown}{late}"
        yield Row(
            weight, "mutants", text, self._command("mutants"), first.path if first else "", first.line if first else 0
        )

    def _of_differences(self) -> Iterator[Row]:
        for each in (self.differences or ())[:_EACH]:
            text = f"{each.call[:60]} gave {each.before[:40]} and gives {each.after[:40]}"
            yield Row("look", "differences", text, self._command("differences"), each.function.partition("::")[0])

    def shown_rows(self) -> tuple[list[Row], int]:
        """The rows that fit on a screen, and how many are left out: no kind takes more than a few."""
        kept: list[Row] = []
        for row in self.rows:
            alike = [each for each in kept if (each.weight, each.area) == (row.weight, row.area)]
            if len(alike) < _EACH and len(kept) < _MOST_ROWS:
                kept.append(row)
        return kept, len(self.rows) - len(kept)

    @property
    def title(self) -> str:
        """The change in a line: what it is, how large."""
        change = self.change
        lines = sum(len(change.lines_of(path)) for path in change.paths if path in change.after.files)
        gone = sum(len(change.removed(path)) for path in change.paths if path in change.before.files)
        name = change.name or (change.head[:10] if change.head else "what is not committed")
        return f"{name}: {plural_text(len(change.paths), 'file')}, +{lines} −{gone} lines, against {change.base[:10]}"

    def to_plain(self) -> dict[str, Any]:
        """The fixed keys of `--json`."""
        tests, mutants = msgspec.to_builtins(self.tests), self.mutants
        return {
            "verdict": self.verdict,
            "change": {"name": self.change.name, "base": self.change.base, "head": self.change.head,
                       "files": list(self.change.paths)},
            "claims": msgspec.to_builtins(self.claims),
            "tests": tests,
            "uncovered": None if self.uncovered is None else msgspec.to_builtins(self.uncovered),
            "mutants": None if mutants is None else {
                "made": mutants.made, "tried": mutants.tried, "killed": mutants.killed,
                "survived": len(mutants.survivors),
                "survivors": msgspec.to_builtins(mutants.survivors), "notes": list(mutants.notes),
            },
            "differences": None if self.differences is None else msgspec.to_builtins(self.differences),
            "honesty": msgspec.to_builtins(self.honesty),
            "safety": msgspec.to_builtins(self.safety),
            "structure": msgspec.to_builtins(self.structure),
            "rows": [{"weight": row.weight, "area": row.area, "text": row.text, "command": row.command}
                     for row in self.rows],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }  # fmt: skip

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = {"clear": "bold green", "against": "bold red", "cannot tell": "bold yellow"}[self.verdict]
        rows, left = self.shown_rows()
        width = max(40, options.max_width - 2)
        head = [Text(self.sentence, style), Text(printable_text_line(f"{self.title}; {self.seconds:.0f} s"), "dim")]
        notes = [Text(f"· {printable_text_line(note[:300])}", "dim") for note in self.notes[:2]]
        yield from (*head, Text())
        # A screen also has a blank line, what is left out, and the next prompt: the verdict is not to leave it.
        taken = sum(len(each.wrap(console, width)) for each in (*head, *notes)) + 5
        room = console.height - taken if console.is_terminal else 10**6
        for number, row in enumerate(rows):
            mark, colour = _MARKS[row.weight]
            line = Text(printable_text_line(row.text))
            line.append(f"{'  ' if len(line) + len(row.command) + 2 <= width else chr(10)}{row.command}", "dim")
            parts = line.wrap(console, width)
            room -= len(parts)
            if room < 0 and number:
                left += len(rows) - number
                break
            for at, part in enumerate(parts):
                part.rstrip()
                yield Text.assemble((f"{mark} ", colour) if at == 0 else "  ", part)
        if left:
            yield Text(f"· {plural_text(left, 'more line')}: {self._command('all')}", style="dim")
        yield from notes

    def details(self, area: str) -> Group:
        """All that is known of an area of the evidence; `all` for every row."""
        lines: list[str] = []
        for row in self.rows:
            if area in ("all", row.area):
                lines += [
                    f"{_MARKS[row.weight][0]} {row.text}",
                    f"    {row.command}",
                    *([f"    {row.evidence}"] if row.evidence else []),
                ]
        if area == "tests":
            for name in (*_FAILING, "deleted", "rewritten", "gone", "fixed", "flaky", "failing_before"):
                for test in getattr(self.tests, name):
                    message = self.tests.messages.get(test, "")
                    lines.append(f"{name.replace('_', ' ')}  {test}" + (f"  {message}" if message else ""))
        elif area == "claims":
            lines = [f"{each.state:13}  {each.text}  ({each.evidence})" for each in self.claims]
        elif area == "uncovered":
            lines += [f"{each.path}:{line}" for each in self.uncovered or () for line in each.lines]
        elif area == "mutants" and self.mutants is not None:
            lines += self.mutants.notes
            for mutant in self.mutants.survivors:
                lines += [
                    f"{mutant.path}:{mutant.line}" + ("" if mutant.reached else "  (no test runs it)"),
                    f"  - {mutant.before}",
                    f"  + {mutant.after}",
                ]
        elif area == "differences":
            lines = []
            for each in self.differences or ():
                lines += [f"{each.function}  ({each.source} arguments)", f"  {each.call}"]
                lines += [f"  - {each.before}", f"  + {each.after}"]
        return Group(*(Text(printable_text_line(line)) for line in lines or ["nothing"]))
