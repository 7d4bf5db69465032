"""Conversations of tau-bench and tau2-bench with their rewards, as they, Docent and the HAL leaderboard keep them.

A result has `task_id`, `trial`, `reward`, `info` and `traj`, alone in a file, in a list or a line each; tau2-bench has
`simulations`, Docent runs with `transcripts`. HAL's uploads have rewards by task (`raw_eval_results`), or lists of
tasks that succeeded and failed, and a summary of what the model was asked. Conversations without a reward
(`messages_display`) are void: nobody judged them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from honestly._loose import count_of, inside, items_of, objects_of
from honestly.formats._chat import chat_steps
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable
from honestly.formats._sources import (
    FileReader,
    Found,
    Item,
    noted,
    outcome_of,
    per_file,
    place,
    refused,
    rows_of,
    share_of,
    stem_of,
    trial,
)
from honestly.records import Agent, Defect, Outcome, Task, Trajectory, Usage

_REWARDS = ("reward", "score", "resolved", "success", "passed", "correct")
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)


def recognises(head: Head) -> bool:
    """Whether it has rewards beside conversations, in one of these shapes."""
    return (
        head.has("task_id", "reward", "traj")
        or head.has("raw_eval_results")
        or head.has("messages_display")
        or head.has("transcripts", "metadata")
        or (head.has("simulations") and b'"reward_info"' in head.start + head.end)
        or (b'"raw_eval_results"' in head.start + head.end and head.has("results"))
    )


@per_file
def read(head: Head) -> Iterator[Item]:
    """The trials of a file."""
    if head.has("task_id", "reward", "traj"):
        if head.start.lstrip().startswith(b"["):
            yield from _results(head, [(f"{place(head)}#{n}", row) for n, row in enumerate(objects_of(head.json()))])
        elif head.start.lstrip()[:2] in {b"{\n", b"{\r"}:
            yield from _results(head, [(place(head), inside(head.json()))])
        else:
            yield from _results(head, rows_of(head))
    elif head.has("simulations"):
        yield from _simulations(head, inside(head.json()))
    elif head.has("transcripts"):
        for number, row in head.lines() if head.start.lstrip()[:2] != b"{\n" else [(1, head.json())]:
            yield from _agent_run(head, f"{place(head)}#{number - 1}", inside(row))
    elif head.has("messages_display"):
        agent = Agent(name=stem_of(head), program="tau-bench")
        for number, (where, row) in enumerate(rows_of(head)):
            if isinstance(row, Defect):
                yield row
                continue
            steps = chat_steps(_turns(storable(row.get("messages_display") or "")))
            made = trial(where, Outcome.VOID, reason="not judged")
            task = Task(id=f"conversation-{number}", instruction=steps[0].message if steps else "")
            yield Found(agent, task, made, Trajectory(steps=steps))
    else:
        yield from _hal(head, inside(head.json()))


def _results(head: Head, found: Iterable[tuple[str, Mapping[str, object] | Defect]]) -> Iterator[Item]:
    agent = Agent(name=stem_of(head), program="tau-bench")
    for where, row in found:
        if isinstance(row, Defect):
            yield row
            continue
        info = inside(row, "info")
        steps = chat_steps(objects_of(row.get("traj")))
        score = share_of(row.get("reward"))
        instruction = inside(info, "task").get("instruction")
        task = Task(
            id=f"tau-bench.{storable(row.get('task_id'))}",
            instruction=storable(instruction) if isinstance(instruction, str) else "",
        )
        number = row.get("trial")
        sample = number if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 40 else -1
        failed = info.get("error")
        if score is None or failed:
            made = trial(where, Outcome.VOID, sample, reason=storable(failed or "not judged")[:200])
        else:
            outcome, share = outcome_of(score)
            made = trial(where, outcome, sample, score=share)
        yield Found(agent, task, made, Trajectory(steps=steps))


def _turns(text: str) -> Iterator[Mapping[str, object]]:
    """The turns of a conversation that was written as text; a turn that only called a tool says `None`."""
    parts = _TURN.split(text)
    for role, said in zip(parts[1::2], parts[2::2], strict=True):
        content = said.removesuffix("\n")
        yield {"role": role, "content": "" if content == "None" else content}


def _simulations(head: Head, found: Mapping[str, object]) -> Iterator[Item]:
    """The simulations of tau2-bench."""
    model = storable(inside(found, "info", "agent_info").get("llm") or "")
    agent = Agent(name=model or stem_of(head), program="tau2-bench", model=model)
    for number, each in enumerate(objects_of(found.get("simulations"))):
        yield _rewarded(f"{place(head)}#{number}", agent, each, each.get("messages"), inside(each, "reward_info"))


def _agent_run(head: Head, where: str, row: Mapping[str, object]) -> Iterator[Item]:
    """A run of Docent: its first transcript. The score that is called a reward decides, or the only one."""
    said = row.get("transcripts")
    listed = objects_of(said) or [inside(each) for each in inside(said).values()]
    metadata = inside(row, "metadata")
    scores = inside(metadata, "scores")
    score = next((scores[name] for name in _REWARDS if name in scores), None)
    score = next(iter(scores.values())) if score is None and len(scores) == 1 else score
    model = storable(metadata.get("model") or "")
    agent = Agent(name=storable(metadata.get("agent_id") or model or stem_of(head)), program="docent", model=model)
    if not listed:
        yield refused(where, "row refused", "no transcript")
        return
    if len(listed) > 1:
        yield noted(where, "transcript left out", f"{len(listed)} transcripts; the first is kept", len(listed) - 1)
    found = {"task_id": metadata.get("task_id") or row.get("name") or row.get("id")}
    yield _rewarded(where, agent, found, listed[0].get("messages"), {"reward": score})


def _rewarded(
    where: str, agent: Agent, said: Mapping[str, object], messages: object, reward: Mapping[str, object]
) -> Found:
    value, number = reward.get("reward"), count_of(said.get("trial"))
    score = share_of(float(value) if isinstance(value, bool) else value)
    outcome, share = outcome_of(score) if score is not None else (Outcome.VOID, None)
    steps = chat_steps(objects_of(messages))
    asked = next((step.message for step in steps if step.source == "user"), "")
    task = Task(id=storable(said.get("task_id") if said.get("task_id") is not None else where), instruction=asked)
    made = trial(
        where, outcome, -1 if number is None else number, score=share, reason="" if score is not None else "not judged"
    )
    return Found(agent, task, made, Trajectory(steps=steps))


def _hal(head: Head, found: Mapping[str, object]) -> Iterator[Item]:
    config, metadata = inside(found, "config"), inside(found, "metadata")
    name = config.get("agent_name") or inside(metadata, "agent_args").get("model_name") or stem_of(head)
    agent = Agent(
        name=storable(name),
        program="hal",
        settings={"run": storable(config.get("run_id") or metadata.get("run_id") or "")},
    )
    logged = {storable(each.get("weave_task_id")): each for each in objects_of(found.get("raw_logging_results"))}
    results, times = inside(found, "raw_eval_results"), inside(found, "results", "latencies")
    listed = {
        storable(task): share
        for name, share in (("failed_tasks", 0.0), ("successful_tasks", 1.0))
        for task in items_of(inside(found, "results").get(name))
    }
    results = results if results.keys() & listed.keys() or not listed else dict.fromkeys(listed)
    if not results:
        yield refused(place(head), "unreadable file", "raw_eval_results holds no task")
    for task, said in results.items():
        where = f"{place(head)}#{storable(task)}"
        known = inside(said)
        reward = next((known[name] for name in _REWARDS if name in known), listed.get(task, said))
        score = share_of(float(reward) if isinstance(reward, bool) else reward)
        outcome, share = outcome_of(score) if score is not None else (Outcome.VOID, None)
        tokens = [inside(each) for each in inside(logged.get(task, {}), "summary", "usage").values()]
        cost = number_of(inside(said).get("cost", inside(found, "results", "costs").get(task)))
        made = trial(
            where,
            outcome,
            score=share,
            reason="" if score is not None else "not judged",
            usage=Usage(
                usd=cost,
                input_tokens=_total(tokens, "prompt_tokens"),
                output_tokens=_total(tokens, "completion_tokens"),
            ),
            agent_seconds=number_of(times.get(task)),
        )
        yield Found(agent, Task(id=storable(task), instruction=""), made)


def _total(tokens: list[dict[str, object]], name: str) -> int | None:
    counts = [number_of(each.get(name)) for each in tokens]
    known = [int(count) for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


READER = FileReader("tau-bench", recognises, read)
