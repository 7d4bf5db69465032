"""Harbor's trials: directories with `result.json`, or with a `reward.json` beside a trajectory in ATIF.

The reward decides; one between 0 and 1 is a grade, another number is none. Of several rewards without one named
`reward`, Harbor averages each on its own and has no figure of the whole; here each is a check, as in `honestly bench
samples`, and all must be 1. A trial whose agent ran out of time is at its limit unless it passed; one with another
exception and no reward is void, and so is one whose reward Harbor itself takes for invalid. Tests of a CTRF report are
the hidden checks. What lies in a trial's directory belongs to it; the file itself is kept, since it may have figures of
its own. A
token count of 0 is unknown: no agent works without any. A `reward.json` beside a trajectory that has figures of the
verifier, but no reward, has failed: those who publish such directories count it so.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

import msgspec
from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._files import parse_json, storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, figure_defects, first_request, number_of, storable_text, time_said
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    noted_defect,
    outcome_of,
    recorded_place,
    refused_defect,
    reward_share,
    share_of,
)
from honestly.formats._table_cells import finite_number
from honestly.formats.atif._codec import AtifTrial, from_atif
from honestly.formats.atif._import import image_beside
from honestly.records import Agent, Check, CheckRun, Outcome, Record, Task, Trial, Usage, Verdict

_TRAJECTORIES = ("agent/trajectory.json", "trajectory.json")
# Files of a trial's directory that become artifacts.
_KEPT = {f"verifier/{name}" for name in ("test-stdout.txt", "ctrf.json", "reward.json", "reward.txt")} | {
    "exception.txt"
}
_TRIAL = re.compile(r"(?P<task>.+)__[A-Za-z0-9]{7}")
_OF_A_JOB = ("config.json", "lock.json", "job.log")
_LARGEST = 32 << 20
KEY = "honestly"
"""Under which our own records stand in a trial's `agent_result.metadata`."""
LIMITS = frozenset(
    {"AgentTimeoutError", "AgentLimitError", "ContextWindowExceededError", "ContextLengthExceededError"}
    | {"OutputTokenExceededError", "OutputLengthExceededError"}
)
"""Exceptions by which an agent met a limit; `AgentLimitError` is our own word, the others are Harbor's."""
STATUSES = ("passed", "failed", "skipped")
"""Those of a test in a CTRF report that a check has too."""


class OutOfHarbor(Record, frozen=True, kw_only=True):
    """Our own record in a trial that we wrote."""

    trial: Trial
    agent: Agent
    task: Task


def recognises(head: Head) -> bool:
    """Whether it is the result of a trial or of a job, or a reward beside a trajectory."""
    if head.has_keys("trial_name", "task_name") or head.has_keys("n_total_trials", "stats"):
        return True
    beside = Head(head.root, head.sibling_name("trajectory.json"))
    return head.name.endswith("reward.json") and bool(head.keys) and b"ATIF-v1." in beside.start


def read(source: Source) -> Iterator[Item]:
    """The trials."""
    jobs: list[tuple[Head, Mapping[str, object]]] = []
    rewards: dict[str, dict[str, float | None]] = defaultdict(dict)
    found: dict[str, FoundTrial] = {}
    for head in source.heads:
        try:
            if head.has_keys("n_total_trials", "stats"):
                yield from (UsedFile(head.sibling_name(name)) for name in _OF_A_JOB)
                jobs.append((head, nested_dict(head.json())))
                continue
            for item in _harbor_trial(head, source):
                if isinstance(item, FoundTrial):
                    folder = head.name.rpartition("/")[0]
                    found[folder] = item
                    share = 1.0 if item.trial.outcome is Outcome.PASSED else item.trial.score or 0.0
                    known = None if item.trial.outcome is Outcome.VOID else share
                    rewards[folder.rpartition("/")[0]][folder.rpartition("/")[2]] = known
                yield item
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    yield from _broken_trials(source, found)
    for head, said in jobs:
        yield from _job_defects(recorded_place(head), said, rewards[head.name.rpartition("/")[0]])


