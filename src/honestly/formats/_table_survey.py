"""What a table's rows say together, before the first is read: no column that tells rows apart is left out in silence.

A column that nobody reads may say which model, judge, benchmark or metric a row is of: left out, rows of several things
become samples of one. `merging_columns` finds it: its values differ within an agent's task, and it divides the table
as a design does, each value at each task of an agent, or at each agent of a task, equally often; or it has the name of
such a thing. Numbers of samples, seeds and times do not count. `on_another_scale` finds a value of any column whose
scores are all shares of 1 where those of the others are not.

Not covered: a table in which each agent has a value of its own.
"""

import math
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from honestly.formats._table_cells import MEASURE_WORDS, bare_text, direction_of, finite_number, part_of_whole, words_of

Codes = NDArray[np.int64]

_FACTORS = """model llm agent system scaffold harness framework judge grader rater annotator evaluator reviewer metric
measure benchmark dataset subset split suite setting condition strategy method adapter effort reasoning prompt_id
question_id task_id problem_id item_id example_id instance_id scenario scenario_id domain lang template arm model_name
model_id agent_name judge_model prompt_template prompt_version config n_shot shots task_name
user user_id participant participant_id classifier"""
"""Columns that tell things apart, whatever their values."""
_SAMPLES = """seed run run_id runid trial trial_id attempt rep repeat repetition replicate replication iteration iter
epoch sample sample_id sample_idx sample_index fold round try generation rollout k idx index row row_id uuid random_seed
episode"""
_RUNS = """run trial attempt rep repeat repetition replicate sample seed try epoch"""
"""What the columns of runs are called, with a number behind it."""
_MEASURES = """pooled excl excluded skipped latency latency_ms latency_s duration time runtime cost_usd tokens n_tokens
total_tokens temperature timestamp n # rank mean avg average total overall macro_average note notes comment comments
remark remarks"""
_TIMES = ("time", "date", "created", "started", "ended", "finished", "duration", "latency", "seconds")
_BESIDE = {*_SAMPLES.split(), *_MEASURES.split()} - {"k", "trial", "try", "index"}
_SUMMARIES = {"average", "avg", "mean", "overall", "total", "macro", "micro", "aggregate", "summary", "sum", "weighted"}
_SUMMED = """gesamt durchschnitt moyenne promedio \u5e73\u5747 \u5e73\u5747\u5206 \u603b\u8ba1 \u603b\u5206 \u5408\u8ba1
\u603b\u4f53\u8bc4\u5206 \u5408\u8a08 \ud569\uacc4 \ud3c9\uade0 \u0438\u0442\u043e\u0433\u043e"""
_OF_ALL = """of all the row per run tasks across over questions problems benchmarks grand"""
_TOTAL_OF = re.compile(rf"(?P<of>.+?)[\s(:|/_-]+(?:{'|'.join(sorted(_SUMMARIES))})\)?", re.IGNORECASE)
# Words of measures that stand in other names, too: only at the end of a name do they say what it is.
_WEAK = "time rank per ter ok win wins won return quality exact match price size"
_MEANS = _SUMMARIES - {"sum", "total", "weighted"}
_OF_MEASURES = """created started ended finished updated timestamp result results verdict judgement grade rating stdev
std stderr var variance median count counts calls turns steps cost_usd rate pct frequency groundedness fluency
coherence toxicity bias safety clarity completeness conciseness consistency truthfulness informativeness hits params
parameters layers votes elo license organization org context version year released vram speed downloads likes stars
expected reference gold truth label target answer possible num difference diff delta gap improvement gain change
increase decrease decline drop lift savings advantage winner status exit elapsed specificity sensitivity tp tn fp fn
ppv npv honesty harmlessness p50 p90 p95 p99 throughput size \u03b4"""
# Words that say of one column that it is no agent, however many have them.
_OF_ONE = {"difference", "diff", "delta", "gap", "improvement"}
_NUMBER, _SIGNED = re.compile(r"\d+"), re.compile(r"[-+\u2212\u00b1] ?\d[\d.,]* ?(?:%|pp|pts?)?")
# Zeros before a number.
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
# A small letter and the capital with which the next word begins.
_CAMEL = re.compile(r"([a-z])([A-Z])(?=[a-z]|\b|[A-Z]+\b)")
METRICS = frozenset(("metric", "measure", "metric_name", "metrics"))
"""Columns that say what a score measures."""
# Cells with several rows; the shares of a design that are filled, and of its cells that are as often as most.
_FEWEST_CELLS, _FILLED, _EQUAL = 4, 0.8, 0.75
# A mean that is rounded to per cent.
_NEAR = 0.006
# The share of scores that are no more than what they are parts of.
_PARTS = 0.95
# Tasks of agents whose rows all repeat one score.
_FEWEST_COPIED = 3
# Characters of a value that is kept as it is; values of a column.
_LONGEST, _MOST_KEPT = 80, 200_000
# Values of a column whose scores are looked at on their own, scores of one of them, and the chance that they are low.
MOST_VALUES, _FEWEST_SCORES, _CHANCE = 50, 5, 1e-3


