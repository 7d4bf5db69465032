"""Conversations of tau-bench and tau2-bench with their rewards, as they, Docent and the HAL leaderboard keep them.

A result has `task_id`, `trial`, `reward`, `info` and `traj`, alone in a file, in a list or a line each;
tau2-bench has `simulations`, Docent runs with `transcripts`. HAL's uploads have rewards by task (`raw_eval_results`),
or lists of tasks that succeeded and failed, and a summary of what the model was asked. Conversations without a reward
(`messages_display`) are void: nobody judged them.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from msgspec.structs import replace as replace_field

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._agent_names import per_agent_file
from honestly.formats._chat import chat_steps
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, figure_defects, first_request, number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    file_of,
    imported_trial,
    noted_defect,
    outcome_of,
    recorded_place,
    refused_defect,
    reward_share,
    rows_of,
    share_of,
    stem_of,
)
from honestly.records import Agent, Defect, Outcome, Task, Trajectory, Usage

# What a reward is called, the likeliest first.
_REWARDS = ("reward", "score", "resolved", "success", "passed", "correct")
# Each domain counts its tasks from 0, and the name of the file alone says which one it is.
_DOMAIN = re.compile(r"airline|retail|telecom")
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)


def recognises(head: Head) -> bool:
    """Whether it has rewards beside conversations, in one of these shapes."""
    return (
        head.has_keys("task_id", "reward", "traj")
        or head.has_keys("raw_eval_results")
        or head.has_keys("messages_display")
        or head.has_keys("transcripts", "metadata")
        or head.has_keys("simulations", "tasks", "info")
        or (head.has_keys("simulations") and b'"reward_info"' in head.start + head.last_bytes)
        or (b'"raw_eval_results"' in head.start + head.last_bytes and head.has_keys("results"))
    )


def read(source: Source) -> Iterator[Item]:
    """The trials of files; the examples that are part of the program are none beside results."""
    judged = tuple(head for head in source.heads if not head.has_keys("messages_display"))
    for head in source.heads if judged else ():
        if head.has_keys("messages_display"):
            yield refused_defect(recorded_place(head), "no results", "examples for a prompt, which nobody judged")
    names: dict[str, str] = {}
    for item in _read_each(replace(source, heads=judged or source.heads)):
        if isinstance(item, FoundTrial) and item.agent.program == "tau2-bench":
            home = file_of(item.trial.source).rpartition("/trajectories/")[0]
            if home not in names:
                names[home] = _submitted_name(Head(source.root, f"{home}/submission.json")) if home else ""
            item = item._replace(agent=replace_field(item.agent, name=names[home] or item.agent.name))
        yield item


def _submitted_name(head: Head) -> str:
    """How a submission to tau2-bench's leaderboard calls its agent, whatever models it asks; empty where none does."""
    try:
        return storable_text(nested_dict(head.json()).get("model_name") or "")
    except FormatError:
        return ""


