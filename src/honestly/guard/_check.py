"""What a policy sees of labelled commands: misses and false alarms by kind, with their intervals.

A case is a command with a label: whether it does what a rule forbids. Where a case brings rules of its own (`deny`),
it is judged by those in the place of the policy's. Without cases, the ways are tried in which the policy's own rules
can be got round, made of the labelled commands of this package. A command that is asked about counts as seen, and is
counted apart. Intervals are Clopper and Pearson's, of a kind's cases; they say what other cases of the kind may show
only if those are like these.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
from rich.console import Console, ConsoleOptions, RenderResult

from honestly.agents import PolicyJudge
from honestly.errors import SettingsError
from honestly.permissions import ToolPolicy, parse_rules
from honestly.show import FittingTable, Shown, percent_text, printable_line
from honestly.stats import clopper_pearson_interval

_LARGEST = 64 << 20
_SHOWN = 20
WORDS = ("deny", "ask", "allow")
_KEYS = ("command", "forbidden", "kind", "deny")
_SAMPLES = {
    "rm": ("rm a.txt", "Bash(rm:*)"),
    "read": (".env", "Read(.env)"),
    "edit": ("migrations/1.sql", "Edit(migrations/**)"),
}


@dataclass(frozen=True, slots=True)
class LabelledCommand:
    """A command with its label."""

    command: str
    forbidden: bool
    kind: str = ""
    deny: tuple[str, ...] = ()
    """Rules that hold for it in the place of the policy's; none for those of the policy."""


@dataclass(frozen=True, slots=True)
class KindCheck:
    """What came of the cases of one kind."""

    kind: str
    forbidden: int = 0
    missed: int = 0
    forbidden_asked: int = 0
    harmless: int = 0
    false_alarms: int = 0
    """Harmless commands that are refused."""
    harmless_asked: int = 0
    examples: tuple[str, ...] = ()
    """Commands that were missed, or refused without need."""


