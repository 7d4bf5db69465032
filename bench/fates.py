"""What became of commits within thirty days, from a repository's history alone.

A change is what a first parent's line of history takes in: a commit, or a merge with all that it brings. It is
*reverted* if a later one says so (`Revert "its subject"`, `This reverts commit SHA`), and *fixed* if a later one, whose
subject says fix, bug or regression or whose text says that it closes an issue, changes at least half of the lines that
it added. Lines are those of code outside of tests that hold a word; `git blame` says whose they are. It is *quiet* if
no such fix changes a line of its, and nobody reverts it. What lies between is neither.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from random import Random

from honestly.taskgen import is_source

DAYS = 30
_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".go")
_FIX = re.compile(r"\b(?:(?:hot|bug)?fix(?:e[sd]|ing)?|bugs?|regress\w*)\b", re.IGNORECASE)
_CLOSES = re.compile(r"\b(?:fix(?:e[sd])?|resolve[sd]?)[: ]+(?:\S+)?#\d+", re.IGNORECASE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_REVERTS = re.compile(r"[Tt]his reverts commit ([0-9a-f]{7,40})")
_REVERT = re.compile(r"^revert\b:?\s*[\"“]?(.+?)[\"”]?(?:\s*\(#\d+\))?$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\(#\d+\)$")


@dataclass(frozen=True)
class Past:
    """A change of the past: when and what it took from code, and put into it."""

    sha: str
    when: int
    message: str
    added: dict[str, list[str]] = field(default_factory=dict)
    removed: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """Its first line; that of a merged pull request is the first of its text."""
        first, _, rest = self.message.partition("\n")
        return rest.strip().partition("\n")[0] if first.startswith("Merge pull request") and rest.strip() else first

    @property
    def size(self) -> int:
        """How many lines it added."""
        return sum(map(len, self.added.values()))

    @property
    def is_fix(self) -> bool:
        """Whether it says that it mends something."""
        return bool(_FIX.search(self.subject) or _CLOSES.search(self.message))

    def reverts(self, other: "Past") -> bool:
        """Whether it says that it takes another back."""
        if any(other.sha.startswith(named) for named in _REVERTS.findall(self.message)):
            return True
        named = _REVERT.match(self.subject)
        return named is not None and _NUMBER.sub("", named[1]) == _NUMBER.sub("", other.subject)


@dataclass(frozen=True)
class Fate:
    """What became of a change: `reverted`, `fixed`, `quiet` or `touched`, and by which later one."""

    kind: str
    by: str = ""
    share: float = 0.0


def git(repository: Path, *words: str) -> str:
    """The output of git for a repository's folder."""
    command = ["git", f"--git-dir={repository}", "-c", "core.quotepath=off", *words]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def history(repository: Path, since: str) -> list[Past]:
    """The changes of its main line that touch code, oldest first."""
    said = git(repository, "log", "--first-parent", "--diff-merges=first-parent", "-p", "-U0", "--no-renames",
               "--no-ext-diff", "--no-color", "--format=%x00%H%x01%ct%x01%B%x02", f"--since={since}", "HEAD",
               "--", *(f"*{suffix}" for suffix in _SUFFIXES))  # fmt: skip
    return [past_of(part) for part in said.split("\x00")[1:]][::-1]


def past_of(text: str) -> Past:
    """A change, as git's log prints it."""
    head, _, diff = text.partition("\x02")
    sha, when, message = head.split("\x01", 2)
    found = Past(sha, int(when), message.strip())
    path, lines = "", iter(diff.splitlines())
    for line in lines:
        if line.startswith("diff --git "):
            path = line.rpartition(" b/")[2]
        elif hunk := _HUNK.match(line):
            start, gone, new = int(hunk[1]), int(hunk[2] or 1), int(hunk[3] or 1)
            for at in range(gone + new):
                text = next(lines)
                while text.startswith("\\"):
                    text = next(lines)
                if is_source(path) and re.search(r"\w\w", text):
                    if at < gone:
                        found.removed.setdefault(path, []).append((start + at, text[1:]))
                    else:
                        found.added.setdefault(path, []).append(text[1:])
    return found


def fates(pasts: Sequence[Past], owned: Callable[[Past, Past], int]) -> dict[str, Fate]:
    """What became of each change that adds lines, and after which there are thirty days.

    Args:
        pasts: oldest first.
        owned: how many lines that the second removes the first wrote.
    """
    found = {}
    for at, past in enumerate(pasts):
        end = past.when + DAYS * 86400
        if not past.size or pasts[-1].when < end:
            continue
        fate = Fate("quiet")
        for later in pasts[at + 1 :]:
            if not past.when <= later.when <= end:
                continue
            if later.reverts(past):
                fate = Fate("reverted", later.sha, 1.0)
                break
            if later.is_fix and (alike := _alike(past, later)):
                share = owned(past, later) / past.size if 2 * alike >= past.size else 0.0
                if share >= 0.5:
                    fate = Fate("fixed", later.sha, share)
                    break
                fate = Fate("touched", later.sha, share)
        found[past.sha] = fate
    return found


def _alike(past: Past, later: Past) -> int:
    """How many removed lines read like added ones: at least as many as are the same."""
    return sum(
        (Counter(lines) & Counter(text for _, text in later.removed.get(path, ()))).total()
        for path, lines in past.added.items()
    )


def owner(repository: Path) -> Callable[[Past, Past], int]:
    """Tells how many lines that a change removes an earlier one wrote, by `git blame`."""

    def owned(past: Past, later: Past) -> int:
        count = 0
        for path in past.added.keys() & later.removed.keys():
            gone = {at for at, _ in later.removed[path]}
            said = git(repository, "blame", "--first-parent", "-s", "-l", "--root", f"-L{min(gone)},{max(gone)}",
                       f"{later.sha}^1", "--", path)  # fmt: skip
            count += sum(
                line.startswith(past.sha) for at, line in enumerate(said.splitlines(), min(gone)) if at in gone
            )
        return count

    return owned


def drawn_pairs(
    pasts: Sequence[Past], found: dict[str, Fate], count: int, seed: str, fits: Callable[[Past], bool]
) -> Iterator[tuple[Past, Past]]:
    """Changes that were reverted or fixed, drawn by a seed, each with the quiet one that is most like it.

    Alike are changes of the same files, of the same size and of the same time.
    """
    usable = [past for past in pasts if past.sha in found and 3 <= past.size <= 400 and not _REVERT.match(past.subject)]
    bad = [past for past in usable if found[past.sha].kind in ("reverted", "fixed")]
    quiet = [past for past in usable if found[past.sha].kind == "quiet"]

    def distance(one: Past, other: Past) -> float:
        years = abs(one.when - other.when) / (365 * 86400)
        return years + abs(log2(one.size / other.size)) + (0 if one.added.keys() & other.added.keys() else 1)

    for past in Random(seed).sample(bad, len(bad)):
        if count and fits(past):
            for other in sorted(quiet, key=lambda each: (distance(past, each), each.sha)):
                if fits(other):
                    quiet.remove(other)
                    count -= 1
                    yield past, other
                    break