def plain_name(name: str) -> str:
    """A column's name in small letters, with lines below for blanks."""
    words = _CAMEL.sub(r"\1 \2", name.strip()).casefold()
    return "_".join(words.replace("-", " ").replace("_", " ").split())


def is_beside(name: str) -> bool:
    """Whether a column of a wide table is none of its agents and tasks: a seed, a time, a cost, a mean of others, or
    one without a name.
    """
    return is_nameless(name) or plain_name(name) in _BESIDE


def is_numbered(names: Collection[str]) -> bool:
    """Whether columns differ in a number alone, as tasks do; numbers of runs are of no tasks."""
    stems = {plain_name(_NUMBER.sub("", name)).strip("_") for name in names}
    return len(stems) == 1 and not stems & {*_SAMPLES.split()}


def run_columns(names: Iterable[str]) -> list[str]:
    """Those of the columns that are called as numbered runs are, `Trial 1`, `seed2`, where there are several."""
    runs = [
        each for each in names if _NUMBER.search(each) and plain_name(_NUMBER.sub("", each)).strip("_") in _RUNS.split()
    ]
    return runs if len(runs) > 1 else []


def is_counting(texts: Sequence[str]) -> bool:
    """Whether a column numbers the rows, from 0 or 1 on, but perhaps that of a total."""
    numbers = [int(text) for text in texts if text.isdecimal()]
    is_near = 2 < len(numbers) >= len(texts) - 1
    return is_near and numbers[0] in {0, 1} and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def is_signed(texts: Iterable[str]) -> bool:
    """Whether a column holds differences: each cell is 0 or has a sign, and some are above 0."""
    cells = [text for text in map(bare_text, texts) if text not in {"", "None", "0"}]
    return any(text[0] == "+" for text in cells) and all(map(_SIGNED.fullmatch, cells))


