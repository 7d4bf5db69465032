"""Results of SWE-bench: predictions, what its harness wrote of each instance, its summaries, results of the Pro set.

Files belong together where they lie in one directory, or below that of predictions or of a summary. Of an instance the
report counts, then the summary (`resolved_ids`, or the older `resolved` beside `generated`). A prediction without a
patch failed; one whose log has no report could not be applied, and failed; one of which nothing is said is void, and no
trial where the same patch lies in a folder above or below. An instance without a prediction that a summary names is a
trial too. Of several summaries in a directory each is a run of its own, unless its name begins with the model whose
predictions lie there. Lists that name only what was resolved are refused: nobody knows of how many.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import structs

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._agent_names import names_apart
from honestly.formats._files import storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, cached_usage, number_of, storable_text
from honestly.formats._mini_swe_agent import judged_by_report, reports_in
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    noted_defect,
    recorded_place,
    refused_defect,
    repaired_defect,
    rows_of,
    stem_of,
)
from honestly.records import Agent, Defect, Outcome, Tags, Task, Usage, Verdict

# Files beside an instance's log or report, and those of them that become artifacts.
_BESIDE = ("patch.diff", "run_instance.log", "test_output.txt", "test_output.txt.gz", "eval.sh")
_KEPT = ("patch.diff", "test_output.txt")
_LARGEST = 32 << 20
_ABSENT = object()
# Names of summaries that each tool gives to those of all models.
_UNTOLD = {"", "results", "report", "final_report"}
# One of these says of how many instances a summary is.
_WHOLE = {"generated", "submitted_ids", "completed_ids", "unresolved_ids", "ids_unresolved", "per_instance_details"}


_UNRESOLVED = ("unresolved_ids", "ids_unresolved", "error_ids", "empty_patch_ids", "no_generation", "no_apply")
_SERVICE = re.compile(r"(?i)[^/]*swe.?bench[^/]*?__(dev|test)__")
# What the harness writes into its log where a patch does not fit.
_NOT_APPLIED = b"Patch Apply Failed"


def recognises(head: Head) -> bool:
    """Whether it is one of the harness's files."""
    if (
        head.has_keys("instance_id", "model_patch")
        or head.has_keys("resolved_ids")
        or head.has_keys("resolved_instances")
        or head.has_keys("ids_resolved", "ids_unresolved")
        or head.has_keys("generated", "with_logs")
    ):
        return True
    if (
        head.has_keys("per_instance_details")
        or (head.has_keys("leaderboards") and b'"per_instance_details"' in head.start + head.last_bytes)
        or head.has_keys("no_generation")
        or head.has_keys("resolvedIds")
        or head.has_keys("instanceId", "costUsd")
    ):
        return True
    if (head.name or head.root.name).endswith("run_instance.log"):
        return True
    words = (b'"tests_status"', b'"patch_successfully_applied"', b'"model_patch"')
    return head.is_json and (any(word in head.start for word in words) or _is_pro(head))


def _is_pro(head: Head) -> bool:
    """Whether it is a flat object of instances, each true or false."""
    text = head.start[:400].lstrip()
    return text.startswith(b"{") and b'"instance_' in text[:20] and b'"instance_id"' not in text and b": {" not in text


class _Prediction(NamedTuple):
    patch: str
    where: str
    odd: str = ""
    """Why nobody knows whether there is a patch."""


@dataclass
class _Run:
    """The facts known of a run: by model and instance."""

    patches: dict[tuple[str, str], _Prediction] = field(default_factory=dict)
    reports: dict[str, dict[str, tuple[Head, Mapping[str, object]]]] = field(default_factory=dict)
    """By instance, and by the directory of the model."""
    logs: dict[str, Head] = field(default_factory=dict)
    said: dict[str, tuple[Outcome, str, str]] = field(default_factory=dict)
    """Outcome, reason and place of what a summary says."""
    costs: dict[str, Usage] = field(default_factory=dict)
    contradicted: list[str] = field(default_factory=list)
    """Instances whose report says otherwise than the summary."""
    name: str = ""

    @property
    def instances(self) -> set[str]:
        """Those that something is said of, but for predictions."""
        return {*self.said, *self.reports, *self.logs}

    @property
    def was_judged(self) -> bool:
        """Whether anything says what came of its predictions."""
        return bool(self.said or self.reports or self.logs)


