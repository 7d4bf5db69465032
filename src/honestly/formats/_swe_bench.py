"""Results of SWE-bench: predictions, what its harness wrote of each instance, its summaries, results of the Pro set.

What is of one run say `_swe_runs`. Of an instance the report counts, then the summary (`resolved_ids`, or the older
`resolved` beside `generated`). A prediction without a patch failed; one whose log has no report could not be applied,
and failed; one of which nothing is said is void, and no trial where the same patch lies in a folder above or below. An
instance without a prediction that a summary names is a trial too, unless it was not submitted. Lists that name only
what was resolved are refused: nobody knows of how many.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._agent_names import names_apart
from honestly.formats._files import storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, cached_usage, figure_defects, number_of, storable_text
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
from honestly.formats._swe_reports import judged_by_report, reports_in
from honestly.formats._swe_runs import (
    SUMMARY_KEYS,
    Prediction,
    Run,
    Runs,
    are_few,
    is_instance,
    is_summary,
    lacking_instances,
    summary_name,
)
from honestly.records import Agent, Defect, Outcome, Tags, Task, Usage, Verdict

# Files beside an instance's log or report, and those of them that become artifacts.
_BESIDE = ("patch.diff", "run_instance.log", "test_output.txt", "test_output.txt.gz", "eval.sh")
_KEPT = ("patch.diff", "test_output.txt")
_LARGEST = 32 << 20
_ABSENT = object()
_NOT_JUDGED, _NO_PATCH = "not judged", "no patch"
_UNRESOLVED = ("unresolved_ids", "ids_unresolved", "error_ids", "empty_patch_ids", "no_generation", "no_apply")
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
        # Beside predictions these are their costs; alone, a table.
        or (head.has_keys("instanceId", "costUsd") and (head.name or not head.has_keys("agent", "resolved")))
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


def read(source: Source) -> Iterator[Item]:
    """The trials of each run."""
    runs = Runs(source.heads, [head for head in source.heads if not is_instance(head) and not _is_pro(head)])
    for head in sorted(source.heads, key=_rank):
        try:
            yield from _take_file(runs, head, source)
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    yield from _pro_trials(source)
    patch = ("patch.diff",)
    yield from runs.join_reports(
        lambda head: _beside(head, source, patch).get(*patch, b"").decode("utf-8", "replace").strip()
    )
    yield from runs.join_predictions()
    yield from runs.drop_copies()
    names, said = runs.names(source.root.name)
    yield from said
    lacking = {id(run): lacking_instances(run, runs.known()) for run in runs.known() if run.may_lack}
    for run in runs.known():
        if absent := sorted(lacking.get(id(run), ())):
            detail = (
                f"{len(absent)} of {len(run.said) + len(absent)} instances that other runs name are not in it: void"
            )
            yield noted_defect(run.may_lack, "not submitted", detail, len(absent))
            run.said |= {each: (Outcome.VOID, "not submitted", f"{run.may_lack}#{each}") for each in absent}
    for run in runs.known():
        yield from _run_trials(run, names[id(run)], source)
        if run.contradicted:
            detail = f"of {', '.join(run.contradicted[:5])}; the reports count"
            yield noted_defect(
                next(iter(run.said.values()))[2].partition("#")[0], "summary differs", detail, len(run.contradicted)
            )
        if run.outdated:
            detail = f"of {', '.join(run.outdated[:5])}: a summary says that there was no patch, and counts"
            where = run.said[run.outdated[0]][2].partition("#")[0]
            yield noted_defect(where, "report outdated", detail, len(run.outdated))


def _rank(head: Head) -> tuple[int, int]:
    """Predictions first, then reports and logs, then summaries, the shortest name first: `gpt-4.RUN` before
    `gpt-4.1.RUN`.
    """
    if is_summary(head):
        return 2, len(stem_of(head))
    return int(b'"model_patch"' not in head.start), 0


def _take_file(runs: Runs, head: Head, source: Source) -> Iterator[Item]:
    where = recorded_place(head)
    if where.endswith("run_instance.log"):
        runs.of_instance(head).logs[head.name.split("/")[-2] if "/" in head.name else stem_of(head)] = head
        yield from _used_by_instance(head, source)
    elif head.has_keys("instanceId", "costUsd"):
        costs = runs.costs_of(head)
        for _, row in rows_of(head):
            if isinstance(row, Defect):
                yield row
                continue
            costs[storable_text(row.get("instanceId"))] = cached_usage(
                *(count_of(row.get(name)) for name in ("inputTokens", "cacheReadTokens", "cacheCreationTokens")),
                output_tokens=count_of(row.get("outputTokens")),
                usd=number_of(row.get("costUsd")),
            )
        yield noted_defect(where, "costs of trials", f"{len(costs)} rows")
    elif b'"model_patch"' in head.start:
        yield from _take_predictions(runs, head)
    elif b'"tests_status"' in head.start or b'"patch_successfully_applied"' in head.start:
        yield from _take_reports(runs.of_instance(head), head)
        yield from _used_by_instance(head, source)
    elif _is_pro(head):
        return
    elif head.has_keys("leaderboards"):
        yield from _leaderboard_trials(head)
    elif head.has_keys("resolvedIds") or not (SUMMARY_KEYS & (found := nested_dict(head.json())).keys()):
        counts = "total_instances" in found if not head.has_keys("resolvedIds") else False
        told = "the number of instances that were tried is not in the file"
        said = "counts alone: no instance is named" if counts else told
        yield refused_defect(where, "only what was resolved", said)
    else:
        run, odd = runs.of_summary(head)
        yield from _take_summary(run, head)
        yield noted_defect(where, "summary", ": ".join(filter(None, (f"{len(run.said)} instances", odd))))


def _take_reports(run: Run, head: Head) -> Iterator[Item]:
    folders = head.name.split("/")
    run.folders.add(folders[-3] if len(folders) > 2 else "")
    for name, report in reports_in(head.json(), folders[-2] if len(folders) > 1 else "").items():
        instance = storable_text(name)
        if instance in run.reports and run.reports[instance][1].get("resolved") != report.get("resolved"):
            run.disputed.add(instance)
            yield noted_defect(
                recorded_place(head), "reports differ", f"{instance}: another report says otherwise; void"
            )
        run.reports[instance] = (head, report)


def _used_by_instance(head: Head, source: Source) -> Iterator[UsedFile]:
    """The files that belong to an instance: its log or report, and what lies beside it."""
    yield UsedFile(head.name)
    yield from (UsedFile(head.sibling_name(name)) for name in _BESIDE if head.sibling_name(name) in source.names)


def _take_predictions(runs: Runs, head: Head) -> Iterator[Item]:
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
        instance, run = storable_text(row.get("instance_id") or ""), runs.of_model(head, model)
        run.is_named |= bool(row.get("model_name_or_path"))
        if not instance:
            yield refused_defect(where, "row refused", "no instance_id")
        elif instance in run.patches:
            yield refused_defect(where, "duplicate prediction", f"{instance}: the first counts")
        else:
            odd = "no model_patch in its row" if patch is _ABSENT else odd
            run.patches[instance] = Prediction(storable_text(patch) if isinstance(patch, str) else "", where, odd)


def _take_summary(run: Run, head: Head) -> Iterator[Item]:
    """Takes the content of a summary: of version 2 with `_ids`, or the older one with bare lists."""
    found, where = nested_dict(head.json()), recorded_place(head)
    kinds = (
        ("submitted_ids", Outcome.VOID, _NOT_JUDGED), ("completed_ids", Outcome.FAILED, ""),
        ("no_generation", Outcome.FAILED, _NO_PATCH), ("generated", Outcome.FAILED, ""),
        ("no_apply", Outcome.FAILED, "the patch could not be applied"),
        ("install_fail", Outcome.VOID, "installation failed"), ("reset_failed", Outcome.VOID, "reset failed"),
        ("test_errored", Outcome.FAILED, "tests broke off"), ("test_timeout", Outcome.FAILED, "tests timed out"),
        ("empty_patch_ids", Outcome.FAILED, _NO_PATCH),
        ("unresolved_ids", Outcome.FAILED, ""), ("error_ids", Outcome.FAILED, "the patch could not be applied"),
        ("ids_unresolved", Outcome.FAILED, ""),
        ("resolved", Outcome.PASSED, ""), ("resolved_ids", Outcome.PASSED, ""), ("ids_resolved", Outcome.PASSED, ""),
    )  # fmt: skip
    unresolved = {storable_text(each) for name in _UNRESOLVED for each in items_of(found.get(name))}
    both = []
    known = {"incomplete_ids", *(name for name, *_ in kinds)}
    others = [name for name in found if name.endswith("_ids") and name not in known]  # of relatives
    unknown = [(name, Outcome.FAILED if "empty" in name or "error" in name else Outcome.VOID, name) for name in others]
    for name, outcome, reason in (*unknown, *kinds):
        for instance in map(storable_text, items_of(found.get(name))):
            run.said[instance] = (outcome, reason, f"{where}#{instance}")
            if outcome is Outcome.PASSED and instance in unresolved:
                run.said[instance] = (Outcome.VOID, "listed as resolved and as unresolved", f"{where}#{instance}")
                both.append(instance)
    if both:
        detail = f"{', '.join(both[:5])}: listed as resolved and as unresolved; void"
        yield repaired_defect(where, "summary contradicts itself", detail, len(both))
    yield from _absent_defects(run, where, found)
    _take_details(run, where, nested_dict(found, "per_instance_details"))
    for name in ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error"):
        counted, listed = found.get(f"{name}_instances"), found.get(f"{name}_ids")
        if isinstance(listed, list):
            yield from figure_defects(where, f"{name}_instances", counted, len(listed), "its ids")
    run.name = run.name or summary_name(head)


def _absent_defects(run: Run, where: str, found: Mapping[str, object]) -> Iterator[Item]:
    """What a summary says of instances without a prediction, and of those that it does not name."""
    tried = found.get("total_instances", found.get("total"))
    # The harness was given more predictions than instances: what it did not take up was not in the run.
    outside = [instance for instance, (_, reason, _) in run.said.items() if reason == _NOT_JUDGED]
    if isinstance(tried, int) and 0 < tried < len(run.said) and outside:
        for instance in outside:
            del run.said[instance]
            run.patches.pop(instance, None)
        detail = f"{len(outside)} predictions are of instances outside the run of {tried}, and have no trial here"
        yield noted_defect(where, "not in the run", detail, len(outside))
    absent = {storable_text(each) for each in items_of(found.get("incomplete_ids"))} - run.said.keys()
    if absent:
        is_whole = are_few(absent, run.said)
        said = "void" if is_whole else "a run of a part: they have no trial here"
        detail = f"{len(absent)} of {len(run.said) + len(absent)} instances were not submitted: {said}"
        yield noted_defect(where, "not submitted", detail, len(absent))
        if is_whole:
            run.said |= {each: (Outcome.VOID, "not submitted", f"{where}#{each}") for each in sorted(absent)}
            absent = set()
    if isinstance(tried, int) and tried > len(run.said) + len(absent) > 0:
        missing = tried - len(run.said) - len(absent)
        detail = f"{missing} of {tried} instances are named nowhere in it, and have no trial here"
        yield noted_defect(where, "instances without a name", detail, missing)
    if "generated" in found or (isinstance(tried, int) and tried > len(run.said) + len(absent)):
        run.may_lack = where


def _take_details(run: Run, where: str, details: Mapping[str, object]) -> None:
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
            run = Run()
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
    run = Run()
    try:
        odd = list(_take_summary(run, head))
    except FormatError:
        # Its own reader says so.
        return {}, []
    return run.said, odd


def by_run_folder(heads: Iterable[Head]) -> dict[str, list[Head]]:
    """Trajectories by the folder of their run, in which each may have a folder of its instance's name."""
    runs: dict[str, list[Head]] = defaultdict(list)
    for head in heads:
        folder = head.name.rpartition("/")[0]
        runs[folder.rpartition("/")[0] if folder.rpartition("/")[2] == stem_of(head) else folder].append(head)
    return runs


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


