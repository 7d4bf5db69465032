"""Results of lm-evaluation-harness, of versions 0.3 and 0.4: `samples_*.jsonl`, and results files.

A sample is a trial: its first metric decides (`acc`, `exact_match`, ...), and each filter of the answers is an agent of
its own, since it is another way to measure. A results file holds rates alone: each task becomes one graded trial, by
its first metric; groups, whose members stand beside them, are refused, and so is a file whose samples lie beside it.
The model, its arguments, the number of examples and the limit make the agent; the version of a task is the harness's.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from honestly._loose import inside, items_of
from honestly.errors import FormatError
from honestly.formats._chat import text_of
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable
from honestly.formats._sources import (
    FileReader,
    Found,
    Item,
    Source,
    noted,
    only_rate,
    outcome_of,
    place,
    refused,
    rows_of,
    share_of,
    trial,
)
from honestly.records import Agent, Defect, Outcome, Tags, Task

_SAMPLES = re.compile(r"(?:.*/)?samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl(?:\.gz)?")
_ROW = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
        "prompt_hash", "target_hash"}  # fmt: skip
_CLOSE = 1e-6
_MODEL = re.compile(r"(?:^|,)(?:pretrained|model|engine)=([^,]+)")


def recognises(head: Head) -> bool:
    """Whether it holds samples of the harness, or results with versions of tasks."""
    if head.has("doc_id") and (head.has("resps") or head.has("filtered_resps")):
        return True
    around = head.start + head.end
    return (
        head.has("results") and b'"versions"' in around and b'"config"' in around and b'"eval"' not in head.start[:500]
    )


def read(source: Source) -> Iterator[Item]:
    """The samples, and the rates of what has none."""
    samples = [head for head in source.heads if head.has("doc_id")]
    results = [head for head in source.heads if not head.has("doc_id")]
    said: dict[str, Mapping[str, object]] = {}
    for head in results:
        try:
            said.update({head.name: inside(head.json())})
        except FormatError as error:
            yield refused(place(head), "unreadable file", str(error))
    judged: dict[tuple[str, str], dict[str, list[float]]] = {}
    for head in samples:
        folder, named = head.name.rpartition("/")[0], _SAMPLES.fullmatch(place(head))
        task = named["task"] if named else place(head).rpartition("/")[2].partition(".")[0]
        beside = [found for name, found in said.items() if name.rpartition("/")[0] == folder]
        file = next((found for found in beside if task in inside(found, "results")), {})
        try:
            yield from _samples(head, task, file, judged.setdefault((folder, task), defaultdict(list)))
        except FormatError as error:
            yield refused(place(head), "unreadable file", str(error))
    for head in results:
        if head.name in said:
            folder = head.name.rpartition("/")[0]
            yield from _rates(
                head, said[head.name], {task: each for (at, task), each in judged.items() if at == folder}
            )


def _agent(found: Mapping[str, object], task: str, where: str, measure: str) -> Agent:
    config = inside(found, "config")
    arguments = config.get("model_args")
    text = arguments if isinstance(arguments, str) else ""
    named = _MODEL.search(text)
    model = named[1] if named else found.get("model_name") or config.get("model") or where.rpartition("/")[0]
    shots = inside(found, "n-shot").get(task, config.get("num_fewshot"))
    settings: dict[str, str | int | float | bool | None] = {"model_args": storable(text)}
    given = {"num_fewshot": shots, "limit": config.get("limit")}
    settings |= {name: value for name, value in given.items() if isinstance(value, int | float)}
    if measure:
        settings["filter"] = measure
    version = storable(found.get("git_hash") or "")
    name = " ".join(filter(None, (storable(model) or "lm-eval", measure if measure != "none" else "")))
    return Agent(name=name, program="lm-eval", version=version, model=storable(model), settings=settings)


def _task(name: str, version: object, question: str = "", text: str = "") -> Task:
    tags = Tags(cluster=name if question else "")
    return Task(
        id=f"{name}.{question}" if question else name, version=storable(version or "1"), instruction=text, tags=tags
    )


def _samples(head: Head, task: str, file: Mapping[str, object], scores: dict[str, list[float]]) -> Iterator[Item]:
    """The trials of a file; its scores are kept by metric and filter, as results name them."""
    version = inside(file, "versions").get(task)
    for where, row in rows_of(head):
        if isinstance(row, Defect):
            yield row
            continue
        listed = [name for name in items_of(row.get("metrics")) if isinstance(name, str) and name in row]
        metrics = listed or [name for name in row if name not in _ROW]
        measure = storable(row.get("filter") or "none")
        agent = _agent(file, task, place(head), measure)
        arguments = inside(row, "arguments", "gen_args_0")
        asked = _task(task, version, storable(row.get("doc_id")), text_of(arguments.get("arg_0")))
        score = share_of(_plain(row[metrics[0]])) if metrics else None
        if score is None:
            yield noted(place(head), "no share", f"{metrics[:1] or 'no metric'}: void")
            yield Found(agent, asked, trial(where, Outcome.VOID, reason="not judged"))
            continue
        scores[f"{metrics[0]},{measure}"].append(score)
        outcome, share = outcome_of(score)
        yield Found(agent, asked, trial(where, outcome, score=share), key=storable(row.get("doc_id")))


def _plain(value: object) -> object:
    return float(value) if isinstance(value, bool) else value


def _rates(head: Head, found: Mapping[str, object], judged: Mapping[str, Mapping[str, list[float]]]) -> Iterator[Item]:
    where = place(head)
    groups = inside(found, "group_subtasks")
    if not inside(found, "results"):
        yield refused(where, "unreadable file", "it holds no results")
    for task, metrics in inside(found, "results").items():
        name = storable(task)
        values = {key: value for key, value in inside(metrics).items() if "stderr" not in key and key != "alias"}
        shares = {key: share for key, value in values.items() if (share := share_of(value)) is not None}
        members = [each for each in items_of(groups.get(task)) if each in inside(found, "results")]
        if task in judged:
            yield refused(f"{where}#{name}", "rate of samples", "its samples lie beside it, and are kept")
            for metric, scores in judged[task].items():
                mean, claimed = math.fsum(scores) / len(scores), shares.get(metric)
                if claimed is not None and abs(mean - claimed) > _CLOSE:
                    detail = (
                        f"{name}/{storable(metric)} is {claimed:g} in the file, {mean:g} over {len(scores)} samples"
                    )
                    yield noted(where, "metric differs", detail)
        elif members:
            yield refused(f"{where}#{name}", "group of tasks", f"its {len(members)} members stand beside it")
        elif not shares:
            yield noted(where, "no share", f"{name}: {', '.join(map(storable, values))}: void")
            made = trial(f"{where}#{name}", Outcome.VOID, reason="not judged")
            yield Found(_agent(found, task, where, ""), _task(name, inside(found, "versions").get(task)), made)
        else:
            metric, share = next(iter(shares.items()))
            error = number_of(
                inside(metrics).get(metric.replace(",", "_stderr,") if "," in metric else f"{metric}_stderr")
            )
            detail = f"{name}: {storable(metric)}" + (f", standard error {error:.3g}" if error is not None else "")
            yield from only_rate(
                f"{where}#{name}", _agent(found, task, where, ""), name, share, detail, inside(metrics)
            )


READER = FileReader("lm-eval", recognises, read)