def read(source: Source) -> Iterator[Item]:
    """The trials of each run."""
    anchors = sorted({_run_folder(head) for head in source.heads if not _is_instance(head)}, key=len, reverse=True)
    runs: dict[str, _Run] = defaultdict(_Run)
    summaries = Counter(_run_folder(head) for head in source.heads if _is_summary(head))
    # Of several summaries whose names begin with the model of predictions the shortest is theirs: `gpt-4.RUN.json`.
    for head in sorted(source.heads, key=lambda head: (_is_summary(head), len(stem_of(head)) * _is_summary(head))):
        folder = _run_folder(head)
        home = next((each for each in anchors if not each or folder == each or folder.startswith(f"{each}/")), None)
        # Logs of a run alone: .../RUN/MODEL/INSTANCE/report.json
        if home is None:
            home = folder.rpartition("/")[0]
        if _is_summary(head) and summaries[folder] > 1 and (runs[home].said or not _is_of(head, runs[home])):
            # A run of its own: predictions that lie there are another's.
            home = f"{recorded_place(head)}#"
            runs[home].name = _summary_name(head)
        try:
            yield from _take_file(runs[home], head, source)
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    yield from _pro_trials(source)
    yield from _drop_copies(runs)
    names, said = _run_names(runs, source)
    yield from said
    predicted = Counter(key for run in runs.values() for key in run.patches)
    for home, run in sorted(runs.items(), key=lambda each: not each[1].was_judged):
        for item in _run_trials(run, names[home], source):
            # Predicted in several places: samples of one agent, since the harness holds one for an instance.
            several = predicted[item.agent.model, item.key] > 1
            yield item._replace(key=f"{item.key} in {home}") if several else item
        if run.contradicted:
            detail = f"of {', '.join(run.contradicted[:5])}; the reports count"
            yield noted_defect(
                next(iter(run.said.values()))[2].partition("#")[0], "summary differs", detail, len(run.contradicted)
            )


def _run_names(runs: Mapping[str, _Run], source: Source) -> tuple[dict[str, str], list[Defect]]:
    """The name of each run's agent: its predictions', else its summary's or its folder's, and what is odd about it."""
    names: dict[str, str] = {}
    places: dict[str, tuple[str, ...]] = {}
    seen = set[tuple[str, frozenset[tuple[str, Outcome]]]]()
    for home, run in runs.items():
        models, folders = {model for model, _ in run.patches}, home.removesuffix("#").split("/")
        by_folder = {model for reports in run.reports.values() for model in reports}
        if run.name in _UNTOLD:
            name = folders.pop() or source.root.name
        else:
            name = next(
                (each for each in by_folder if len(by_folder) == 1 and run.name.startswith(f"{each}.")), run.name
            )
        names[home] = next(iter(models)) if len(models) == 1 else name
        ended = names[home], frozenset((instance, outcome) for instance, (outcome, *_) in run.said.items())
        if not models and (ended not in seen or not run.said):  # a copy is no other agent
            places[home] = (*folders, name)
        seen.add(ended)
    apart, odd = names_apart(places, lambda home: runs[home].instances)
    return names | {
        home: each if each.endswith(names[home]) else f"{each}/{names[home]}" for home, each in apart.items()
    }, odd


def _run_folder(head: Head) -> str:
    """The folder of the run that a file is of: submissions have their summary in a folder `results`."""
    folder = head.name.rpartition("/")[0]
    return folder.rpartition("/")[0] if folder.rpartition("/")[2] == "results" else folder