def _broken_trials(source: Source, found: Mapping[str, FoundTrial]) -> Iterator[Item]:
    """Trials without a result, void: directories that have the configuration of a trial, of the agent of their job, or
    of the one whom that names.
    """
    agents: dict[str, dict[str, Agent]] = defaultdict(dict)
    for folder, trial in found.items():
        agents[folder.rpartition("/")[0]][trial.agent.hash] = trial.agent
    known = {trial.agent.name: trial.agent for trial in found.values()}
    for name in source.names:
        folder, _, last = name.rpartition("/")
        named, job = _TRIAL.fullmatch(folder.rpartition("/")[2]), list(agents[folder.rpartition("/")[0]].values())
        if last != "config.json" or named is None or folder in found:
            continue
        head, beside = Head(source.root, name), list[Item]()
        agent = job[0] if len(job) == 1 else _configured_agent(head)
        if agent is None:
            continue
        yield from map(UsedFile, source.names_below(folder))
        atif = next((each for place in _TRAJECTORIES if (each := _atif(head, source, place, beside))), None)
        made = imported_trial(storable_name(name), Outcome.VOID, reason="it has no result.json: it broke off")
        steps = atif.trajectory if isinstance(atif, AtifTrial) else None
        # An agent by its class has no name there.
        alike = [each for each in known.values() if agent.program == "harbor" and each.model == agent.model]
        agent = alike[0] if len(alike) == 1 else known.get(agent.name, agent)
        yield FoundTrial(agent, Task(id=named["task"], instruction=""), made, steps)


def _configured_agent(head: Head) -> Agent | None:
    """The agent whom the configuration of a trial names."""
    try:
        return _agent({"config": nested_dict(head.json())}) if head.has_keys("trial_name", "agent") else None
    except FormatError:
        return None


def _harbor_trial(head: Head, source: Source) -> Iterator[Item]:
    found, folder = nested_dict(head.json()), head.name.rpartition("/")[0]
    files = {recorded_place(head).rpartition("/")[2]: _read_result(head)}
    for name in source.names_below(folder):
        if name != head.name:
            yield UsedFile(name)
            inner = name.removeprefix(f"{folder}/")
            if inner in _KEPT:
                files[inner] = _read_result(Head(source.root, name))
    beside: list[Item] = []
    atif = next((each for name in _TRAJECTORIES if (each := _atif(head, source, name, beside)) is not None), None)
    yield from beside
    if isinstance(atif, FormatError):
        yield noted_defect(recorded_place(head), "unreadable trajectory", str(atif))
        atif = None
    rewards = nested_dict(found, "verifier_result", "rewards") or ({} if "trial_name" in found else found)
    checks = _parsed_checks(files.get("verifier/ctrf.json"))
    if "reward" not in rewards and "trial_name" not in found and None in map(share_of, rewards.values()):
        why = storable_text(found.get("error") or "")[:200]
        yield noted_defect(recorded_place(head), "no reward", f"its verifier gave none ({why or 'no reason'}): failed")
        rewards = {"reward": 0.0}
    elif "reward" not in rewards and len(rewards) > 1:
        yield noted_defect(
            recorded_place(head), "several rewards", f"{', '.join(map(str, rewards))}: each is a check, all must be 1"
        )
        checks, rewards = checks + _as_checks(rewards), _all_of(rewards)
    made = _judged_trial(recorded_place(head), found, rewards, checks)
    trajectory = atif.trajectory if atif is not None else None
    if (ours := _ours(found, made)) is not None:
        yield FoundTrial(ours.agent, ours.task, ours.trial, trajectory, {}, file=recorded_place(head))
        return
    agent = atif.agent if atif is not None and "trial_name" not in found else _agent(found)
    instruction = first_request(trajectory.steps) if trajectory else ""
    name = found.get("task_name") or folder.rpartition("/")[2] or head.root.name
    version = storable_text(found.get("task_checksum") or "1")[:16]
    usage = atif.usage if atif else Usage()
    if "trial_name" in found:
        said = nested_dict(found, "agent_result")
        # No agent works without tokens: 0 is unknown.
        usage = Usage(
            input_tokens=count_of(said.get("n_input_tokens")) or None,
            output_tokens=count_of(said.get("n_output_tokens")) or None,
            cached_tokens=count_of(said.get("n_cache_tokens")) or None,
            usd=number_of(said.get("cost_usd")),
        )
    task, key = Task(id=storable_text(name), version=version, instruction=instruction), found.get("id") or ""
    yield FoundTrial(agent, task, replace(made, usage=usage), trajectory, files, key=storable_text(key))