def _run_trials(run: Run, name: str, source: Source) -> Iterator[FoundTrial]:
    for instance in dict.fromkeys((*run.patches, *run.said, *run.reports, *run.logs)):
        patch, where, odd = run.patches.get(instance, Prediction("", ""))
        head, report = run.reports.get(instance, (None, None))
        outcome, reason, verdict = Outcome.VOID, "not judged", Verdict()
        files: dict[str, bytes] = {"patch.diff": patch.encode()} if patch.strip() else {}
        if report is not None and head is not None and run.said.get(instance, ("", ""))[1] == _NO_PATCH:
            # The harness asks no report where there is no patch: this one is of an earlier prediction.
            outcome, reason, where = run.said[instance]
            run.outdated.append(instance)
        elif report is not None and head is not None:
            outcome, reason, verdict = judged_by_report(report)
            where = where or recorded_place(head)
            if instance in run.disputed:
                outcome, reason, verdict = Outcome.VOID, "two reports say otherwise", Verdict()
            elif instance in run.said and (run.said[instance][0] is Outcome.PASSED) != (outcome is Outcome.PASSED):
                run.contradicted.append(instance)
            files |= _beside(head, source)
        elif instance in run.said:
            outcome, reason, at = run.said[instance]
            where = where or at
        elif odd:
            reason = odd
        elif instance in run.patches and not patch.strip():
            outcome, reason = Outcome.FAILED, _NO_PATCH
        elif instance in run.logs:
            reason = "no report next to its log"
            where = where or recorded_place(run.logs[instance])
        if report is None and instance in run.logs and outcome is Outcome.VOID and _was_not_applied(run.logs[instance]):
            outcome, reason = Outcome.FAILED, "the patch could not be applied"
        agent = Agent(name=name, program="swe-bench", model=run.model or name)
        made = imported_trial(where, outcome, reason=reason, verdict=verdict, usage=run.costs.get(instance))
        # Predicted in several places: samples, since the harness holds one for an instance.
        key = f"{instance} in {run.home}" if instance in run.patches else instance
        yield FoundTrial(agent, instance_task(instance), made, None, files, key=key)


def _was_not_applied(log: Head) -> bool:
    """Whether a log says that the patch did not fit; where it does not, an absent report says nothing."""
    try:
        return _NOT_APPLIED in log.whole_file(_LARGEST)
    except FormatError:
        return _NOT_APPLIED in log.start + log.last_bytes


def _beside(head: Head, source: Source, kept: Iterable[str] = _KEPT) -> dict[str, bytes]:
    """The files beside a report, as far as they can be read."""
    files: dict[str, bytes] = {}
    for name in kept:
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


READER = FileReader("swe-bench", recognises, read, patches="judged")