def _drop_copies(runs: Mapping[str, _Run]) -> Iterator[Defect]:
    """Takes predictions out of runs that nobody judged, where the same patch lies in a folder above or below.

    In folders side by side it may be another sample.
    """
    seen: dict[tuple[tuple[str, str], str], list[str]] = defaultdict(list)
    for home, run in sorted(runs.items(), key=lambda each: not each[1].was_judged):
        for key, (patch, where, _) in list(run.patches.items()):
            if not run.was_judged and any(_is_in(home, other) or _is_in(other, home) for other in seen[key, patch]):
                del run.patches[key]
                yield refused_defect(where, "duplicate prediction", f"{key[1]}: the same patch lies elsewhere, too")
            seen[key, patch].append(home)


def _is_in(folder: str, other: str) -> bool:
    return not other or folder == other or folder.startswith(f"{other}/")


def _is_summary(head: Head) -> bool:
    """Whether it lists instances of a run, with what came of them."""
    return bool(head.keys & _WHOLE) and not head.has_keys("leaderboards") and not head.has_keys("resolvedIds")


def _is_of(head: Head, run: _Run) -> bool:
    """Whether a summary's name, MODEL.RUN.json, says that it is of a model whose predictions lie there."""
    models = {model.replace("/", "__") for model, _ in run.patches}
    return any(stem_of(head).startswith(f"{model}.") for model in models)


def _summary_name(head: Head) -> str:
    """The name of a run by its summary's: MODEL.RUN, or of SWE-bench's service, SUBSET__SPLIT__RUN."""
    return _SERVICE.sub("", stem_of(head))


def _is_instance(head: Head) -> bool:
    named = head.name.rpartition("/")[2] in {"report.json", "run_instance.log"}
    return (named and not _is_summary(head)) or _is_pro(head)


def _take_file(run: _Run, head: Head, source: Source) -> Iterator[Item]:
    where = recorded_place(head)
    if where.endswith("run_instance.log"):
        run.logs[head.name.split("/")[-2] if "/" in head.name else stem_of(head)] = head
        yield from _used_by_instance(head, source)
    elif head.has_keys("instanceId", "costUsd"):
        for _, row in rows_of(head):
            if isinstance(row, Defect):
                yield row
                continue
            run.costs[storable_text(row.get("instanceId"))] = cached_usage(
                *(count_of(row.get(name)) for name in ("inputTokens", "cacheReadTokens", "cacheCreationTokens")),
                output_tokens=count_of(row.get("outputTokens")),
                usd=number_of(row.get("costUsd")),
            )
        yield noted_defect(where, "costs of trials", f"{len(run.costs)} rows")
    elif b'"model_patch"' in head.start:
        yield from _take_predictions(run, head)
    elif b'"tests_status"' in head.start or b'"patch_successfully_applied"' in head.start:
        for instance, report in reports_in(head.json(), head.name.split("/")[-2] if "/" in head.name else "").items():
            folders = head.name.split("/")
            of_model = folders[-3] if len(folders) > 2 else ""
            run.reports.setdefault(storable_text(instance), {})[of_model] = (head, report)
        yield from _used_by_instance(head, source)
    elif _is_pro(head):
        return
    elif head.has_keys("leaderboards"):
        yield from _leaderboard_trials(head)
    elif head.has_keys("resolvedIds") or not (_WHOLE & (found := nested_dict(head.json())).keys()):
        counts = "total_instances" in found if not head.has_keys("resolvedIds") else False
        told = "the number of instances that were tried is not in the file"
        said = "counts alone: no instance is named" if counts else told
        yield refused_defect(where, "only what was resolved", said)
    else:
        yield from _take_summary(run, head)
        yield noted_defect(where, "summary", f"{len(run.said)} instances")


def _used_by_instance(head: Head, source: Source) -> Iterator[UsedFile]:
    """The files that belong to an instance: its log or report, and what lies beside it."""
    yield UsedFile(head.name)
    yield from (UsedFile(head.sibling_name(name)) for name in _BESIDE if head.sibling_name(name) in source.names)