def _job_defects(where: str, said: Mapping[str, object], found: Mapping[str, float | None]) -> Iterator[Item]:
    """A job's own figures about its trials, beside what they say themselves."""
    total, stats = said.get("n_total_trials"), nested_dict(said, "stats")
    yield noted_defect(where, "job", f"{storable_text(total)} trials, as it says")
    if count_of(total) is not None and total != len(found):
        yield noted_defect(where, "trials missing", f"{len(found)} of {total} trials are next to it")
    dropped = sum(value is None for value in found.values())
    if dropped:
        yield noted_defect(
            where, "trials without reward", f"{dropped} of {len(found)}, void here; the job's mean takes them for 0"
        )
    differ: list[str] = []
    for each in nested_dict(stats, "evals").values():
        for value, names in nested_dict(each, "reward_stats", "reward").items():
            claimed = share_of(finite_number(value))
            listed = [storable_text(name) for name in items_of(names)]
            differ += [name for name in listed if name in found and found[name] != claimed]
    if differ:
        yield noted_defect(where, "rewards differ", f"of {', '.join(differ[:5])}; the trials count", len(differ))
    yield from _mean_defects(where, stats, found)


def _mean_defects(where: str, stats: Mapping[str, object], found: Mapping[str, float | None]) -> Iterator[Item]:
    """A job's mean of an agent, taken again over the trials that the job lists for it."""
    for name, each in nested_dict(stats, "evals").items():
        listed = nested_dict(each, "reward_stats", "reward").values(), nested_dict(each, "exception_stats").values()
        mine = {storable_text(trial) for lists in listed for names in lists for trial in items_of(names)}
        claimed = [number_of(metric.get("mean")) for metric in objects_of(nested_dict(each).get("metrics"))]
        if not mine or not mine <= found.keys() or not claimed or claimed[0] is None:
            continue
        mean = math.fsum(found[trial] or 0.0 for trial in mine) / len(mine)
        yield from figure_defects(where, f"the mean of {name}", claimed[0], mean, f"its {len(mine)} trials")


def _ours(found: Mapping[str, object], made: Trial) -> OutOfHarbor | None:
    """The trial from our own records there, unless Harbor's fields say another outcome by now."""
    said = nested_dict(found, "agent_result", "metadata", KEY)
    try:
        ours = msgspec.convert(said, OutOfHarbor) if said else None
    except msgspec.ValidationError:
        return None
    # A failure and a limit look alike in Harbor's fields.
    certain = (Outcome.PASSED, Outcome.VOID)
    return ours if ours and all((ours.trial.outcome is each) == (made.outcome is each) for each in certain) else None


def _read_result(head: Head) -> bytes:
    try:
        return head.whole_file(_LARGEST)
    except FormatError:
        return b""


def _atif(head: Head, source: Source, name: str, said: list[Item]) -> AtifTrial | FormatError | None:
    beside = Head(source.root, head.sibling_name(name))
    if beside.name not in source.names:
        return None
    try:
        return from_atif(beside.whole_file(), lambda path: image_beside(beside, path, said))
    except FormatError as error:
        return error


