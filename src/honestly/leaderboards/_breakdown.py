"""A study by groups of its tasks (`--by`), and before and after a day (`--cutoff`); each in one family of tests.

A group has its own scores and paired differences, from the same resolved scores and with the same clusters as the
leaderboard; a group inside one cluster speaks of new tasks of that cluster, whose tasks count as independent. Holm's
correction is over all pairs of all groups together. Where groups are kinds of work, the plain mean of their scores
stands first (the macro mean), with an error bar for new tasks of the same kinds.

A window compares one agent's score on tasks that became public from a day on, the end of its training data say, with
its score on older ones: two samples of tasks, so that the difference is unpaired. Clusters with tasks on both sides
make its interval too wide rather than too narrow.

Not covered: whether newer tasks are harder. Agents with a later cutoff answer that: their difference is the change in
difficulty alone.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.comparisons import lead_of, leading_words
from honestly.errors import StatisticsError
from honestly.leaderboards._board import Leaderboard
from honestly.leaderboards._rows import score_granted
from honestly.scores import Interval, find_agent, granted_words, interval_of
from honestly.show import (
    AtWidth,
    Shown,
    all_of,
    dim_line,
    finite_or_none,
    level_text,
    numbers_table,
    p_is,
    p_value,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
    short_names,
)
from honestly.stats import (
    ClaimVerdict,
    ResolvedScores,
    assumptions,
    compare_all,
    compare_unpaired,
    holm_adjusted,
    macro_mean,
    score_all,
)
from honestly.tasks import GROUPINGS

_UNSAID = {"made": "people"}
"""What tasks without a tag are called, where that says something."""
_MACRO = ("category", "language", "difficulty")
"""Tags whose groups are few and fixed, so that a mean over them means something."""
_PLURALS = {"category": "categories", "difficulty": "difficulties"}
PARTS = "parts"
"""Groups that are no tag: tertiles of the number of parts that a task has (`honestly.tasks.parts_of`)."""
_UNKNOWN = "not known"
_SHOWN = 6
_NAME = 30
_LEAST_NAME = 8
_AHEAD = "ahead, after correction"
_MOSTLY = 0.9
"""Of the tasks of a group: a difference that rests on fewer says on how many."""
_BESIDE_NAMES = 46
"""Characters for a group, its tasks, and by how much an agent is ahead."""
_COLUMNS = 4
_BEFORE, _FROM = "before", "from"
_UNDATED = "without a date left out"
_NEWER = "Newer tasks may be harder, too: agents with a later cutoff show how much."


@dataclass(frozen=True, slots=True)
class GroupScore:
    """One agent in one group; None where it cannot be estimated, and `reason` says why."""

    agent: str
    n: int
    honest: float | None
    se: float | None
    interval: Interval | None
    reason: str
    assumed: tuple[str, ...]
    """What the interval takes for granted."""


@dataclass(frozen=True, slots=True)
class GroupPair:
    """The paired difference a - b in one group."""

    a: str
    b: str
    n: int
    difference: float | None
    se: float | None
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    """After Holm over all pairs of all groups."""
    verdict: ClaimVerdict
    """How strongly it is shown that the two differ, taken alone."""
    assumed: tuple[str, ...]
    """What interval and p-value take for granted."""


@dataclass(frozen=True, slots=True)
class Group:
    """The tasks with one value of the tag."""

    name: str
    tasks: int
    agents: tuple[GroupScore, ...]
    """In the order of the leaderboard."""
    pairs: tuple[GroupPair, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """An agent's score on tasks before a day, and from that day on."""

    agent: str
    cutoff: str
    before: float | None
    n_before: int
    after: float | None
    n_after: int
    difference: float | None
    """after - before."""
    se: float | None
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    """After Holm over all windows."""
    assumed: tuple[str, ...]
    """What interval and p-value take for granted."""
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Breakdown(Shown):
    """A study by groups of its tasks, and before and after cutoffs."""

    main_table: ClassVar[str] = "groups"

    by: str
    """The tag; empty where nobody asked for groups."""
    macro: Group | None
    """The mean over groups, each counting alike, and its differences; None where the groups are no kinds of work."""
    groups: tuple[Group, ...]
    windows: tuple[Window, ...]
    level: float
    notes: tuple[str, ...]
    """What the numbers rest on, in sentences."""

    def _separable_pairs(self, group: Group) -> list[GroupPair]:
        return [pair for pair in group.pairs if _is_apart(pair, self.level)]

    @property
    def brief_parts(self) -> list[tuple[int, RenderableType]]:
        """The groups, and the windows with what is known of them, as parts of `Fitted`."""
        parts: list[tuple[int, RenderableType]] = []
        if self.by:
            parts.append((0, self if self.by == PARTS else AtWidth(self._group_table)))
        if self.windows and self.by != PARTS:
            parts.append((0, AtWidth(self._window_table)))
            parts += [(2, dim_line(note)) for note in self.notes if _UNDATED in note]
            parts.append((4, dim_line(_NEWER)))
        return parts

    @property
    def sentence(self) -> str:
        """What changed at a day, or in which groups two agents differ; empty where more are compared."""
        if self.windows:
            return " ".join(filter(None, map(self._window_sentence, self.windows[:_COLUMNS])))
        pairs = [(group, group.pairs[0]) for group in self.groups if len(group.pairs) == 1]
        if not self.by or len(pairs) < len(self.groups):
            return ""
        apart = [
            (group, pair, lead) for group, pair in pairs if _is_apart(pair, self.level) and (lead := lead_of(pair))
        ]
        kinds = plural_text(len(self.groups), self.by, _PLURALS.get(self.by, ""))
        if not apart:
            return f"In none of {kinds} can the data tell the two apart."
        said = [
            f"{printable_text_line(lead.ahead)} by {points_text(lead.gap).lstrip('+')} points in "
            f"{printable_text_line(group.name)} ({p_is(pair.p_holm)})"
            for group, pair, lead in apart[:_COLUMNS]
        ]
        said += [f"{len(apart) - _COLUMNS} more"] if len(apart) > _COLUMNS else []
        rest = "" if len(apart) == len(pairs) else "; in the others the data cannot tell"
        return f"Ahead in {len(apart)} of {kinds}: {all_of(said)}{rest}."

    def _window_sentence(self, found: Window) -> str:
        name = printable_text_line(found.agent)
        if found.difference is None or found.p_holm is None:
            return ""
        if found.p_holm > 1 - self.level:
            return f"Of {name} the data show no change from {found.cutoff} on ({p_is(found.p_holm)})."
        moved = f"{'falls' if found.difference < 0 else 'rises'} by {points_text(abs(found.difference)).lstrip('+')}"
        return f"{name} {moved} points from {found.cutoff} on ({p_is(found.p_holm)})."

    def _group_table(self, width: int) -> Table:
        """A line for each group, and one for the macro mean: scores of at most four agents, and who is ahead."""
        mean = f"mean of {len(self.groups)}"
        groups = [*([replace(self.macro, name=mean)] if self.macro else []), *self.groups]
        several = len(groups[0].agents) > 2
        agents, room = _fitting_names([each.agent for each in groups[0].agents[:_COLUMNS]], width, 1 + several)
        rows = []
        for group in groups:
            apart = sorted(self._separable_pairs(group), key=lambda pair: pair.p_value or 0.0)
            more = f", {len(apart) - 1} more" if len(apart) > 1 else ""
            scores = (percent_text(each.honest) for each in group.agents[: len(agents)])
            ahead = f"{_ahead_by(apart[0], room, group.tasks, several=several)}{more}" if apart else "–"
            rows.append((group.name, str(group.tasks), *scores, ahead))
        short = short_names(agents, room, len)
        left_out = len(groups[0].agents) - len(agents)
        title = f"{plural_text(left_out, 'more agent')}: --details" if left_out else ""
        widths = {self.by: 0, "tasks": 5, **{short[name]: 6 for name in agents}, _AHEAD: 19}
        return numbers_table(title, widths, rows, width, left={_AHEAD})

    def _window_table(self, width: int) -> Table:
        widths = {"agent": 0, "from": 10, "before": 6, "after": 6, "change": 6, "interval": 14, "p, corrected": 8}
        return numbers_table("Before and after a day", widths, map(_window_cells, self.windows), width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        titled = [(group.name if self.by == PARTS else f"{self.by} {group.name}", group) for group in self.groups]
        for name, group in ([(self.macro.name, self.macro)] if self.macro else []) + titled:
            title = f"{name}: {plural_text(group.tasks, 'task')}"
            rows = [
                (each.agent, percent_text(each.honest), _interval_ends(each.interval, percent_text))
                for each in group.agents
            ]
            yield numbers_table(title, {"agent": 0, "honest": 6, "interval": 14}, rows, options.max_width)
            apart = sorted(self._separable_pairs(group), key=lambda pair: pair.p_value or 0.0)
            yield dim_line(
                f"{len(apart)} of {plural_text(len(group.pairs), 'pair')} differ after Holm{':' if apart else '.'}"
            )
            for pair in (group.pairs if self.by == PARTS else apart)[:_SHOWN]:
                yield Text(_gap(pair) if self.by == PARTS else _pair_sentence(pair))
            told = len(group.pairs if self.by == PARTS else apart)
            if told > _SHOWN:
                yield dim_line(f"and {told - _SHOWN} more: --html or --json")
            yield ""
        if self.windows:
            yield self._window_table(options.max_width)
        for note in self.notes:
            yield dim_line(note)


def _family(pairs: Sequence[GroupPair], apart: Collection[frozenset[str]]) -> tuple[GroupPair, ...]:
    """The pairs after Holm's correction over all of them that can be compared."""
    fair = [frozenset((pair.a, pair.b)) not in apart for pair in pairs]
    known = [pair.p_value if is_fair and pair.p_value is not None else np.nan
             for pair, is_fair in zip(pairs, fair, strict=True)]  # fmt: skip
    return tuple(
        replace(pair, p_holm=finite_or_none(float(p)), verdict=pair.verdict if is_fair else "cannot tell")
        for pair, is_fair, p in zip(pairs, fair, holm_adjusted(known), strict=True)
    )


def _is_apart(pair: GroupPair, level: float) -> bool:
    return pair.p_holm is not None and pair.p_holm <= 1 - level


def _gap(pair: GroupPair) -> str:
    names = short_names((pair.a, pair.b), _NAME, len)
    return (
        f"{names[pair.a]} − {names[pair.b]}: {points_text(pair.difference)} points "
        f"{_interval_ends(pair.interval, points_text)}"
    )


def _fitting_names(names: list[str], width: int, more: int) -> tuple[list[str], int]:
    """As many agents as have a column beside the groups and who is ahead, and the most characters of a name.

    `more`: how many names stand beside theirs, in who is ahead of whom.
    """
    for shown in range(len(names), 0, -1):
        for room in range(_NAME, _LEAST_NAME - 1, -1):
            widths = [min(len(name), room) for name in names[:shown]]
            if _BESIDE_NAMES + sum(max(6, each) + 1 for each in widths) + more * max(widths) <= width:
                return names[:shown], room
    return names[:1], _LEAST_NAME


def _ahead_by(pair: GroupPair, room: int, tasks: int, *, several: bool) -> str:
    lead = lead_of(pair)
    if lead is None:
        return "–"
    names = short_names((lead.ahead, lead.behind), room, len)
    on = f" on {pair.n}" if pair.n < _MOSTLY * tasks else ""
    gap = f"{points_text(lead.gap).lstrip('+')}{on}"
    if several:
        return f"{names[lead.ahead]} over {names[lead.behind]} by {gap}"
    return f"{names[lead.ahead]} by {gap} ({p_is(pair.p_holm)})"


def _pair_sentence(pair: GroupPair) -> str:
    lead = lead_of(pair)
    if lead is None:
        return f"{printable_text_line(pair.a)} and {printable_text_line(pair.b)} are equal"
    names = short_names((lead.ahead, lead.behind), _NAME, len)
    said = leading_words(names[lead.ahead], names[lead.behind], lead.gap)
    return f"{said} (p {p_value(pair.p_holm)} after Holm)"


def _window_cells(found: Window) -> tuple[str, ...]:
    return (
        found.agent,
        found.cutoff,
        f"{percent_text(found.before)}",
        f"{percent_text(found.after)}",
        points_text(found.difference),
        _interval_ends(found.interval, points_text),
        p_value(found.p_holm),
    )


def _interval_ends(interval: Interval | None, form: Callable[[float], str]) -> str:
    return "–" if interval is None else f"[{form(interval[0])}, {form(interval[1])}]"


def score_breakdown(
    board: Leaderboard, by: str = "", cutoffs: Sequence[str] = (), parts: Mapping[str, str] | None = None
) -> Breakdown | None:
    """A leaderboard by groups of its tasks, and before and after days; None where neither is asked for.

    Args:
        board: the leaderboard.
        by: the tag that makes the groups, of `GROUPINGS`, or `parts`; dates are taken by month, clusters as the board
            knows them.
        cutoffs: days as `2024-06-01`, for all agents, or `2024-06-01=agent` for one.
        parts: the group of each task by how many parts it has, for `parts`.

    Raises:
        StatisticsError: there is no such tag, no task has it, or a cutoff is no day.
        AgentError: a cutoff names no agent, or several.
    """
    if not by and not cutoffs:
        return None
    if board.resolved is None:
        raise StatisticsError("the study has no standard task with an agent: there is nothing to group")
    order = [row.name for row in board.agents if row.n]
    resolved = board.resolved.select(order)
    macro, groups, notes = _score_groups(board, resolved, by, parts or {}) if by else (None, (), [])
    windows, more = _score_windows(board, resolved, cutoffs) if cutoffs else ((), [])
    return Breakdown(by, macro, groups, windows, board.level, (*notes, *more))


def _score_groups(
    board: Leaderboard, resolved: ResolvedScores, by: str, parts: Mapping[str, str]
) -> tuple[Group | None, tuple[Group, ...], list[str]]:
    names = (
        [parts.get(each, _UNKNOWN) for each in resolved.questions]
        if by == PARTS
        else _question_groups(board, resolved, by)
    )
    if set(names) == {_UNKNOWN}:
        raise StatisticsError(
            "no task of the study says how many parts its reference has; set metadata.parts in task.toml"
        )
    columns: dict[str, list[int]] = defaultdict(list)
    for column, name in enumerate(names):
        columns[name].append(column)
    groups = [
        _score_group(resolved, name, columns[name], board.level)
        for name in sorted(columns, key=_place if by == PARTS else None)
    ]
    apart = board.apart
    pairs = [pair for group in groups for pair in group.pairs]
    adjusted = iter(_family(pairs, apart))
    groups = [replace(group, pairs=tuple(next(adjusted) for _ in group.pairs)) for group in groups]
    level = board.level
    differ = sum(_is_apart(pair, level) for each in groups for pair in each.pairs)
    shape = f"{plural_text(len(groups), 'group')} by {by}, {plural_text(len(groups[0].pairs), 'pair')} each"
    text = f"Of {plural_text(len(pairs), 'difference')} ({shape}) {differ} {'is' if differ == 1 else 'are'}"
    notes = [f"{text} more than chance after Holm's correction for all of them."]
    if resolved.clusters and any(len({resolved.clusters[at] for at in each}) < 2 for each in columns.values()):
        notes.append("A group inside one cluster speaks of new tasks of that cluster, taken as independent there.")
    macro = _macro_group(resolved, names, board.level, by) if by in _MACRO and len(groups) > 1 else None
    if macro is not None:
        macro = replace(macro, pairs=_family(macro.pairs, apart))
        notes.append(f"Each {by} counts alike in the macro mean; its interval is for new tasks of the same kinds.")
    return macro, tuple(groups), notes


def _place(name: str) -> tuple[int, str]:
    """Where a group by parts stands: fewer first, `not known` last."""
    first = name.split(maxsplit=1)[0]
    return (int(first) if first.isdigit() else 1 << 30), name


def _macro_group(resolved: ResolvedScores, names: Sequence[str], level: float, by: str) -> Group:
    """The mean over groups of each agent, and the differences of two."""
    clusters, weights = resolved.clusters, resolved.weights
    first, second = np.triu_indices(len(resolved.agents), 1)
    own = macro_mean(resolved.mean, names, clusters, weights)
    gaps = macro_mean(resolved.mean[first] - resolved.mean[second], names, clusters, weights, (-1.0, 1.0))
    own_ends, gap_ends = (zip(*each.interval(level), strict=True) for each in (own, gaps))
    granted = granted_words(assumptions(), clustered=clusters is not None)
    few = f"unknown: a {by} has a single task or cluster"
    unseen = f"unknown: all tasks of a {by} score the same, which the interval allows for"
    return Group(
        f"Macro mean over {plural_text(len(set(names)), by, _PLURALS.get(by, ''))}",
        len(names),
        tuple(
            GroupScore(agent, int(n), finite_or_none(mean), finite_or_none(se), interval_of(*ends),
                       "" if np.isfinite(se) else unseen if np.isfinite(ends[0]) else few, granted)
            for agent, n, mean, se, ends in zip(resolved.agents, own.n, own.mean, own.se, own_ends, strict=True)
        ),
        tuple(
            GroupPair(a=resolved.agents[i], b=resolved.agents[j], n=int(n), difference=finite_or_none(gap),
                      se=finite_or_none(se), interval=interval_of(*ends), p_value=finite_or_none(p),
                      p_holm=None, verdict="shown" if p <= 1 - level else "cannot tell",
                      assumed=granted)
            for i, j, n, gap, se, ends, p in zip(
                first, second, gaps.n, gaps.mean, gaps.se, gap_ends, gaps.p_value, strict=True)
        ),
    )  # fmt: skip


def _question_groups(board: Leaderboard, resolved: ResolvedScores, by: str) -> list[str]:
    """The group of each question."""
    if by not in GROUPINGS:
        raise StatisticsError(
            f"there is no tag {printable_text_line(by)!r} to group by; there are {', '.join((*GROUPINGS, PARTS))}"
        )
    if by == "cluster":
        if resolved.clusters is None:
            raise StatisticsError(f"there are no clusters to group by: {board.dependence}; declare some with --cluster")
        return list(resolved.clusters)
    said = {task.id: getattr(task.tags, by) for task in board.evaluation.tasks}
    names = [said[question][:7] if by == "date" else said[question] for question in resolved.questions]
    if not any(names):
        raise StatisticsError(f"no task of the study has a {by}: there is nothing to group by")
    return [name or _UNSAID.get(by, "not said") for name in names]


def _score_group(resolved: ResolvedScores, name: str, columns: Sequence[int], level: float) -> Group:
    part = resolved.select(questions=np.isin(np.arange(len(resolved.questions)), columns))
    if part.clusters is not None and len(set(part.clusters)) < 2:
        part = part.ignoring_clusters()
    pairs = compare_all(part)
    low, high = pairs.headline_interval(level)
    p_value, verdicts = pairs.headline_p, pairs.verdicts(1 - level)
    upper = zip(*(each.tolist() for each in np.triu_indices(len(part.agents), 1)), strict=True)
    return Group(
        name,
        len(columns),
        tuple(
            GroupScore(
                each.agent,
                each.n,
                finite_or_none(each.mean),
                finite_or_none(each.se),
                interval_of(*each.interval),
                each.reason or "",
                score_granted(each),
            )
            for each in score_all(part, level=level)
        ),
        tuple(
            GroupPair(
                a=part.agents[i],
                b=part.agents[j],
                n=int(pairs.n[i, j]),
                difference=finite_or_none(pairs.difference[i, j]),
                se=finite_or_none(pairs.se[i, j]),
                interval=interval_of(low[i, j], high[i, j]),
                p_value=finite_or_none(p_value[i, j]),
                p_holm=None,
                verdict=verdicts[i, j],
                assumed=granted_words(pairs.assumed(i, j), clustered=part.clusters is not None),
            )
            for i, j in upper
        ),
    )


def _score_windows(
    board: Leaderboard, resolved: ResolvedScores, cutoffs: Sequence[str]
) -> tuple[tuple[Window, ...], list[str]]:
    dates = {task.id: task.tags.date for task in board.evaluation.tasks}
    days = np.array([dates[question] for question in resolved.questions])
    found = []
    for cutoff in cutoffs:
        day, _, agent = cutoff.partition("=")
        try:
            is_day = date.fromisoformat(day).isoformat() == day
        except ValueError:
            is_day = False
        if not is_day:
            raise StatisticsError(
                f"{printable_text_line(day)!r} is not a day (YYYY-MM-DD); give a cutoff such as 2024-06-01, or "
                "2024-06-01=agent"
            )
        if not any(days):
            raise StatisticsError(
                "no task of the study has a date, so --cutoff has no tasks to compare; set metadata.date in task.toml"
            )
        agents = [find_agent(resolved.agents, agent)] if agent else resolved.agents
        found += [_score_window(resolved, name, day, days, board.level) for name in agents]
    adjusted = holm_adjusted([np.nan if each.p_value is None else each.p_value for each in found])
    correction = f"Holm's correction is over all {plural_text(len(found), 'window')}"
    notes = [
        f"After: tasks public from that day on. Each interval ({level_text(board.level)}) is of its own; {correction}.",
        _NEWER,
    ]
    if not all(days):
        notes.append(f"{plural_text(int((days == '').sum()), 'task')} {_UNDATED}.")
    return tuple(replace(each, p_holm=finite_or_none(float(p))) for each, p in zip(found, adjusted, strict=True)), notes


def _score_window(resolved: ResolvedScores, agent: str, day: str, days: NDArray[np.str_], level: float) -> Window:
    """One agent as two that were asked different questions."""
    row = resolved.row(agent)
    asked = np.array([(days != "") & (days < day), days >= day])
    split = replace(
        resolved,
        agents=(_BEFORE, _FROM),
        n=np.where(asked, resolved.n[row], 0),
        mean=np.where(asked, resolved.mean[row], np.nan),
        within=np.where(asked, resolved.within[row], np.nan),
    )
    found = compare_unpaired(split, _FROM, _BEFORE, level=level)
    before, after = score_all(split, level=level)
    return Window(
        agent=agent,
        cutoff=day,
        before=finite_or_none(before.mean),
        n_before=before.n,
        after=finite_or_none(after.mean),
        n_after=after.n,
        difference=finite_or_none(found.difference),
        se=finite_or_none(found.se),
        interval=interval_of(*found.interval),
        p_value=finite_or_none(found.p_value),
        p_holm=None,
        reason=found.reason or "",
        assumed=granted_words(assumptions(), clustered=resolved.clusters is not None),
    )