def _take_predictions(run: _Run, head: Head) -> Iterator[Item]:
    found: Iterable[tuple[str, Mapping[str, object] | Defect]]
    if head.start.lstrip().startswith(b"[") or not head.has_keys("model_patch"):
        data = head.json()
        listed = objects_of(data) or [
            {"instance_id": key} | nested_dict(value) for key, value in nested_dict(data).items()
        ]
        found = [(f"{recorded_place(head)}#{number}", each) for number, each in enumerate(listed)]
    else:
        found = rows_of(head)
    for where, row in found:
        if isinstance(row, Defect):
            yield row
            continue
        model, patch = storable_text(row.get("model_name_or_path") or stem_of(head)), row.get("model_patch", _ABSENT)
        while isinstance(patch, dict):  # SWE-agent's `.pred`, once more within itself
            patch = patch.get("model_patch", _ABSENT)
        odd = "" if patch is None or isinstance(patch, str) else f"model_patch is {type(patch).__name__}, not a text"
        key = model, storable_text(row.get("instance_id") or "")
        if not key[1]:
            yield refused_defect(where, "row refused", "no instance_id")
        elif key in run.patches:
            yield refused_defect(where, "duplicate prediction", f"{key[1]}: the first counts")
        else:
            odd = "no model_patch in its row" if patch is _ABSENT else odd
            run.patches[key] = _Prediction(storable_text(patch) if isinstance(patch, str) else "", where, odd)


def _take_summary(run: _Run, head: Head) -> Iterator[Item]:
    """Takes the content of a summary: of version 2 with `_ids`, or the older one with bare lists."""
    found, where = nested_dict(head.json()), recorded_place(head)
    kinds = (
        ("submitted_ids", Outcome.VOID, "not judged"), ("completed_ids", Outcome.FAILED, ""),
        ("no_generation", Outcome.FAILED, "no patch"), ("generated", Outcome.FAILED, ""),
        ("no_apply", Outcome.FAILED, "the patch could not be applied"),
        ("install_fail", Outcome.VOID, "installation failed"), ("reset_failed", Outcome.VOID, "reset failed"),
        ("test_errored", Outcome.FAILED, "tests broke off"), ("test_timeout", Outcome.FAILED, "tests timed out"),
        ("incomplete_ids", Outcome.VOID, "not judged"), ("empty_patch_ids", Outcome.FAILED, "no patch"),
        ("unresolved_ids", Outcome.FAILED, ""), ("error_ids", Outcome.FAILED, "the patch could not be applied"),
        ("ids_unresolved", Outcome.FAILED, ""),
        ("resolved", Outcome.PASSED, ""), ("resolved_ids", Outcome.PASSED, ""), ("ids_resolved", Outcome.PASSED, ""),
    )  # fmt: skip
    unresolved = {storable_text(each) for name in _UNRESOLVED for each in items_of(found.get(name))}
    both = []
    for name, outcome, reason in kinds:
        for instance in map(storable_text, items_of(found.get(name))):
            run.said[instance] = (outcome, reason, f"{where}#{instance}")
            if outcome is Outcome.PASSED and instance in unresolved:
                run.said[instance] = (Outcome.VOID, "listed as resolved and as unresolved", f"{where}#{instance}")
                both.append(instance)
    if both:
        detail = f"{', '.join(both[:5])}: listed as resolved and as unresolved; void"
        yield repaired_defect(where, "summary contradicts itself", detail, len(both))
    tried = found.get("total_instances", found.get("total"))
    if isinstance(tried, int) and tried > len(run.said) > 0:
        missing = tried - len(run.said)
        detail = f"{missing} of {tried} instances are named nowhere in it, and have no trial here"
        yield noted_defect(where, "instances without a name", detail, missing)
    _take_details(run, where, nested_dict(found, "per_instance_details"))
    for name in ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error"):
        counted, listed = found.get(f"{name}_instances"), found.get(f"{name}_ids")
        if isinstance(counted, int) and isinstance(listed, list) and counted != len(listed):
            yield noted_defect(
                where, "summary contradicts itself", f"{counted} {name}, and {len(listed)} ids; the ids count"
            )
    run.name = run.name or _summary_name(head)


