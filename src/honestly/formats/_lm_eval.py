"""Results of lm-evaluation-harness, of versions 0.3 and 0.4: `samples_*.jsonl`, and results files.

A sample is a trial: its first metric decides (`acc`, `exact_match`, ...), and each filter of the answers is an agent of
its own, since it is another way to measure. A results file holds rates alone: each task becomes one graded trial, by
its first metric; groups, whose members stand beside them, are refused, and so is a file whose samples lie beside it.
The model, its arguments and the limit make the agent, and the number of examples where a task was asked with several;
the version of a task is the harness's.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from honestly._loose import items_of, nested_dict
from honestly.errors import FormatError
from honestly.formats._chat import text_of
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, figure_defects, number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    imported_trial,
    noted_defect,
    only_rate,
    outcome_of,
    recorded_place,
    refused_defect,
    reward_share,
    rows_of,
    share_of,
)
from honestly.records import Agent, Defect, Outcome, Tags, Task

_SAMPLES = re.compile(r"(?:.*/)?samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(?:\.gz)?")
# Fields of a row that are no metrics.
_ROW = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
        "prompt_hash", "target_hash"}  # fmt: skip
_DATE = re.compile(r"_(\d{4}-\d\d-\d\dT[\d:-]+(?:\.\d+)?)\.json")
Shots = Mapping[tuple[str, str], Mapping[str, set[int]]]
"""Numbers of examples by model and its arguments, and by task."""

_MODEL = re.compile(r"(?:^|,)(?:pretrained|model|engine)=([^,]+)")


def recognises(head: Head) -> bool:
    """Whether it holds samples of the harness, or results with versions of tasks."""
    if head.has_keys("doc_id") and (head.has_keys("resps") or head.has_keys("filtered_resps")):
        return True
    around = head.start + head.last_bytes
    return (
        head.has_keys("results")
        and b'"versions"' in around
        and b'"config"' in around
        and b'"eval"' not in head.start[:500]
    )


def read(source: Source) -> Iterator[Item]:
    """The samples, and the rates of what has none."""
    samples = [head for head in source.heads if head.has_keys("doc_id")]
    results = [head for head in source.heads if not head.has_keys("doc_id")]
    said: dict[str, Mapping[str, object]] = {}
    for head in results:
        try:
            said.update({head.name: nested_dict(head.json())})
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    shots = _shots_by_model(said)
    for task in sorted({task for tasks in shots.values() for task in tasks}):
        asked = {number for tasks in shots.values() for number in tasks.get(task, ())}
        if len(asked) > 1:
            detail = f"{task} with {', '.join(map(str, sorted(asked)))} examples: not the same question"
            yield noted_defect(next(iter(said)) or source.root.name, "shots vary", detail)
    dates = {name: found[1] if (found := _DATE.search(name)) else "" for name in said}
    # Dates of each task's runs in a folder: each is a sample of its questions.
    runs: dict[tuple[str, str], list[str]] = defaultdict(list)
    judged: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    # Tasks of samples by model and by filter of the answers: a rate with one of these filters is of the same agent.
    filters: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for head in samples:
        folder, named = head.name.rpartition("/")[0], _SAMPLES.fullmatch(recorded_place(head))
        task = named["task"] if named else recorded_place(head).rpartition("/")[2].partition(".")[0]
        date = (named["date"] or "").removesuffix(".") if named else ""
        beside = [
            name for name in said if name.rpartition("/")[0] == folder and task in nested_dict(said[name], "results")
        ]
        mine = next((name for name in beside if dates[name] == date), next(iter(beside), ""))
        times = runs[folder, task]
        if date not in times:
            times.append(date)
        scores = judged.setdefault((folder, task, dates.get(mine, date)), defaultdict(list))
        try:
            for item in _sample_trials(head, task, said.get(mine, {}), scores, times.index(date), shots):
                if isinstance(item, FoundTrial):
                    model = _model_of(said.get(mine, {}), recorded_place(head))
                    filters[model][str(item.agent.settings["filter"])].add(task)
                yield item
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    for head in results:
        if head.name in said:
            run = head.name.rpartition("/")[0], dates[head.name]
            own = {task: each for (at, task, date), each in judged.items() if (at, date) == run}
            yield from _rate_defects(head, said[head.name], own, shots, filters)


def _model_of(found: Mapping[str, object], where: str) -> tuple[str, str]:
    """The model of a file, and its arguments."""
    config = nested_dict(found, "config")
    arguments = config.get("model_args")
    text = arguments if isinstance(arguments, str) else ""
    named = _MODEL.search(text)
    model = named[1] if named else found.get("model_name") or config.get("model") or where.rpartition("/")[0]
    return storable_text(model), storable_text(text)


def _shots_of(found: Mapping[str, object], task: str) -> int | None:
    shots = nested_dict(found, "n-shot").get(task, nested_dict(found, "config").get("num_fewshot"))
    return shots if isinstance(shots, int) else None


def _shots_by_model(said: Mapping[str, Mapping[str, object]]) -> Shots:
    shots: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for where, found in said.items():
        for task in nested_dict(found, "results"):
            if (number := _shots_of(found, task)) is not None:
                shots[_model_of(found, where)][storable_text(task)].add(number)
    return shots


def _harness_agent(found: Mapping[str, object], task: str, where: str, measure: str, shots: Shots) -> Agent:
    """Whoever answered; the number of examples is a task's own unless one was asked with several."""
    config, (model, text) = nested_dict(found, "config"), _model_of(found, where)
    tasks, mine = shots.get((model, text), {}), _shots_of(found, task)
    told: int | str | None = mine
    varies = any(len(each) > 1 for each in tasks.values())
    if not varies and len({number for each in tasks.values() for number in each}) > 1:
        told = ", ".join(f"{name}={min(tasks[name])}" for name in sorted(tasks))[:2000]
    settings: Settings = {"model_args": text}
    if told is not None:
        settings["num_fewshot"] = told
    if isinstance(limit := config.get("limit"), int | float):
        settings["limit"] = limit
    if measure:
        settings["filter"] = measure
    version = storable_text(found.get("git_hash") or "")
    examples = f"{mine}-shot" if varies and mine is not None else ""
    alike = [set(each.split(",")) for name, each in shots if name == model]
    own = ",".join(each for each in text.split(",") if len(alike) > 1 and each not in set.intersection(*alike))
    name = " ".join(filter(None, (model or "lm-eval", own[:80], examples, measure if measure != "none" else "")))
    return Agent(name=name, program="lm-eval", version=version, model=model, settings=settings)