@per_agent_file()
def _read_each(head: Head) -> Iterator[Item]:
    """The trials of a file."""
    if head.has_keys("task_id", "reward", "traj"):
        if head.start.lstrip().startswith(b"["):
            yield from _result_trials(
                head, [(f"{recorded_place(head)}#{n}", row) for n, row in enumerate(objects_of(head.json()))]
            )
        elif head.start.lstrip()[:2] in {b"{\n", b"{\r"}:
            yield from _result_trials(head, [(recorded_place(head), nested_dict(head.json()))])
        else:
            yield from _result_trials(head, rows_of(head))
    elif head.has_keys("simulations"):
        # The simulations of tau2-bench.
        found = nested_dict(head.json())
        info = nested_dict(found, "info")
        said, user = nested_dict(info, "agent_info"), nested_dict(info, "user_info")
        model, kind = storable_text(said.get("llm") or ""), storable_text(said.get("implementation") or "")
        given = {"implementation": kind, "llm_args": said.get("llm_args"), "user": user.get("llm")}
        settings: Settings = {
            name: storable_text(value)[:2000] for name, value in given.items() if value not in (None, "", {})
        }
        name = " ".join(filter(None, (model, kind if kind != "llm_agent" else "")))
        agent = Agent(name=name or stem_of(head), program="tau2-bench", model=model, settings=settings)
        domain = storable_text(nested_dict(found, "info", "environment_info").get("domain_name") or "")
        for number, each in enumerate(objects_of(found.get("simulations"))):
            if domain and each.get("task_id") is not None:  # each domain counts its tasks from 0
                each = each | {"task_id": f"{domain}.{storable_text(each['task_id'])}"}
            yield _rewarded_trial(
                f"{recorded_place(head)}#{number}", agent, each, each.get("messages"), nested_dict(each, "reward_info")
            )
    elif head.has_keys("transcripts"):
        for number, row in head.json_lines() if head.start.lstrip()[:2] != b"{\n" else [(1, head.json())]:
            yield from _agent_run(head, f"{recorded_place(head)}#{number - 1}", nested_dict(row))
    elif head.has_keys("messages_display"):
        agent = Agent(name=stem_of(head), program="tau-bench")
        for number, (where, row) in enumerate(rows_of(head)):
            if isinstance(row, Defect):
                yield row
                continue
            steps = chat_steps(_turns(storable_text(row.get("messages_display") or "")))
            made = imported_trial(where, Outcome.VOID, reason="not judged")
            task = Task(id=f"conversation-{number}", instruction=steps[0].message if steps else "")
            yield FoundTrial(agent, task, made, Trajectory(steps=steps))
    else:
        yield from _hal_trials(head, nested_dict(head.json()))


def _result_trials(head: Head, found: Iterable[tuple[str, Mapping[str, object] | Defect]]) -> Iterator[Item]:
    agent = Agent(name=stem_of(head), program="tau-bench")
    domain = _DOMAIN.search(recorded_place(head).lower())
    benchmark = f"tau-bench.{domain[0]}" if domain else "tau-bench"
    for where, row in found:
        if isinstance(row, Defect):
            yield row
            continue
        info = nested_dict(row, "info")
        steps = chat_steps(objects_of(row.get("traj")))
        score = share_of(row.get("reward"))
        instruction = nested_dict(info, "task").get("instruction")
        task = Task(
            id=f"{benchmark}.{storable_text(row.get('task_id'))}",
            instruction=storable_text(instruction) if isinstance(instruction, str) else "",
        )
        number = count_of(row.get("trial"))
        sample = -1 if number is None else number
        failed = info.get("error")
        if score is None or failed:
            made = imported_trial(where, Outcome.VOID, sample, reason=storable_text(failed or "not judged")[:200])
        else:
            outcome, share = outcome_of(score)
            made = imported_trial(where, outcome, sample, score=share)
        yield FoundTrial(agent, task, made, Trajectory(steps=steps))


def _turns(text: str) -> Iterator[Mapping[str, object]]:
    """The turns of a conversation that was written as text; a turn that only called a tool says `None`."""
    parts = _TURN.split(text)
    for role, said in zip(parts[1::2], parts[2::2], strict=True):
        content = said.removesuffix("\n")
        yield {"role": role, "content": "" if content == "None" else content}


def _agent_run(head: Head, where: str, row: Mapping[str, object]) -> Iterator[Item]:
    """A run of Docent: its first transcript. The score that is called a reward decides, or the only one."""
    said = row.get("transcripts")
    listed = objects_of(said) or [nested_dict(each) for each in nested_dict(said).values()]
    metadata = nested_dict(row, "metadata")
    scores = nested_dict(metadata, "scores")
    score = next((scores[name] for name in _REWARDS if name in scores), None)
    score = next(iter(scores.values())) if score is None and len(scores) == 1 else score
    model = storable_text(metadata.get("model") or "")
    agent = Agent(name=storable_text(metadata.get("agent_id") or model or stem_of(head)), program="docent", model=model)
    if not listed:
        yield refused_defect(where, "row refused", "no transcript")
        return
    if len(listed) > 1:
        yield noted_defect(
            where, "transcript left out", f"{len(listed)} transcripts; the first is kept", len(listed) - 1
        )
    found = {"task_id": metadata.get("task_id") or row.get("name") or row.get("id")}
    yield _rewarded_trial(where, agent, found, listed[0].get("messages"), {"reward": score})


