"""A user's rules for a table, and what of it was not understood: nothing leaves a denominator in silence.

A score outside its scale stops the reading: no rule tells 1 of 5, 1 of 100 and a pass apart. A word that nobody knows
is a void trial with that reason, and stays in every denominator. Where more than one row of a hundred was refused or
not understood, or an agent or a task has no row left, the reading stops and says what would mend it.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from honestly.errors import FormatError
from honestly.formats._table_cells import MARKS, advice_on, bare_text, finite_number, marked_text
from honestly.records import Outcome

# The share of rows that may be refused or not understood before the reading stops.
_MOST_LOST = 0.01
_MOST_WORDS = 1_000
# Characters of a word that nobody knows: a column of prompts is not printed.
_MOST_SHOWN = 40
# A score that is outside its scale by so little was rounded.
_ROUNDING = 1e-9
_SHOWN, _NAMED = 3, 6
_PROMPTFOO = ("[pass]", "[fail]", "[error]")

_WORDS = {
    Outcome.PASSED: "true,t,yes,y,ok,pass,correct,success,resolved,accepted,wahr,ja,vrai,oui,verdadero,s\u00ed,tp,tn",
    Outcome.FAILED: "false,f,no,n,fail,incorrect,failure,unresolved,wrong,wrong answer,very wrong,falsch,nein,faux,non,"
    "falso,fp,fn,compile error,compilation error,runtime error,presentation error",
    Outcome.LIMIT: "timeout,timed out,time limit exceeded,oom,out of memory,memory limit exceeded",
    Outcome.VOID: "error,crash,crashed,infrastructure error,skipped",
}
OUTCOME_WORDS = (
    {str(outcome): outcome for outcome in Outcome}
    | {word: outcome for outcome, words in _WORDS.items() for word in words.split(",")}
    | {mark.replace("_", " "): Outcome.PASSED if is_good else Outcome.FAILED for mark, is_good in MARKS.items()}
)
"""Words for outcomes, in small letters, with a blank for a line below or a dash."""
_MARKED = {True: Outcome.PASSED, False: Outcome.FAILED}
_MORE = re.compile(
    r"\s*(?:\([^()\d]*\)|,?\s*\(?(?:[$\u20ac\u00a3] ?[\d.,]+|[\d.,]+ ?(?:ms|s|secs?|min|h|tokens?|steps))\)?)\Z"
)
# Those that stand for 1 and for 0, and mean the opposite where less is better.
_TRUE, _FALSE = ({"true", "t", "yes", "y", "wahr", "ja", "vrai", "oui"}, {"false", "f", "no", "n", "falsch", "nein"})


class OffScaleError(FormatError):
    """A score lies outside its scale."""

    def __init__(self, value: float) -> None:
        super().__init__(f"{value:g} is outside the scale")
        self.value = value


@dataclass(frozen=True, slots=True)
class TableRules:
    """A user's rules for a table."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """The column of each thing that is known of a row; `*` where each other one is."""
    scale: tuple[float, float] | None = None
    """The worst and the best score of a row; None for 0 and 1. The worst is the greater where less is better."""
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    """What a word, or a number, of the outcome's column stands for; it counts before everything else."""
    go_on: bool = False
    """Whether to go on however many rows are refused or not understood."""
    comma: bool | None = None
    """Whether the comma separates decimals where a number alone does not say so; found in the table."""
    differences: bool = False
    """Whether to go on where a tool printed another figure than its trials give: of any results, not of tables alone.
    """

    @property
    def is_less_better(self) -> bool:
        """Whether the worst score is the greatest."""
        return self.scale is not None and self.scale[0] > self.scale[1]

    def share(self, score: float) -> float:
        """A score as a share of 1.

        Raises:
            OffScaleError: it is outside the scale.
        """
        worst, best = self.scale or (0.0, 1.0)
        share = (score - worst) / (best - worst)
        if not -_ROUNDING <= share <= 1 + _ROUNDING:
            raise OffScaleError(score)
        return min(max(share, 0.0), 1.0)

    def outcome(self, said: str) -> Outcome | None:
        """The outcome behind a word; None where nobody knows it."""
        word = plain_word(said)
        if self.is_less_better and word in _TRUE | _FALSE and word not in self.outcomes:
            return Outcome.FAILED if word in _TRUE else Outcome.PASSED
        found = self.outcomes.get(word) or OUTCOME_WORDS.get(word)
        if found or (word.isascii() and (word.isalpha() or word[:1] in "-+.0123456789")):
            return found
        text, mark = marked_text(said)
        # What is said more of it: FAIL (timeout), PASS 3.2s.
        text = _MORE.sub("", text)
        found = OUTCOME_WORDS.get(plain_word(text)) if text or mark is None else _MARKED[mark]
        return None if found is None or mark not in {None, found is Outcome.PASSED} else found