def _take_details(run: _Run, where: str, details: Mapping[str, object]) -> None:
    """Takes the content of per_instance_details: resolved or not, and at what cost."""
    for instance, said in details.items():
        solved = nested_dict(said).get("resolved")
        outcome = Outcome.VOID if not isinstance(solved, bool) else Outcome.PASSED if solved else Outcome.FAILED
        reason = "not judged" if outcome is Outcome.VOID else ""
        run.said[storable_text(instance)] = (outcome, reason, f"{where}#{storable_text(instance)}")
        if (usd := number_of(nested_dict(said).get("cost"))) is not None:
            # 0 stands where nobody asked for the price.
            run.costs[storable_text(instance)] = Usage(usd=usd or None)


def _leaderboard_trials(head: Head) -> Iterator[Item]:
    """The published leaderboards in one file: a trial for each instance of each entry that has details."""
    for board in objects_of(nested_dict(head.json()).get("leaderboards")):
        for entry in objects_of(board.get("results")):
            name, details = storable_text(entry.get("name") or "unnamed"), nested_dict(entry, "per_instance_details")
            where = f"{recorded_place(head)}#{storable_text(board.get('name') or '')}/{name}"
            if not details:
                yield refused_defect(where, "only a rate", "it has no per_instance_details")
            run = _Run()
            _take_details(run, where, details)
            settings: Settings = {
                key: storable_text(entry[key]) for key in ("date", "folder") if entry.get(key) is not None
            }
            agent = Agent(name=name, program="swe-bench", model=name, settings=settings)
            for instance, (outcome, reason, at) in run.said.items():
                made = imported_trial(at, outcome, reason=reason, usage=run.costs.get(instance))
                yield FoundTrial(agent, instance_task(instance), made)


def read_summary(head: Head) -> tuple[dict[str, tuple[Outcome, str, str]], list[Item]]:
    """Outcome, reason and place of each instance that a summary names, and what is odd about it."""
    run = _Run()
    try:
        odd = list(_take_summary(run, head))
    except FormatError:
        # Its own reader says so.
        return {}, []
    return run.said, odd


def with_summary(source: Source, home: str, items: Iterable[Item]) -> Iterator[Item]:
    """The trials of a folder, of which those that nobody judged have the outcome that the summary beside them gives."""
    summaries = [
        head
        for name in source.names
        if name.rpartition("/")[0] == home and name.endswith(".json")
        if (head := Head(source.root, name)).has_keys("resolved_ids") or head.has_keys("generated", "resolved")
    ]
    # Of several summaries nobody knows which is this run's.
    said, odd = read_summary(summaries[0]) if len(summaries) == 1 else ({}, [])
    agents: dict[str, Agent] = {}
    seen = set[str]()
    for item in items:
        if isinstance(item, FoundTrial) and item.task.id in said.keys() - seen:
            agents[item.agent.name] = item.agent
            seen.add(item.task.id)
            outcome, reason, _ = said[item.task.id]
            judged = structs.replace(item.trial, outcome=outcome, reason=reason)
            yield item._replace(trial=judged) if item.trial.outcome is Outcome.VOID else item
        else:
            yield item
    if not agents:
        return
    yield UsedFile(summaries[0].name)
    yield from odd
    predictions = summaries[0].sibling_name("preds.json")
    if predictions in source.names:
        yield UsedFile(predictions)
    for instance in [each for each in said if each not in seen]:
        outcome, reason, where = said[instance]
        yield FoundTrial(agents[min(agents)], instance_task(instance), imported_trial(where, outcome, reason=reason))


def instance_task(instance: str) -> Task:
    """The task of an instance; those of one repository are a cluster."""
    return Task(id=instance, instruction="", tags=Tags(cluster=instance.rpartition("-")[0] if "__" in instance else ""))