def _rewarded_trial(
    where: str, agent: Agent, said: Mapping[str, object], messages: object, reward: Mapping[str, object]
) -> FoundTrial:
    value, number = reward.get("reward"), count_of(said.get("trial"))
    broke = said.get("termination_reason") == "infrastructure_error"
    score = reward_share(value)
    outcome, share = outcome_of(score) if score is not None and not broke else (Outcome.VOID, None)
    steps = chat_steps(objects_of(messages))
    name = said.get("task_id") if said.get("task_id") is not None else where
    task = Task(id=storable_text(name), instruction=first_request(steps))
    reason = "infrastructure error" if broke else "" if score is not None else "not judged"
    made = imported_trial(where, outcome, -1 if number is None else number, score=share, reason=reason)
    # A run is copied from folder to folder.
    key = f"{said['id']} {said.get('start_time')}" if said.get("id") else ""
    return FoundTrial(agent, task, made, Trajectory(steps=steps), key=storable_text(key))


def _hal_trials(head: Head, found: Mapping[str, object]) -> Iterator[Item]:
    config, metadata = nested_dict(found, "config"), nested_dict(found, "metadata")
    name = config.get("agent_name") or nested_dict(metadata, "agent_args").get("model_name") or stem_of(head)
    agent = Agent(
        name=storable_text(name),
        program="hal",
        settings={"run": storable_text(config.get("run_id") or metadata.get("run_id") or "")},
    )
    logged = {storable_text(each.get("weave_task_id")): each for each in objects_of(found.get("raw_logging_results"))}
    results, times = nested_dict(found, "raw_eval_results"), nested_dict(found, "results", "latencies")
    listed = {
        storable_text(task): share
        for name, share in (("failed_tasks", 0.0), ("successful_tasks", 1.0))
        for task in items_of(nested_dict(found, "results").get(name))
    }
    results = results if results.keys() & listed.keys() or not listed else dict.fromkeys(listed)
    if not results:
        yield refused_defect(recorded_place(head), "unreadable file", "raw_eval_results holds no task")
    shares: list[float] = []
    for task, said in results.items():
        where = f"{recorded_place(head)}#{storable_text(task)}"
        known = nested_dict(said)
        reward = next((known[name] for name in _REWARDS if name in known), listed.get(task, said))
        score = reward_share(reward)
        shares += [] if score is None else [score]
        outcome, share = outcome_of(score) if score is not None else (Outcome.VOID, None)
        tokens = [nested_dict(each) for each in nested_dict(logged.get(task, {}), "summary", "usage").values()]
        cost = number_of(nested_dict(said).get("cost", nested_dict(found, "results", "costs").get(task)))
        made = imported_trial(
            where,
            outcome,
            score=share,
            reason="" if score is not None else "not judged",
            usage=Usage(
                usd=cost,
                input_tokens=_known_total(tokens, "prompt_tokens"),
                output_tokens=_known_total(tokens, "completion_tokens"),
            ),
            agent_seconds=number_of(times.get(task)),
        )
        # Benchmarks count their tasks from 0.
        benchmark = storable_text(config.get("benchmark_name") or "")
        name = f"{benchmark}.{storable_text(task)}" if benchmark else storable_text(task)
        yield FoundTrial(agent, Task(id=name, instruction=""), made)
    if shares and len(shares) == len(results):
        said, mean = nested_dict(found, "results").get("accuracy"), math.fsum(shares) / len(shares)
        yield from figure_defects(recorded_place(head), "accuracy", said, mean, f"{len(shares)} tasks")


def _known_total(tokens: list[dict[str, object]], name: str) -> int | None:
    counts = [number_of(each.get(name)) for each in tokens]
    known = [int(count) for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


READER = FileReader("tau-bench", recognises, read)