AS_IT_STANDS = TableRules()


def plain_word(said: str) -> str:
    """A word for an outcome as tables of them have it; a number stays one. Of promptfoo's cells it is the first."""
    text = bare_text(said.replace("\ufe0f", "")).lower()
    if text.startswith(_PROMPTFOO):
        return text[1:].partition("]")[0]
    return text if text[:1] in "-+.0123456789" else " ".join(text.replace("_", " ").replace("-", " ").split())


def scale_of(text: str) -> tuple[float, float]:
    """The worst and the best score of `0:100`, or of `100:0` where less is better.

    Raises:
        FormatError: it is none.
    """
    first, colon, last = text.partition(":")
    worst, best = finite_number(first), finite_number(last)
    if not colon or worst is None or best is None or worst == best:
        raise FormatError(
            f"{text!r} is not a scale; expected the worst and the best score, such as 0:100, 1:5 or 100:0"
        )
    return worst, best


def scale_asked(least: float, most: float) -> str:
    """A scale to type for scores from the least to the most: of shares, of percent, or two words to be replaced."""
    return "LEAST:MOST" if least < 0 or 1 < most <= 50 or most > 100 else "0:100" if most > 1 else "0:1"


def outcomes_said(texts: Iterable[str]) -> dict[str, Outcome]:
    """The outcomes behind words, from `compile_error=failed`.

    Raises:
        FormatError: one is of another form, or names no outcome.
    """
    found = {}
    for text in texts:
        word, _, outcome = text.rpartition("=")
        if not word or outcome not in {str(each) for each in Outcome}:
            raise FormatError(f"{text!r} is not WORD=OUTCOME; an outcome is {', '.join(map(str, Outcome))}")
        found[plain_word(word)] = Outcome(outcome)
    return found


# From here on a score between 0 and 1 is rather a share; from here on it may be one, or a yes or no.
_WIDE_SCALE, _NARROW_SCALE = 10, 3
_NARROW_PARTS = 5
SIZES = 5
"""Of scores: 0; up to 0.1, 1, and 10, or what is low on a narrower scale; above. On one scale, scores in (0.1, 1] are
fewer than the others that are low; where some are shares of 1, they stand out."""