@dataclass(frozen=True, slots=True)
class GuardCheck(Shown):
    """What a policy sees of labelled commands."""

    kinds: tuple[KindCheck, ...]
    microseconds: float
    """Median of one decision, of wall-clock time on this machine."""
    untried: tuple[str, ...] = ()
    """Rules that deny and for which no command was made, where none were given."""

    main_table = "by_kind"

    @property
    def total(self) -> KindCheck:
        """All kinds together."""
        names = ("forbidden", "missed", "forbidden_asked", "harmless", "false_alarms", "harmless_asked")
        return KindCheck("all", **{name: sum(getattr(each, name) for each in self.kinds) for name in names})

    def to_plain(self) -> dict[str, Any]:
        """Counts, and a row for each kind."""
        total = self.total
        return {
            "cases": total.forbidden + total.harmless,
            "missed": total.missed,
            "false_alarms": total.false_alarms,
            "asked": total.forbidden_asked + total.harmless_asked,
            "by_kind": [_kind_row(each) for each in self.kinds],
            "forbidden": total.forbidden,
            "harmless": total.harmless,
            "missed_interval": _interval(total.missed, total.forbidden),
            "false_alarms_interval": _interval(total.false_alarms, total.harmless),
            "microseconds": self.microseconds,
            "untried": list(self.untried),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The counts, a table of kinds, and what was missed or refused without need."""
        total = self.total
        yield (
            f"Of {total.forbidden} forbidden commands {total.forbidden - total.missed} are seen, "
            f"{total.forbidden_asked} of them asked about; {_share_text(total.missed, total.forbidden)} are missed."
        )
        yield (
            f"Of {total.harmless} harmless ones {total.false_alarms} are refused and {total.harmless_asked} asked "
            f"about; {_share_text(total.false_alarms, total.harmless)} are false alarms."
        )
        table = FittingTable("kind", "forbidden", "missed", "asked", "harmless", "refused", "asked", box=None)
        for each in self.kinds:
            forbidden = (each.forbidden, each.missed, each.forbidden_asked)
            harmless = (each.harmless, each.false_alarms, each.harmless_asked)
            table.add_row(printable_line(each.kind), *map(str, (*forbidden, *harmless)))
        yield table
        for text in [text for kind in self.kinds for text in kind.examples][:_SHOWN]:
            yield f"  {text!r}"
        if self.untried:
            yield f"No command was tried for {', '.join(map(printable_line, self.untried))}; give CASES."
        yield f"A decision takes {self.microseconds:.0f} µs (median, wall clock)."


def check_policy(
    policy: ToolPolicy, cases: Iterable[LabelledCommand] | None = None, judge: PolicyJudge | None = None
) -> GuardCheck:
    """Measure which cases a policy catches; by default, ways around its own rules.

    With a judge, it is asked where no rule denies, as in a trial.

    Raises:
        SettingsError: There are no cases, and no rule that ways could be made of.
    """
    given = list(ways_round(policy) if cases is None else cases)
    if not given:
        rules = ", ".join(printable_line(rule.written) for rule in policy.rules if rule.word == "deny")
        raise SettingsError(
            f"no rule denies a command, or reading or changing a file{f' ({rules})' if rules else ''}, so there is "
            'nothing to test; give CASES, or a rule such as "Bash(rm *)", "Read(.env)" or "Edit(tests/**)"'
        )
    kinds: dict[str, KindCheck] = {}
    times = []
    for case in given:
        ruling = ToolPolicy(tuple(parse_rules("deny", case.deny)[0]), policy.default) if case.deny else policy
        begun = perf_counter()
        word = ruling.decision("bash", {"command": case.command}).word
        if judge is not None and word != "deny":
            word = min(word, anyio.run(judge.ruling, "bash", {"command": case.command}).word, key=WORDS.index)
        times.append(perf_counter() - begun)
        kind = kinds.get(case.kind, KindCheck(case.kind))
        wrong = (case.forbidden and word == "allow") or (not case.forbidden and word == "deny")
        kinds[case.kind] = replace(
            kind,
            forbidden=kind.forbidden + case.forbidden,
            missed=kind.missed + (case.forbidden and word == "allow"),
            forbidden_asked=kind.forbidden_asked + (case.forbidden and word == "ask"),
            harmless=kind.harmless + (not case.forbidden),
            false_alarms=kind.false_alarms + (not case.forbidden and word == "deny"),
            harmless_asked=kind.harmless_asked + (not case.forbidden and word == "ask"),
            examples=(*kind.examples, case.command) if wrong else kind.examples,
        )
    tried = {rule for case in given for rule in case.deny}
    untried = [each.written for each in policy.rules if each.word == "deny" and each.written not in tried]
    return GuardCheck(
        tuple(kinds.values()), sorted(times)[len(times) // 2] * 1e6, tuple(untried if cases is None else ())
    )


def labelled_cases() -> list[LabelledCommand]:
    """The labelled commands of this package; half were held out while the parser was written."""
    return _cases(files("honestly.guard").joinpath("commands.jsonl").read_text("utf-8"), "commands.jsonl")


def read_cases(path: Path) -> list[LabelledCommand]:
    """The cases in a file of JSON lines: `command`, `forbidden`, and perhaps `kind` and `deny`.

    Raises:
        SettingsError: It cannot be read, or a line is no case.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise SettingsError(f"{path}: it has more than {_LARGEST >> 20} MiB; cases have fewer")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: it cannot be read: {error}") from error
    return _cases(text, str(path))


def _cases(text: str, path: str) -> list[LabelledCommand]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            case = LabelledCommand(
                row["command"], row["forbidden"], str(row.get("kind", "")), tuple(row.get("deny", ()))
            )
            if {type(row["command"]), type(row["forbidden"])} != {str, bool}:
                raise TypeError
            near = [(key, each) for key in row for each in get_close_matches(key, _KEYS, 1, 0.8) if key not in _KEYS]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise SettingsError(
                f'{path}:{number}: it is not a case; expected {{"command": "...", "forbidden": true, "kind": "..."}}'
            ) from error
        wrong = parse_rules("deny", case.deny)[1] if isinstance(row.get("deny", []), list) else [str(row["deny"])]
        if wrong:
            raise SettingsError(f"{path}:{number}: deny contains {wrong[0]!r}; expected rules such as ['Bash(rm:*)']")
        if near:
            raise SettingsError(f"{path}:{number}: there is no key {near[0][0][:40]!r}; did you mean {near[0][1]!r}?")
        found.append(case)
    if not found:
        raise SettingsError(f"{path}: it contains no case")
    return found


def ways_round(policy: ToolPolicy) -> list[LabelledCommand]:
    """The labelled commands as ways round the rules of a policy that deny, each in the words of the rule."""
    found = []
    for rule in policy.rules:
        kind = {"bash": "rm", "read": "read", "edit": "edit", "write": "edit"}.get(rule.tool)
        if rule.word != "deny" or kind is None or not rule.pattern:
            continue
        sample, of = _SAMPLES[kind]
        pattern = rule.pattern.removeprefix("* ") if rule.tool == "bash" else rule.pattern
        if re.search(r"^\*|[|<>&;]" if rule.tool == "bash" else r"\s", pattern):
            continue  # no command, or path, that could stand in another one
        # A command, or a path, that a rule forbids.
        if rule.tool == "bash":
            mine = f"{pattern.removesuffix(':*').removesuffix(' *').replace('*', 'x')} a.txt"
        else:
            mine = re.sub(r"^(?:\./|/(?=/))", "", rule.pattern.replace("**", "x").replace("*", "x"))
        for case in labelled_cases():
            fits = sample in case.command and f"={sample}" not in case.command
            fits &= "/" not in mine or kind != "read" or re.search(r"-i?name|--include", case.command) is None
            fits &= mine[0] not in "/~" or re.search(rf"""[^\s'"]{re.escape(sample)}""", case.command) is None
            if case.deny == (of,) and fits and (case.forbidden or kind == "rm"):
                found.append(
                    LabelledCommand(case.command.replace(sample, mine), case.forbidden, case.kind, (rule.written,))
                )
    return found


def _interval(count: int, of: int) -> list[float] | None:
    if not of:
        return None
    low, high = clopper_pearson_interval(count, of)
    return [float(low), float(high)]


def _share_text(count: int, of: int) -> str:
    if (found := _interval(count, of)) is None:
        return "0 of 0"
    return f"{percent_text(count / of)}% [{percent_text(found[0])}, {percent_text(found[1])}]"


def _kind_row(kind: KindCheck) -> dict[str, Any]:
    row = {name: getattr(kind, name) for name in KindCheck.__slots__}
    row["examples"] = list(kind.examples)
    row["missed_interval"] = _interval(kind.missed, kind.forbidden)
    row["false_alarms_interval"] = _interval(kind.false_alarms, kind.harmless)
    return row
