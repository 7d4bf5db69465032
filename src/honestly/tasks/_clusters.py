"""Which tasks belong together, before any result is seen: as somebody says, as tasks declare, or as their ids show.

Tasks of one cluster may succeed and fail together. Reports and runs that may stop early ask here, so that both take the
same tasks together.
"""

from collections.abc import Mapping
from typing import TypeVar

from honestly.errors import StatisticsError
from honestly.records import Tags

T = TypeVar("T")
GROUPINGS = ("category", "language", "difficulty", "date", "cluster", "made")
"""The tags by which tasks can be grouped."""


def clusters_of(tasks: Mapping[str, Tags], said: Mapping[str, str] | str = "") -> tuple[dict[str, str] | None, str]:
    """The cluster of each task, and where that comes from; None where tasks are taken as independent.

    Args:
        tasks: the tags of each task, by its id.
        said: the cluster of each task, a tag, or `none`; empty for what tasks declare, or else their ids show.

    Returns:
        Clusters by task, and half a sentence that says why these.

    Raises:
        StatisticsError: a task is not named, or no task has the tag.
    """
    if said == "none":
        return None, "the tasks are independent of each other, as declared"
    if isinstance(said, Mapping):
        return _grouped_clusters(said_of(tasks, said, "cluster"), "as declared")
    if said:
        if said not in GROUPINGS or not any(getattr(tags, said) for tags in tasks.values()):
            raise StatisticsError(f"no task of the study has a tag {said!r}; tags are {', '.join(GROUPINGS)}")
        return _grouped_clusters(_tag_values(tasks, said), f"by their tag {said!r}, as declared")
    if any(tags.cluster for tags in tasks.values()):
        declared = _tag_values(tasks, "cluster")
        if len(tasks) > 1 and len(set(declared.values())) == 1:
            return None, (
                f"all {len(tasks):,} questions form one cluster, as the tasks declare: the numbers are about new tasks "
                "of that cluster, taken as independent"
            )
        return _grouped_clusters(declared, "as the tasks declare")
    from honestly.stats import infer_clusters  # late: it needs numpy, which most runs have no use for

    inferred = infer_clusters(tuple(tasks)) if tasks else None
    if inferred is None:
        return None, (
            "the tasks are taken as independent: no clusters are declared, and their ids show none; if some tasks are "
            "related, the true error bars are wider"
        )
    return dict(zip(tasks, inferred.labels, strict=True)), inferred.note


def said_of(tasks: Mapping[str, Tags], said: Mapping[str, T], what: str) -> dict[str, T]:
    """The declared value of each task.

    Raises:
        StatisticsError: nothing is said of one.
    """
    absent = [task for task in tasks if task not in said]
    if absent:
        shown = ", ".join(map(repr, absent[:5]))
        raise StatisticsError(f"no {what} is given for {len(absent)} of {len(tasks)} tasks ({shown}, ...): name each")
    return {task: said[task] for task in tasks}


def _tag_values(tasks: Mapping[str, Tags], tag: str) -> dict[str, str]:
    """The value of a tag at each task; without it a task stands on its own, and no tag is named like a task's own."""
    return {task: f"{tag} {value}" if (value := getattr(tags, tag)) else f"task {task}" for task, tags in tasks.items()}


def _grouped_clusters(clusters: dict[str, str], how: str) -> tuple[dict[str, str] | None, str]:
    count = len(set(clusters.values()))
    if count == len(clusters):
        return None, f"the tasks are independent of each other, {how}"
    return clusters, f"{len(clusters):,} questions form {count:,} cluster{'' if count == 1 else 's'}, {how}"
