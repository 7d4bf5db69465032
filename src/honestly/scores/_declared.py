"""The facts known of a study's tasks before its results are seen: which belong together, and what each weighs.

Tasks of one cluster may succeed and fail together. What is declared counts first (by an argument, or by the tasks' own
tags), then what the tasks' ids show, and a sentence says which it was. It is put into the `Scores` once, so that every
number, sentence and figure that is made of them rests on it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from honestly.errors import FormatError, StatisticsError
from honestly.formats import finite_number, read_json, table_rows
from honestly.records import Tags
from honestly.scores._fairness import UNFAIR
from honestly.show import number_text, printable_text_line
from honestly.stats import Scores
from honestly.tasks import GROUPINGS, clusters_of, said_of

T = TypeVar("T")
_NAMES = ("question", "task", "example_id", "instance_id", "task_id")


@dataclass(frozen=True, slots=True)
class Declared:
    """What you declare about tasks; by default, tags and ids decide, and unfair comparisons are refused."""

    clusters: Mapping[str, str] | str = ""
    """The cluster of each task by its id, the tag that holds it, or `none`: every task is independent of the others."""
    weights: Mapping[str, float] | str = ""
    """The weight of each task by its id, or `none`: all weigh the same."""

    despite: Collection[str] = ()
    """What makes a comparison unfair and shall not stop it: any of `honestly.scores.UNFAIR`."""

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.despite) - set(UNFAIR)):
            raise StatisticsError(f"--despite does not know {unknown[0]!r}; it takes: {', '.join(UNFAIR)}")

    def also_despite(self, despite: Collection[str]) -> "Declared":
        """Says beside this what does not stop a comparison."""
        return replace(self, despite=(*self.despite, *despite))

    @classmethod
    def from_options(cls, clusters: str = "", weights: str = "") -> "Declared":
        """The declarations of a command line.

        Args:
            clusters: `none`, the name of a tag (also as `tag:NAME`), or a file of a table with the columns `question`
                and `cluster`: CSV, TSV or JSON (also one object, from question to cluster).
            weights: `none`, `tag:weight`, or such a file with the columns `question` and `weight`.

        Raises:
            FormatError: the file cannot be read, or lacks a column.
        """
        tag = clusters.removeprefix("tag:")
        named = tag in {"", "none", *GROUPINGS} or clusters.startswith("tag:")
        weighing = {"": "", "tag:weight": "", "none": "none"}.get(weights)
        return cls(
            tag if named else _read_column(clusters, "cluster", str),
            weighing if weighing is not None else _read_column(weights, "weight", _weight),
        )


UNDECLARED = Declared()


def _weight(said: object) -> float:
    if (value := finite_number(str(said))) is None:
        raise ValueError(said)
    return value


def _read_column(path: str, column: str, kind: Callable[[Any], T]) -> dict[str, T]:
    """A column of a table by its questions."""
    if not Path(path).exists():
        raise FormatError(
            f"there is no file or tag {path!r}; expected a file, none, or a tag: {', '.join(GROUPINGS)} "
            "(--weights: tag:weight)"
        )
    found: dict[str, T] = {}
    for where, name, text in _declared_pairs(Path(path), column):
        try:
            value = kind(text)
        except (TypeError, ValueError):
            raise FormatError(f"{where}: the {column} of {printable_text_line(name)} is {text!r}") from None
        if found.setdefault(name, value) != value:
            raise FormatError(
                f"{where}: {printable_text_line(name)} has the {column} {found[name]} in a row above, and {value}"
            )
    return found


def _declared_pairs(path: Path, column: str) -> Iterator[tuple[str, str, object]]:
    """Each question of a file, with its place and what the file says of it."""
    try:
        whole = read_json(path)
    except FormatError:
        whole = None
    if isinstance(whole, dict) and column not in whole:
        yield from ((str(path), name, value) for name, value in whole.items())
        return
    for where, row in table_rows(path):
        name = next((str(row[key]) for key in _NAMES if row.get(key)), "")
        if not name or row.get(column) in {None, ""}:
            at = where if column in row and any(key in row for key in _NAMES) else path
            raise FormatError(f"{at}: expected the columns question and {column}; found {', '.join(list(row)[:9])}")
        yield where, name, row[column]


@dataclass(frozen=True, slots=True)
class KnownTasks:
    """The clusters and weights of a study's tasks."""

    clusters: dict[str, str] | None
    """The cluster of each task by its id; None where tasks are taken as independent."""
    weights: dict[str, float] | None
    """The weight of each by its id; None where all weigh the same."""
    dependence: str
    """Where the clusters come from, or why there are none; a sentence without its full stop."""
    weighing: str
    """Where the weights come from; empty where all weigh the same."""

    def on(self, scores: Scores) -> Scores:
        """The scores of some of these tasks, with what is known of them."""
        scores = replace(scores, notes=tuple(filter(None, (*scores.notes, self.dependence, self.weighing))))
        if self.clusters is not None:
            scores = scores.with_clusters(self.clusters)
        return scores if self.weights is None else scores.with_weights(self.weights)


def declared_known(tasks: Mapping[str, Tags], declared: Declared) -> KnownTasks:
    """The clusters and weights of these tasks, by their ids.

    Raises:
        StatisticsError: a mapping lacks a task, no task has the tag, or a weight is not positive.
    """
    clusters, dependence = clusters_of(tasks, declared.clusters)
    said = declared.weights
    found = said_of(tasks, said, "weight") if isinstance(said, Mapping) else {t: g.weight for t, g in tasks.items()}
    if said == "none" or len(set(found.values())) < 2:
        weights, weighing = None, ""
    else:
        how = "as declared" if isinstance(said, Mapping) else "as the tasks declare"
        low, high = number_text(min(found.values()), 2), number_text(max(found.values()), 2)
        weights, weighing = found, f"the questions weigh {low} to {high} in every score, {how}"
    return KnownTasks(clusters, weights, dependence, weighing)