def _harness_task(name: str, version: object, question: str = "", text: str = "") -> Task:
    tags = Tags(cluster=name if question else "")
    return Task(
        id=f"{name}.{question}" if question else name,
        version=storable_text(version or "1"),
        instruction=text,
        tags=tags,
    )


def _sample_trials(
    head: Head, task: str, file: Mapping[str, object], scores: dict[str, list[float]], run: int, shots: Shots
) -> Iterator[Item]:
    """The trials of a file, of the so-manyth run of its task; its scores are kept by metric and filter, as results
    name them.
    """
    version = nested_dict(file, "versions").get(task)
    for where, row in rows_of(head):
        if isinstance(row, Defect):
            yield row
            continue
        listed = [name for name in items_of(row.get("metrics")) if isinstance(name, str) and name in row]
        metrics = listed or [name for name in row if name not in _ROW]
        measure = storable_text(row.get("filter") or "none")
        agent = _harness_agent(file, task, recorded_place(head), measure, shots)
        arguments = nested_dict(row, "arguments", "gen_args_0")
        asked = _harness_task(task, version, storable_text(row.get("doc_id")), text_of(arguments.get("arg_0")))
        score = reward_share(row[metrics[0]]) if metrics else None
        if score is None:
            yield noted_defect(recorded_place(head), "no share", f"{metrics[:1] or 'no metric'}: void")
            yield FoundTrial(agent, asked, imported_trial(where, Outcome.VOID, reason="not judged"))
            continue
        scores[f"{metrics[0]},{measure}"].append(score)
        outcome, share = outcome_of(score)
        yield FoundTrial(
            agent,
            asked,
            imported_trial(where, outcome, score=share),
            key=f"{storable_text(row.get('doc_id'))} of run {run}",
        )


def _rate_defects(
    head: Head,
    found: Mapping[str, object],
    judged: Mapping[str, Mapping[str, list[float]]],
    shots: Shots,
    filters: Mapping[tuple[str, str], Mapping[str, set[str]]],
) -> Iterator[Item]:
    where = recorded_place(head)
    known = filters.get(_model_of(found, where), {})
    groups = nested_dict(found, "group_subtasks")
    if not nested_dict(found, "results"):
        yield refused_defect(where, "unreadable file", "it holds no results")
    for task, metrics in nested_dict(found, "results").items():
        name = storable_text(task)
        values = {key: value for key, value in nested_dict(metrics).items() if "stderr" not in key and key != "alias"}
        shares = {key: share for key, value in values.items() if (share := share_of(value)) is not None}
        members = [each for each in items_of(groups.get(task)) if each in nested_dict(found, "results")]
        if task in judged:
            yield refused_defect(f"{where}#{name}", "rate of samples", "its samples lie next to it, and are kept")
            for metric, scores in judged[task].items():
                mean = math.fsum(scores) / len(scores)
                yield from figure_defects(where, f"{name}/{metric}", shares.get(metric), mean, f"{len(scores)} samples")
        elif members:
            yield refused_defect(f"{where}#{name}", "group of tasks", f"its {len(members)} members stand next to it")
        elif any(task in known.get(key.partition(",")[2] or "none", ()) for key in shares):
            why = "of another run, and the samples of a run are kept"
            yield refused_defect(f"{where}#{name}", "rate of samples", why)
        elif not shares:
            yield noted_defect(where, "no share", f"{name}: {', '.join(map(storable_text, values))}: void")
            made = imported_trial(f"{where}#{name}", Outcome.VOID, reason="not judged")
            yield FoundTrial(
                _harness_agent(found, task, where, "", shots),
                _harness_task(name, nested_dict(found, "versions").get(task)),
                made,
            )
        else:
            metric, share = next(iter(shares.items()))
            error = number_of(
                nested_dict(metrics).get(metric.replace(",", "_stderr,") if "," in metric else f"{metric}_stderr")
            )
            detail = f"{name}: {storable_text(metric)}" + (f", standard error {error:.3g}" if error is not None else "")
            measure = storable_text(metric).partition(",")[2] or "none"
            yield from only_rate(
                f"{where}#{name}",
                _harness_agent(found, task, where, measure if measure in known else "", shots),
                name,
                share,
                detail,
                nested_dict(metrics),
            )


READER = FileReader("lm-eval", recognises, read)