def pooled_columns(cells: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns whose cells are parts of as many as the others have together in each row: `3/6` beside `1/2, 2/4`."""
    found = {name: [*map(part_of_whole, texts)] for name, texts in cells.items()}
    wholes = {name: [each[1] for each in parts if each] for name, parts in found.items() if None not in parts}
    least = [min(each) for each in zip(*wholes.values(), strict=False)]
    large = [name for name, each in wholes.items() if all(one > two for one, two in zip(each, least, strict=False))]
    own = [sum(wholes[name][at] for name in wholes if name not in large) for at in range(len(least))]
    return [name for name in large if len(wholes) - len(large) > 1 and wholes[name] == own]


def is_nameless(name: str) -> bool:
    """Whether a column has no name of its own."""
    return name.startswith("Unnamed: ")


def is_row_number(name: str, values: Iterable[object]) -> bool:
    """Whether a column without a name numbers the rows."""
    return is_nameless(name) and all(finite_number(str(value)) is not None for value in values)


def doubtful_columns(names: Collection[str], each: str) -> list[str]:
    """Those of the columns of a wide table that are called as measures of one agent, or a mean of the others, are.

    What half of the names have in common says nothing: `gpt_acc` and `claude_acc` are two agents. A task may have the
    word of a measure in its name, so that of tasks half of them have to.

    Args:
        names: Of the columns that would be agents, or tasks.
        each: What they would be.
    """
    weak = {*_WEAK.split()}
    words = {name: {*(own := words_of(name)), plain_name(name)} - (weak - {*own[-1:]}) for name in names}
    times = Counter(word for own in words.values() for word in own)
    common = {word for word, count in times.items() if count > 1 and 2 * count >= len(words)} - _OF_ONE
    means = [name for name, own in words.items() if (own - common) & _MEANS]
    of_measures = {*_OF_MEASURES.split()} | MEASURE_WORDS | _MEANS
    odd = {*"@#?"} if each == "agent" else {*"@#"}
    measures = [name for name, own in words.items() if {*name} & odd or (own - common) & of_measures]
    if each == "agent" and (of_agents := measure_of_each(names)):
        return [name for name in names if name not in of_agents]
    return measures if each == "agent" or 2 * len(measures) >= len(words) else means


def measure_of_each(names: Collection[str], measures: Sequence[str] = ()) -> list[str]:
    """The columns of the first measure that is of several agents, each of whom has another measure, too, by name."""
    for measure in measures or sorted(names, key=lambda name: direction_of(name) < 0):
        for turn in (1, -1):
            turned = [name[::turn] for name in names]
            ends = [measure[::turn][at:] for at in range(1, len(measure))]
            ends = [end for end in ends if MEASURE_WORDS.intersection(words_of(end[::turn]))]
            end = max(ends, key=lambda each: (sum(map(str.endswith, turned, repeat(each))), len(each)), default="")
            stems = [name.removesuffix(end) for name in turned if name.endswith(end) and name != end]
            rests = [{name.removeprefix(stem) for name in turned if name.startswith(stem)} for stem in stems]
            if len(stems) > 1 and len(set.intersection(*rests) - {""}) > 1:
                return [(stem + end)[::turn] for stem in stems]
    return []


def is_summary(name: str) -> bool:
    """Whether a task or an agent is called as the mean of all is."""
    words = set(words_of(name))
    is_said = bool(words & _SUMMARIES) and words <= _SUMMARIES | MEASURE_WORDS | {*_OF_ALL.split()}
    return is_said or bare_text(name).casefold() in _SUMMED.split()


def summed_up(name: str, names: Collection[str]) -> str:
    """The one of the names whose total or mean this is by its own, as of "gpt-5 total"; empty where it is none."""
    found = _TOTAL_OF.fullmatch(name)
    return found["of"] if found and found["of"] in names else ""


def ids_alike(agents_of: Mapping[str, Collection[str]]) -> list[tuple[str, str]]:
    """Pairs of tasks whose ids differ only in zeros, capitals or blanks, and of which no agent has both.

    Args:
        agents_of: Of each task, the agents that have it.
    """
    alike: dict[str, list[str]] = {}
    for name in agents_of:
        alike.setdefault(_ZEROS.sub("", "".join(name.casefold().split())), []).append(name)
    pairs = [each for each in alike.values() if len(each) == 2]
    return [(one, other) for one, other in pairs if not {*agents_of[one]} & {*agents_of[other]}]


def summary_kind(
    scores: Mapping[tuple[str, str], float],
    parts: Mapping[tuple[str, str], NDArray[np.float64]],
    what: str,
    name: str,
    called: Collection[tuple[str, str]],
) -> str:
    """What a task or an agent is that is called as the mean of all is.

    Of the others "the mean" or "the sum", "a task or agent" of its own where it has passes and failures, or "doubtful".

    Args:
        scores: By task and agent.
        parts: The same of those that are written as a part of a whole, `17/20`: both numbers.
        what: "task" or "agent".
        name: How it is called.
        called: All that are called so.
    """
    at, rest = (0, 1) if what == "task" else (1, 0)
    if of := summed_up(name, {cell[at] for cell in scores}) if what == "agent" else "":
        return "the mean" if abs(_mean_of(scores, name) - _mean_of(scores, of)) <= 2 * _NEAR else "doubtful"
    of_rest: dict[str, list[tuple[str, str]]] = {}
    for cell in scores:
        if ("task", cell[0]) not in called and ("agent", cell[1]) not in called:
            of_rest.setdefault(cell[rest], []).append(cell)
    own = {cell[rest]: score for cell, score in scores.items() if cell[at] == name and cell[rest] in of_rest}
    if not own:
        return "a task or agent"
    near = _NEAR * max(map(abs, own.values()))
    for kind, total in (("the mean", np.mean), ("the sum", np.sum)):
        if all(
            abs(score - float(total([scores[cell] for cell in of_rest[each]]))) <= near for each, score in own.items()
        ):
            return kind
    pooled = {cell[rest]: found for cell, found in parts.items() if cell[at] == name}
    if all(
        cells[0] in parts
        and each in pooled
        and np.allclose(sum(parts.get(cell, np.nan) for cell in cells), pooled[each])
        for each, cells in of_rest.items()
        if each in own
    ):
        return "the sum"
    return "a task or agent" if set(own.values()) <= {0.0, 1.0} else "doubtful"


def _mean_of(scores: Mapping[tuple[str, str], float], agent: str) -> float:
    return float(np.mean([score for cell, score in scores.items() if cell[1] == agent]))


def copied_cell(agent: Codes, task: Codes, outcome: Codes, is_fraction: NDArray[np.bool_]) -> int:
    """A row of an agent's task of which each row repeats the same score; -1 where rows differ as samples do.

    Scores between 0 and 1 are seldom the same twice; where those of all tasks are, one result stands in several rows.

    Args:
        agent: Of each row, a number.
        task: The same.
        outcome: The same of its outcome.
        is_fraction: Of each number of an outcome, whether it lies between others.
    """
    _, first, place, sizes = np.unique(
        agent * (task.max(initial=0) + 1) + task, return_index=True, return_inverse=True, return_counts=True
    )
    several = sizes > 1
    if several.sum() < _FEWEST_COPIED or (outcome[first][place] != outcome).any():
        return -1
    fractions = is_fraction[outcome[first]] & several
    return int(first[fractions][0]) if 2 * fractions.sum() >= several.sum() else -1


@dataclass
class Coded:
    """One column as numbers: a value's number is the order in which it came; 0 where the cell is empty."""

    numbers: dict[object, int] = field(default_factory=dict)
    rows: "array[int]" = field(default_factory=lambda: array("i"))
    is_text: bool = False
    """Whether there are too many values, so that no more are kept."""

    def add(self, value: object, row: int) -> None:
        """The cell of a row; those of rows between are empty."""
        while len(self.rows) < row:
            self.rows.append(0)
        if self.is_text or value is None or value == "":
            self.rows.append(0)
            return
        short = hash(value) if isinstance(value, str) and len(value) > _LONGEST else value
        self.rows.append(self.numbers.setdefault(short, len(self.numbers) + 1))
        self.is_text = len(self.numbers) > _MOST_KEPT

    def codes(self, count: int) -> Codes:
        """The numbers of so many rows."""
        found = np.zeros(count, np.int64)
        found[: len(self.rows)] = np.frombuffer(self.rows, np.int32)[:count]
        return found


def merging_columns(agent: Codes, task: Codes, labels: Mapping[str, Codes]) -> dict[str, Codes]:
    """The columns that tell rows of one agent and task apart as another agent, task or measure does, the surest first.

    Args:
        agent: Of each row, a number.
        task: The same; of a sample of a task where samples have numbers.
        labels: The same of each column that nobody reads.

    Returns:
        Of each, which rows stand where there are several.
    """
    factors, numbers = set(_FACTORS.split()), set(_SAMPLES.split())
    cell = agent * (task.max(initial=0) + 1) + task
    _, place, sizes = np.unique(cell, return_inverse=True, return_counts=True)
    found: dict[str, tuple[int, Codes]] = {}
    several = sizes[place] > 1
    for name, label in labels.items() if several.any() else ():
        plain = plain_name(name)
        if plain in numbers or any(word in plain for word in _TIMES):
            continue
        keyed = np.stack([agent, task, label])[:, label > 0]
        distinct, counts = np.unique(keyed, axis=1, return_counts=True)
        in_cell = distinct[0] * (task.max(initial=0) + 1) + distinct[1]
        cells, values = np.unique(in_cell, return_counts=True)
        if distinct.shape[1] == cells.size:
            continue
        is_design = (values > 1).sum() >= _FEWEST_CELLS and _is_design(distinct, counts)
        is_design = is_design or is_nameless(name)
        if plain in factors or is_design:
            found[name] = distinct.shape[1] + (len(label) if plain in factors else 0), label
    return {name: label for name, (_, label) in sorted(found.items(), key=lambda each: -each[1][0])}


def _is_design(distinct: Codes, counts: Codes) -> bool:
    """Whether values are at each task of an agent, or at each agent of a task, and equally often."""
    usual = np.bincount(counts).max() / counts.size
    filled = 0.0
    for own, other in ((0, 1), (1, 0)):
        values = np.unique(np.unique(distinct[[own, 2]], axis=1)[0], return_counts=True)[1]
        others = np.unique(np.unique(distinct[[own, other]], axis=1)[0], return_counts=True)[1]
        if np.unique(distinct[other]).size > 1:
            filled = max(filled, distinct.shape[1] / float((values * others).sum()))
    return bool(usual >= _EQUAL and filled >= _FILLED)


def on_another_scale(label: Codes, sizes: Codes) -> int:
    """A value of a column whose scores are all shares of 1 where others are not; 0 where there is none.

    Args:
        label: Of each row the value, 0 where it is empty.
        sizes: Of each row the size of its score (`Understood.size_of`), -1 where it has none.
    """
    values = np.unique(label[label > 0])
    if not 1 < values.size <= MOST_VALUES:
        return 0
    for value in values:
        own, rest = (sizes[(label == value) & (sizes > 0)], sizes[(label != value) & (sizes > 0)])
        if own.size < _FEWEST_SCORES or own.max() > 2 or not (rest > 2).any():
            continue
        low = float((rest <= 2).mean())
        if low**own.size < _CHANCE / values.size:
            return int(value)
    return 0


def is_part_of(scores: NDArray[np.float64], mosts: NDArray[np.float64]) -> bool:
    """Whether scores, of each row one or NaN, are parts of what stands beside them: nearly none is more than it."""
    known = ~np.isnan(scores) & ~np.isnan(mosts) if mosts.size else np.zeros(0, bool)
    return bool((mosts[known] > 1).any() and (scores[known] <= mosts[known]).mean() >= _PARTS)


def is_one_each(task: Codes, values: NDArray[np.float64]) -> bool:
    """Whether the rows of a task all have one value."""
    known = ~np.isnan(values)
    pairs = np.unique(np.stack([task[known], values[known]]), axis=1)[0]
    return bool(np.unique(pairs).size == pairs.size)


def odd_columns(tops: Mapping[str, float]) -> list[str]:
    """The columns of a wide table whose largest score is of another power of ten than that of most others."""
    sizes = {name: max(0, math.ceil(math.log10(top))) for name, top in tops.items() if top}
    usual = max(sizes.values(), key=[*sizes.values()].count, default=0)
    return [name for name, size in sizes.items() if size != usual]