class Understood:
    """Counts what of a table was read, refused, and not understood."""

    def __init__(self, place: str, rules: TableRules) -> None:
        self._place, self._rules = place, rules
        self._rows = self._refused = self._off = self._unknown = 0
        self._words: Counter[str] = Counter()
        self._places: dict[str, str] = {}
        self._least, self._most, self._first = math.inf, -math.inf, ""
        self._reasons: list[str] = []
        self._break = ""
        self._kept: tuple[set[str], set[str]] = (set(), set())
        self._lost: tuple[set[str], set[str]] = (set(), set())
        self._sizes: dict[str, list[int]] = {}
        self._sizes_of_task: dict[str, int] = {}
        self._varying: dict[str, str] = {}
        self._in_column = self._way = self._split = ""
        self._keys: dict[str, Collection[str]] = {}

    def take_key(self, name: str, answers: Collection[str]) -> None:
        """A column of right answers, which are no outcomes."""
        self._keys[name] = answers

    def take_most(self, way: str) -> None:
        """What a user may say where a column holds the most that each score could be."""
        self._way += f", or {way}"

    def take_split(self, of: str) -> None:
        """Whose scores alone are above 1."""
        self._split = (
            f"All of these are of {of}: where only they are on another scale, give them in a file of their own. "
        )

    def take_column(self, name: str) -> None:
        """The column of the outcome, which messages name."""
        self._in_column = f" in {name!r}" if name else ""

    @property
    def has_sizes(self) -> bool:
        """Whether sizes of scores say anything: the scale goes beyond 1."""
        return self.size_of(1.0) > 0

    def size_of(self, share: float) -> int:
        """Which of the `SIZES` the score has that is this share of the scale; 0 where 1 is not small."""
        low, high = self._rules.scale or (0.0, 1.0)
        ends = (0.0, 0.1, 1.0, min(10.0, max(2.0, 0.3 * high)))
        return sum(share * high > end for end in ends) if low == 0 and high >= _NARROW_SCALE else 0

    def vary(self, task: str, kinds: Iterable[tuple[str, str]]) -> bool:
        """What a task's tags say in one row and in another; whether that is the first time that they differ."""
        two = next(
            (f"{one!r} in one row and {other!r} in another" for one, other in kinds if "" != one != other != ""), ""
        )
        is_new = task not in self._varying
        self._varying[task] = self._varying.get(task) or two
        return is_new

    def keep(self, agent: str, task: str, largest: float = 0.0) -> None:
        """A row of an agent at a task that became trials; `largest`: of their scores, as shares of the scale."""
        size = self.size_of(largest)
        self._sizes.setdefault(agent, [0] * SIZES)[size] += 1
        self._sizes_of_task[task] = max(size, self._sizes_of_task.get(task, 0))
        self._rows += 1
        self._kept[0].add(agent)
        self._kept[1].add(task)

    def keep_all(self, sizes: Mapping[str, list[int]], of_task: Mapping[str, int], count: int) -> None:
        """The same of many rows: how many of each size each agent has, and the largest size of each task."""
        self._sizes |= sizes
        self._sizes_of_task |= of_task
        self._rows += count
        self._kept[0].update(sizes)
        self._kept[1].update(of_task)

    def count_refused(self, reason: str, agent: object = None, task: object = None, count: int = 1) -> None:
        """Rows that did not."""
        self._rows += count
        self._refused += count
        if len(self._reasons) < _SHOWN:
            self._reasons.append(reason)
        for names, name in zip(self._lost, (agent, task), strict=True):
            if name is not None and str(name).strip():
                names.add(str(name).strip())

    def break_off(self, reason: str) -> None:
        """The table cannot be read from here on, so nobody knows how many rows are lost."""
        self._break = reason
        self.count_refused(reason)

    def off_scale(self, where: str, score: float, count: int = 1) -> None:
        """Rows whose score is outside the scale."""
        self._rows += count
        self._off += count
        self._first = self._first or f"{where}: {score:g}"
        self._least, self._most = min(self._least, score), max(self._most, score)

    def count_unknown(self, word: str, count: int = 1, where: str = "") -> None:
        """Rows, kept as void trials, whose outcome is a word that nobody knows; `where` is the first of them."""
        self._unknown += count
        word = word[:100]
        if word in self._words or len(self._words) < _MOST_WORDS:
            self._words[word] += count
            self._places.setdefault(word, where)

    def _on_another_scale(self) -> str:
        """Whose scores seem to be shares, on a scale that goes far beyond 1."""
        is_wide = max(self._rules.scale or (1.0,)) > _WIDE_SCALE
        least, times = (1, 2) if is_wide else (_NARROW_PARTS, 3)
        for agent, (_, *sizes) in self._sizes.items():
            if sum(sizes) >= least and not any(sizes[2:]):
                return f"all scores of {agent!r}"
        shares = [task for task, size in self._sizes_of_task.items() if size == 2]
        low, above = (sum(size in those for size in self._sizes_of_task.values()) for those in ({1, 3}, {4}))
        stand_out = len(shares) >= least + times * low and above > low
        if stand_out and max(len(shares), len(self._sizes)) > 1:
            names = ", ".join(map(repr, shares[:_SHOWN])) + (", …" if len(shares) > _SHOWN else "")
            return f"all scores of {len(shares):,} of {len(self._sizes_of_task):,} tasks ({names})"
        for agent, (_, *sizes) in self._sizes.items():
            if is_wide and sizes[1] > 2 * (sizes[0] + sizes[2]) and sizes[1] >= max(5, sum(sizes) / 10):
                return f"{sizes[0] + sizes[1]:,} of {sum(sizes):,} scores of {agent!r} above 0"
        return ""

    def scale_error(self, shares: str) -> FormatError:
        """What is said where these scores are on another scale than the others."""
        return FormatError(
            f"{self._place}: {shares} lie between 0 and 1, on a scale of 0 to {max(self._rules.scale or ()):g}: "
            "give what is on another scale in a file of its own, imported with its own --scale (honestly study "
            "import, honestly study merge); if they are this low: --allow-refused"
        )

    def check(self) -> None:
        """Stops where what was read is not the table.

        Raises:
            FormatError: a score is outside the scale; the table breaks off; or too many rows, or all of an agent or a
                task, were lost.
        """
        if self._off:
            low, high = sorted(self._rules.scale or (0.0, 1.0))
            is_percent = scale_asked(self._least, self._most) == "0:100"
            such = "such as --scale 0:100" if is_percent else "which these numbers do not show"
            raise FormatError(
                f"{self._place}: {self._off:,} of {self._rows:,} scores{self._in_column} are outside {low:g} to "
                f"{high:g}: they reach from {self._least:g} to {self._most:g}, the first is {self._first}. Nothing "
                f"was read. {self._split}Say the worst and best score that there can be: --scale WORST:BEST, {such} "
                f"(the other way round where less is better){self._way}, with this command or honestly study import; "
                "a number that stands for something else: --outcome NUMBER=void"
            )
        if self._rules.go_on:
            return
        if self._break:
            raise FormatError(
                f"{self._break}. The {self._rows - 1:,} rows before are not the whole table; fetch or write the file "
                "again, or add --allow-refused to read these alone"
            )
        if several := [f"task {task!r} is of {two}" for task, two in self._varying.items() if two]:
            raise FormatError(
                f"{self._place}: {several[0]} ({len(several):,} of {len(self._sizes_of_task):,} tasks are of several): "
                "where ids repeat, write both into the column of the task, such as gsm/1; or add --allow-refused: what "
                "the first row says counts"
            )
        if shares := self._on_another_scale():
            raise self.scale_error(shares)
        if not self._refused + self._unknown:
            return
        gone = [
            f"{what} {name!r} has no row left"
            for what, lost, kept in zip(("agent", "task"), self._lost, self._kept, strict=True)
            for name in sorted(lost - kept)
        ]
        share = (self._refused + self._unknown) / self._rows
        if share <= _MOST_LOST and not gone:
            return
        words = ", ".join(
            f"{shown!r} ({count:,}){self._places[word] and f' from {self._places[word]} on'}"
            for word, count in self._words.most_common(_SHOWN)
            for shown in [word if len(word) <= _MOST_SHOWN else f"{word[: _MOST_SHOWN - 1]}\u2026"]
        )
        named = [word for word, _ in self._words.most_common(_NAMED)] or ["WORD"]
        first = named[0]
        parts = [
            self._refused and f"{self._refused:,} of {self._rows:,} rows refused, {'; '.join(self._reasons)}",
            self._unknown and f"{self._unknown:,} of {self._rows:,} outcomes not understood{self._in_column}: {words}",
            "; ".join(gone[:_SHOWN]),
        ]
        letters = all(len(word) == 1 for word, _ in self._words.most_common(_SHOWN))
        answered = next((name for name, said in self._keys.items() if letters or {*self._words} & {*said}), "")
        if answered:
            mended = f"These seem to be answers, and {answered!r} the right ones: write 1 where the two agree, else 0"
        elif advice := advice_on(first):
            mended = advice
        elif len(first) > _MOST_SHOWN:
            mended = "Name the column that holds outcomes: --columns outcome=NAME"
        else:
            each = " ".join(f"--outcome '{word}=OUTCOME'" for word in named if len(word) <= _MOST_SHOWN)
            mended = f"Say what a word stands for: {each} ({', '.join(map(str, Outcome))})"
        said = f" {mended}." if self._unknown else ""
        raise FormatError(
            f"{self._place}: {'; '.join(filter(None, map(str, filter(None, parts))))}.{said} To read it anyway, "
            "with these rows void, add --allow-refused to each command that reads it"
        )