def _run_trials(run: _Run, name: str, source: Source) -> Iterator[FoundTrial]:
    models = {model for model, _ in run.patches}
    known = dict.fromkeys([*run.patches, *((name, each) for each in (*run.said, *run.reports, *run.logs))])
    # Nothing says whose they are, but for what each model predicted.
    if len(models) > 1:
        known = dict.fromkeys(run.patches)
    for model, instance in known:
        patch, where, odd = run.patches.get((model, instance), _Prediction("", ""))
        head, report = _report(run, model, instance)
        outcome, reason, verdict = Outcome.VOID, "not judged", Verdict()
        files: dict[str, bytes] = {"patch.diff": patch.encode()} if patch.strip() else {}
        if report is not None and head is not None:
            outcome, reason, verdict = judged_by_report(report)
            where = where or recorded_place(head)
            if (
                instance in run.said
                and len(models) < 2
                and (run.said[instance][0] is Outcome.PASSED) != (outcome is Outcome.PASSED)
            ):
                run.contradicted.append(instance)
            files |= _beside(head, source)
        elif instance in run.said:
            outcome, reason, at = run.said[instance]
            where = where or at
        elif odd:
            reason = odd
        elif (model, instance) in run.patches and not patch.strip():
            outcome, reason = Outcome.FAILED, "no patch"
        elif instance in run.logs:
            reason = "no report next to its log"
            where = where or recorded_place(run.logs[instance])
        if report is None and instance in run.logs and outcome is Outcome.VOID and _was_not_applied(run.logs[instance]):
            outcome, reason = Outcome.FAILED, "the patch could not be applied"
        agent = Agent(name=model, program="swe-bench", model=model)
        made = imported_trial(where, outcome, reason=reason, verdict=verdict, usage=run.costs.get(instance))
        yield FoundTrial(agent, instance_task(instance), made, None, files, key=instance)


def _was_not_applied(log: Head) -> bool:
    """Whether a log says that the patch did not fit; where it does not, an absent report says nothing."""
    try:
        return _NOT_APPLIED in log.whole_file(_LARGEST)
    except FormatError:
        return _NOT_APPLIED in log.start + log.last_bytes


def _report(run: _Run, model: str, instance: str) -> tuple[Head | None, Mapping[str, object] | None]:
    """The report of a model's trial: the only one, or that in the model's directory."""
    found = run.reports.get(instance, {})
    if len(found) == 1 and len({model for model, _ in run.patches}) < 2:
        return next(iter(found.values()))
    return found.get(model.replace("/", "__"), (None, None))


def _beside(head: Head, source: Source) -> dict[str, bytes]:
    """The files beside a report, as far as they can be read."""
    files: dict[str, bytes] = {}
    for name in _KEPT:
        beside = Head(source.root, head.sibling_name(name))
        if beside.name in source.names:
            try:
                files[name] = beside.whole_file(_LARGEST)
            except FormatError:
                continue
    return files


def _pro_trials(source: Source) -> Iterator[Item]:
    """The trials of files of the Pro set, one an agent."""
    found: dict[str, tuple[Head, Mapping[str, object]]] = {}
    for head in filter(_is_pro, source.heads):
        try:
            found[head.name] = head, nested_dict(head.json())
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    places = {
        name: (*name.split("/")[:-1], stem_of(head).removesuffix(".eval_results")) for name, (head, _) in found.items()
    }
    names, said = names_apart(places, lambda name: {storable_text(each) for each in found[name][1]})
    yield from said
    for name, (head, results) in found.items():
        yield from _pro_results(head, results, Agent(name=names[name], program="swe-bench-pro", model=names[name]))


def _pro_results(head: Head, results: Mapping[str, object], agent: Agent) -> Iterator[Item]:
    for key, said in results.items():
        instance = storable_text(key).removeprefix("instance_")
        where = f"{storable_name(recorded_place(head))}#{instance}"
        if not isinstance(said, bool):
            yield refused_defect(where, "row refused", f"neither true nor false: {storable_text(said)[:100]}")
            continue
        cluster = instance.partition("__")[0] + "/" + instance.partition("__")[2].partition("-")[0]
        made = imported_trial(where, Outcome.PASSED if said else Outcome.FAILED)
        yield FoundTrial(agent, Task(id=instance, instruction="", tags=Tags(cluster=cluster)), made, key=instance)


READER = FileReader("swe-bench", recognises, read)