def _agent(found: Mapping[str, object]) -> Agent:
    info, config = nested_dict(found, "agent_info"), nested_dict(found, "config", "agent")
    model = nested_dict(info, "model_info")
    name = storable_text(info.get("name") or config.get("name") or "harbor")
    version = storable_text(info.get("version") or "")
    full = "/".join(filter(None, (storable_text(model.get("provider") or ""), storable_text(model.get("name") or ""))))
    full = full or storable_text(config.get("model_name") or "")
    settings: Settings = {}
    multiplier = number_of(nested_dict(found, "config").get("timeout_multiplier"))
    if multiplier not in {None, 1.0}:
        settings["timeout_multiplier"] = multiplier
    return Agent(name=f"{name} {full}".strip(), program=name, version=version, model=full, settings=settings)


def _judged_trial(
    where: str, found: Mapping[str, object], rewards: Mapping[str, object], checks: tuple[Check, ...]
) -> Trial:
    failure = nested_dict(found, "exception_info")
    kind = storable_text(failure.get("exception_type") or "")
    message = storable_text(failure.get("exception_message") or found.get("error") or "")
    why = ": ".join(filter(None, (kind, message)))[:500]
    value = rewards.get("reward", next(iter(rewards.values()), None) if len(rewards) == 1 else None)
    score = reward_share(value)
    if score is not None and found.get("reward_valid") is False:
        score, why = None, why or "Harbor takes the reward for invalid"
    if score is None:
        outcome, share = (Outcome.LIMIT if kind in LIMITS else Outcome.VOID), None
        why = why or ("not judged" if value is None else f"the reward {storable_text(value)[:50]} is no share of 1")
    else:
        outcome, share = outcome_of(score)
        if outcome is Outcome.FAILED and share is None and kind in LIMITS:
            outcome = Outcome.LIMIT
    verdict = Verdict(hidden=CheckRun(checks=checks)) if checks else Verdict()
    return imported_trial(
        where,
        outcome,
        score=share,
        reason=why,
        verdict=verdict,
        started_at=time_said(found.get("started_at")),
        seconds=_elapsed_seconds(found),
        agent_seconds=_elapsed_seconds(nested_dict(found, "agent_execution")),
    )


def _elapsed_seconds(times: Mapping[str, object]) -> float | None:
    """How long something took that says when it began and ended."""
    try:
        began, ended = (datetime.fromisoformat(str(times.get(name))) for name in ("started_at", "finished_at"))
        return max((ended - began).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _as_checks(rewards: Mapping[str, object]) -> tuple[Check, ...]:
    """Each reward as a check, passed if it is 1."""
    made = ((storable_text(name)[:1000], value, share_of(value)) for name, value in rewards.items())
    return tuple(
        Check(
            id=name,
            status="error" if share is None else "passed" if share == 1 else "failed",
            message=storable_text(value)[:50],
        )
        for name, value, share in made
    )


def _all_of(rewards: Mapping[str, object]) -> dict[str, object]:
    """One reward for several: 1 if all are, none if one is no share of 1."""
    shares = [share_of(value) for value in rewards.values()]
    return {} if None in shares else {"reward": float(all(share == 1 for share in shares))}


def _parsed_checks(data: bytes | None) -> tuple[Check, ...]:
    if not data:
        return ()
    try:
        tests = objects_of(nested_dict(parse_json(data), "results").get("tests"))
    except FormatError:
        return ()
    made: dict[str, Check] = {}
    for test in tests:
        name, status = storable_text(test.get("name") or "unnamed")[:1000], test.get("status")
        message = storable_text(test.get("message") or "")[:1000]
        made[name] = Check(id=name, status=status if status in STATUSES else "error", message=message)
    return tuple(made.values())


READER = FileReader("harbor", recognises, read)
