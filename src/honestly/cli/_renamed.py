"""Old names of commands and options: they work for two versions, hidden, and one line names the new ones.

The table in docs/commands.md is made from this one.
"""

from collections.abc import Sequence
from pathlib import Path

from honestly.cli._tree import words_below

COMMANDS = {
    "verify": "bench samples",
    "languages": "bench languages",
    "hunt": "bench hunt",
    "import": "study import",
    "merge": "study merge",
    "mcp": "study serve-mcp",
    "study ls": "study list",
    "study drop": "study rm",
    "store copy": "study copy",
    "store check": "study check",
    "store compact": "study compact",
    "store deliver": "study deliver",
    "replay": "agent replay",
    "memory revoke": "agent memory rm",
    "memory": "agent memory",
    "symphony": "agent tickets",
    "conduct": "audit conduct",
    "disclose": "audit disclose",
    "stress": "audit stress",
    "diff": "stats diff",
    "model": "stats fit",
    "prefer": "stats prefer",
    "plan": "stats plan",
    "prove": "improve prove",
    "tasks from-commit": "task from commit",
    "tasks from-repo": "task from repo",
    "tasks from-mutants": "task from mutants",
    "tasks from-tests": "task from tests",
    "tasks from-pages": "task from pages",
    "tasks make-impossible": "task impossible",
    "tasks": "task",
    "images ls": "image list",
    "image ls": "image list",
    "images": "image",
    "new": "plugin new",
    "store": "study",
}
"""Words that called a command, and those that call it now; of two that fit, the longer."""

ELSEWHERE = {
    "run": "eval evaluate benchmark resume retry continue start duel",
    "study list": "list ls runs studies history",
    "show": "logs log trace traces trajectory samples trial cat inspect grep search find explain why debug",
    "report": "leaderboard summary results scores metrics",
    "view": "ui serve open dashboard browse",
    "task list": "suites datasets",
    "task get": "download fetch pull dataset",
    "task check": "validate verify-task test",
    "task new": "init create",
    "bench samples": "score grade",
    "stats fit": "rank ranking",
    "stats plan": "power sample-size",
    "help disk space": "clean prune gc",
    "setup lint": "lint",
    "study rm": "rm delete remove",
    "review": "label annotate",
    "audit": "detect cheat judge",
    "export": "upload push",
    "doctor": "diagnose check-install",
    "help": "docs tutorial quickstart examples manual",
    "help install": "install update upgrade",
    "--version": "version",
    "plugin list": "agents formats detectors",
    "help models": "models providers",
    "help run": "config settings stop cancel kill",
    "help external-agents": "login auth",
    "status": "monitor progress ps",
}
"""What other programs call a command; an unknown word is answered with it, and never taken for it."""

VERBS = {
    "rm": "delete remove del drop",
    "list": "ls",
    "new": "create init add",
    "add": "create import load new",
    "get": "pull fetch download",
    "build": "pull make",
    "show": "view cat get inspect",
    "check": "validate verify lint test",
    "run": "start resume continue",
    "rename": "mv move",
    "copy": "cp clone",
}
"""What other programs call a command in a group, as in `ELSEWHERE`."""

BARE = {"agent": "do", "improve": "run"}
"""Groups that were commands: text, an option or a path below them goes to this one."""

_TRIAL = {"--budget-usd": "--trial-usd", "--budget-tokens": "--trial-tokens"}

_COVERAGE = {"--level": "--alpha"}
"""`--level 0.9` is `--alpha 0.1`."""

OPTIONS = {
    "task from commit": {"--into": "--out"},
    "task from repo": {"--into": "--out"},
    "task from mutants": {"--into": "--out"},
    "task from tests": {"--into": "--out"},
    "task from pages": {"--into": "--out"},
    "task grow": {"--into": "--out", **_TRIAL},
    "audit stress run": _TRIAL,
    "run": {"--only": "--task", **_TRIAL},
    "task check": {"--only": "--task"},
    "task certify": {"--only": "--task"},
    "task harden": {"--only": "--task"},
    "task impossible": {"--only": "--task"},
    "task export": {"--only": "--task"},
    "audit stress pairs": {"--only": "--task"},
    "stats plan": {"-m": "--comparisons"},
    "stats length": _COVERAGE,
    "bench languages": _COVERAGE,
    "audit disclose": _COVERAGE,
    "audit stress levers": _COVERAGE,
    "audit stress report": _COVERAGE,
    "calibrate": _COVERAGE,
    "credit": _COVERAGE,
    "effect": _COVERAGE,
}
"""Of each command, options and what they are called now."""

UNTIL = "0.4"
"""The version from which old names are gone."""

_HELP = ("-h", "--help", "--help-all")


def with_new_names(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line with every old name replaced by its new one, and a line about each."""
    found, lines = list(args), []
    for length in (2, 1):
        old = " ".join(found[:length])
        if old in COMMANDS:
            found[:length] = COMMANDS[old].split()
            lines.append((old, COMMANDS[old]))
            break
    if len(found) > 1 and found[0] in BARE and found[1] not in _HELP and not _is_command(*found):
        lines.append((f"{found[0]} …", f"{found[0]} {BARE[found[0]]} …"))
        found.insert(1, BARE[found[0]])
    depth = next((n for n in (3, 2, 1) if " ".join(found[:n]) in OPTIONS), 0)
    renamed = OPTIONS.get(" ".join(found[:depth]), {})
    for at in range(depth, len(found)):
        if found[at] == "--":
            break
        name, equals, value = found[at].partition("=")
        if name in renamed:
            found[at] = renamed[name] + equals + (_of_coverage(value) if name in _COVERAGE else value)
            if name in _COVERAGE and not equals and at + 1 < len(found):
                found[at + 1] = _of_coverage(found[at + 1])
            lines.append((name, renamed[name]))
    return found, [f"note: {old!r} is now {new!r}; the old name works until version {UNTIL}" for old, new in lines]


def _is_command(group: str, word: str, *rest: str) -> bool:
    """Whether a word below a group is a command, well or badly written: never what the old form of the group took."""
    old = word.startswith("-") or len(word.split()) != 1 or Path(word).exists()
    return word in words_below(group) or not (old or any(each.startswith("--new") for each in rest))


def _of_coverage(value: str) -> str:
    """The level that belongs to a coverage; what is no number stays."""
    try:
        return f"{1 - float(value):.6g}"
    except ValueError:
        return value
