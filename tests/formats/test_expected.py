"""Every figure that was counted by hand in the real files is found by the readers, and every file is read or refused.

`FACTS` says for each folder what its import comes to, in the shape of the folder's `expected.json`. What no import can
say, since it is about bytes and not about trials, stands in `OF_THE_FILE` with the reason; nothing else may be missing.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from published import FORMATS, expected, items, of, real, refusals, trials

from honestly.errors import FormatError
from honestly.formats import Imported, importers_for
from honestly.records import Agent, Defect, Outcome
from honestly.store import open_study
from honestly.studies import count_files, import_results

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


class Seen:
    """What an import of one place gives; nothing, and why, where it is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path if path.exists() else path.with_name(f"{path.name}.gz")
        self.refusal = ""
        try:
            self.items = items(self.path)
        except FormatError as error:
            self.items, self.refusal = [], str(error)

    @cached_property
    def trials(self) -> list[Any]:
        return trials(self.items)

    @cached_property
    def kept(self) -> list[Imported]:
        return of(Imported, self.items)

    @property
    def agent(self) -> Agent:
        return of(Agent, self.items)[0]

    def steps(self, source: str = "") -> list[Any]:
        """The steps of all trials, of one source."""
        found = [step for each in self.kept if each.trajectory for step in each.trajectory.steps]
        return [step for step in found if not source or step.source == source]

    def seen(self) -> int:
        """How many observations the steps have."""
        return sum(len(step.observations) for step in self.steps())

    def calls(self) -> Counter[str]:
        return Counter(call.name for step in self.steps() for call in step.calls)

    def count(self, kind: str, words: str = "") -> int:
        """How often a kind of defect was met."""
        return sum(each.count for each in of(Defect, self.items) if each.kind == kind and words in each.detail)

    def ended(self, outcome: str, reason: str | None = None) -> int:
        """How many trials ended so."""
        return sum(each.outcome == outcome and reason in {None, each.reason} for each in self.trials)


def share(trial: Any) -> float:
    return 1.0 if trial.outcome is Outcome.PASSED else trial.score or 0.0


def inspect(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    return {name: one_log(Seen(folder / name), each) for name, each in said.items()}


def one_log(log: Seen, said: dict[str, Any]) -> dict[str, Any]:
    judged = [trial for trial in log.trials if trial.outcome is not Outcome.VOID]
    found: dict[str, Any] = dict.fromkeys(("samples", "samples_members", "sample_files"), len(log.trials))
    found |= {"sample_errors": log.count("errors in the log"), "duplicate_id_epoch": log.count("duplicate sample")}
    found |= {"distinct_ids": len({trial.task for trial in log.trials}), "has_header": not log.count("crashed run")}
    found["epochs_seen"] = sorted({trial.sample + 1 for trial in log.trials})
    if not log.trials:
        found["status"] = re.search(r"its status is (\w+)", log.refusal)[1]
        if told := re.search(r"none of (\d+)", log.refusal):
            found["total_samples"] = int(told[1])
        return found
    missing = [re.search(r"of (\d+)", each.detail) for each in of(Defect, log.items) if each.kind == "samples missing"]
    total = int(missing[0][1]) if missing else len(log.trials)
    unfinished = [each.detail.split()[-1] for each in of(Defect, log.items) if each.kind == "unfinished run"]
    found |= {"model": log.agent.model, "inspect": log.agent.version, "status": (unfinished or ["success"])[0]}
    if said["total_samples"] is not None:
        found |= {"total_samples": total, "completed_samples": total - found["sample_errors"]}
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", said["task"])
    found["task"] = said["task"] if all(trial.task.startswith(f"{plain}.") for trial in log.trials) else ""
    found["sample_limits"] = sum(
        trial.outcome is Outcome.LIMIT or trial.reason.endswith(" limit") for trial in log.trials
    )
    assert not log.count("metric differs")  # accuracies and means of the log are those of its samples
    shares = Counter(share(trial) for trial in judged)
    found["score_values"] = {
        scorer: {value: shares[LETTERS[value] if value in LETTERS else float(value)] for value in values}
        for scorer, values in said.get("score_values", {}).items()
    }
    found["metrics"] = {name: value for name in said["metrics"] if (value := metric(name, judged)) is not None}
    return found


def metric(name: str, judged: list[Any]) -> float | None:
    """A metric of Inspect over trials: the mean, and the standard error of the means of the tasks."""
    if not judged:
        return None
    tasks = defaultdict(list)
    for trial in judged:
        tasks[trial.task].append(share(trial))
    means = [statistics.fmean(shares) for shares in tasks.values()]
    spread = statistics.stdev(means) if len(means) > 1 else 0.0
    kinds = {"accuracy": statistics.fmean(means), "mean": statistics.fmean(means), "std": spread,
             "stderr": spread / math.sqrt(len(means))}  # fmt: skip
    return kinds.get(name.rpartition("/")[2])


def sessions(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, each in said.items():
        one = Seen(folder / name)
        calls, agents, users = one.calls(), one.steps("agent"), one.steps("user")
        if name.startswith("OpenHands"):
            found[name] = {"top_keys": f"list[{len(one.steps()) + one.seen()}]"}
        elif name.startswith("claude"):
            found[name] = {"tool_calls": calls, "models": Counter(step.model for step in agents)}
            told = len(users) + one.seen() + one.count("line left out", "of type user")
            types = {"user": told, "assistant": len(agents), "queue-operation": one.count("line left out", "queue-")}
            found[name]["types"] = types | {"summary": sum(len(e.trajectory.notes.split("\n")) for e in one.kept)}
            if "opus" in name:
                del found[name]["models"], types["assistant"], found[name]["types"]["assistant"]
            if "edge" in name:
                del found[name]["types"]["user"]
                found[name]["lines"] = one.count("message refused") + len(agents) + told + len(one.kept)
        elif name.startswith("codex"):
            custom = calls["apply_patch"]
            found[name] = {"tool_calls": calls, "types": {
                "response_item/custom_tool_call": custom, "response_item/custom_tool_call_output": custom,
                "response_item/function_call": sum(calls.values()) - custom,
                "response_item/function_call_output": one.seen() - custom, "turn_context": len(agents)}}  # fmt: skip
        elif name.startswith("cursor"):
            found[name] = {"lines": len(one.steps()), "types": {"assistant": len(agents), "user": len(users)}}
        elif name.startswith("gemini"):
            found[name] = {"messages": len(one.steps())}
        else:
            kinds = {"tool": sum(calls.values()), "assistant": len(agents)}
            found[name] = {"kinds": kinds | {"text": sum(bool(step.message) for step in one.steps())}}
    return found


def swe_agent(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, each in said.items():
        one = Seen(folder / name)
        (kept,) = one.kept
        if "json_list" in each:
            found[name] = {"json_list": len(one.steps()), "roles": Counter(
                {"agent": "assistant"}.get(step.source, step.source) for step in one.steps())}  # fmt: skip
            continue
        usage = kept.trial.usage
        found[name] = {"exit_status": kept.trajectory.stop or None, "has_submission": "patch.diff" in kept.artifacts}
        if each["steps"]:
            found[name]["steps"] = len(one.steps("agent"))
        else:
            found[name] |= {"history": len(one.steps()) + one.seen(), "steps": 0}
        if each["model_stats"]:
            found[name]["model_stats"] = {"instance_cost": usage.usd, "tokens_sent": usage.input_tokens or 0,
                                          "tokens_received": usage.output_tokens or 0}  # fmt: skip
    return found


def harbor(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    one = Seen(folder / "jobs")
    agents = {agent.name: agent for agent in of(Agent, one.items)}
    found: dict[str, Any] = {"n_trials": len(one.trials), "trials": {}, "published": {}, "rewards": {}}
    jobs = defaultdict(list)
    for each in one.kept:
        where, agent, usage = each.trial.source.rpartition("/")[0], agents[each.trial.agent], each.trial.usage
        reward = json.loads(each.artifacts["reward.json"])
        sources = Counter(step.source for step in each.trajectory.steps)
        tokens = {"total_cached_tokens": usage.cached_tokens or 0, "total_completion_tokens": usage.output_tokens or 0,
                  "total_prompt_tokens": usage.input_tokens or 0, "total_cost_usd": usage.usd}  # fmt: skip
        found["trials"][where] = {name: reward.get(name) for name in said["trials"][where]} | {
            "agent": agent.program, "agent_version": agent.version, "model": agent.model, "sources": sources,
            "steps": len(each.trajectory.steps), "reward": int(share(each.trial)), "error": each.trial.reason or None,
            "final_metrics": {name: tokens[name] for name in said["trials"][where]["final_metrics"]},
        }  # fmt: skip
        del found["trials"][where]["schema"]
        jobs[where.partition("/")[0]].append((where.rpartition("/")[2], int(share(each.trial))))
    for name, results in jobs.items():
        passed = {task for task, reward in results if reward}
        found["published"][name] = {"pass@1": f"{sum(reward for _, reward in results)}/{len(results)}",
                                    "pass@2": f"{len(passed)}/{len({task for task, _ in results})}"}  # fmt: skip
        found["rewards"][name] = {str(key): count for key, count in Counter(r for _, r in results).items()}
    return found


def harbor_trials(folder: Path, _: object) -> dict[str, Any]:
    one = Seen(folder)
    checks = [check for trial in one.trials if trial.verdict.hidden for check in trial.verdict.hidden.checks]
    return {
        "agent": f"{one.agent.program} {one.agent.version}",
        "model": one.agent.model.rpartition("/")[2],
        "trials": len(one.trials),
        "exceptions": sum(bool(trial.reason) for trial in one.trials),
        "ctrf": {"tests": len(checks), "passed": sum(check.status == "passed" for check in checks)},
        "rewards": {trial.source.partition("/")[0]: share(trial) for trial in one.trials},
    }


def swe_bench(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    aider, vexp, pro = (Seen(folder / name) for name in ("aider_lite", "vexp", "swebench_pro"))
    judged = len(aider.trials) - aider.ended("failed", "no patch") - aider.ended("void")
    lost = (
        ("install_fail", "installation failed"),
        ("reset_failed", "reset failed"),
        ("test_errored", "tests broke off"),
    )
    lists = {name: sum(trial.reason == words for trial in aider.trials) for name, words in lost}
    lists |= {"resolved": aider.ended("passed"), "no_generation": aider.ended("failed", "no patch")}
    lists |= dict.fromkeys(("generated", "with_logs", "applied"), judged)
    lists["no_apply"] = aider.ended("failed", "the patch could not be applied")
    lists["test_timeout"] = aider.ended("failed", "tests timed out")
    empty, passed = vexp.ended("failed", "no patch"), vexp.ended("passed")
    found: dict[str, Any] = {
        "aider_lite": {"predictions": len(aider.trials), "results": lists},
        "vexp": {
            "predictions": len(vexp.trials),
            "reports": sum(trial.verdict.hidden is not None for trial in vexp.trials),
            "resolved_in_reports": passed,
            "results_rows": sum(trial.usage.usd is not None for trial in vexp.trials),
            "without_report": [trial.task for trial in vexp.trials if trial.verdict.hidden is None and trial.reason != "no patch"],
            "run_summary": {
                "submitted_instances": len(vexp.trials), "resolved_instances": passed, "empty_patch_instances": empty,
                "completed_instances": len(vexp.trials) - empty, "error_instances": vexp.ended("void"),
                "unresolved_instances": vexp.ended("failed") - empty, "unstopped_instances": vexp.ended("limit"),
            },
        },
    }  # fmt: skip
    for name in (name for name in said if name.startswith("pro/")):
        mine = [trial for trial in pro.trials if f"pro/{trial.agent}" == name]
        found[name] = {"n": len(mine), "true": sum(trial.outcome is Outcome.PASSED for trial in mine)}
    return found


def lm_eval(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, each in said.items():
        one = Seen(folder / name)
        if "error" in each:
            assert "is in no format" in one.refusal
            found[name] = {}
            continue
        lost = refusals(one.items)
        figures = {kept.trial.task: json.loads(kept.artifacts["figures.json"]) for kept in one.kept if kept.artifacts}
        figures |= {detail.where.partition("#")[2]: {} for detail in of(Defect, one.items) if "#" in detail.where}
        found[name] = {"tasks": len(one.trials) + len(lost), "versions": len(one.trials) + len(lost)}
        if "first" not in each:  # of version 0.3
            of_tasks = {"piqa": figures["piqa"], "lambada": figures.get("lambada_openai", figures.get("lambada"))}
            found[name] |= {"piqa_acc": of_tasks["piqa"]["acc"], "piqa_acc_stderr": of_tasks["piqa"]["acc_stderr"]}
            found[name]["lambada_acc"] = of_tasks["lambada"]["acc"]
            continue
        settings = one.agent.settings
        found[name]["config"] = {
            "limit": settings.get("limit"),
            "model": "hf" if one.agent.program == "lm-eval" else "",
        }
        found[name]["first_task"] = each["first_task"] if each["first_task"] in figures else ""
        if each["first_task"] in {kept.trial.task for kept in one.kept}:
            found[name]["first"] = figures[each["first_task"]]
    return found


def junit(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    one = Seen(folder)
    found, lost = {}, refusals(one.items)
    for name in said:
        mine = [trial for trial in one.trials if trial.source.startswith(f"{name}:")]
        states = Counter(trial.verdict.hidden.checks[0].status for trial in mine)
        repeated = sum(count - 1 for count in Counter(trial.task for trial in mine).values())
        found[name] = {"testcases": len(mine), "skipped": states["skipped"], "errors": states["error"],
                       "failed": states["failed"], "dup_names": repeated,
                       "not_wellformed": lost.get(name, "").partition("not well-formed: ")[2]}  # fmt: skip
    return found


def samples(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    one = Seen(folder)
    found: dict[str, Any] = {"published": {}}
    for name in (name for name in said if name != "published"):
        mine = [trial for trial in one.trials if trial.source.startswith(name)]
        solved = sum(trial.outcome is Outcome.PASSED for trial in mine)
        found[name] = {"lines": len(mine), "distinct_tasks": len({trial.task for trial in mine}), "is_solved": solved}
        words = {"LLMDebugger__humaneval__gpt": "LDB humaneval gpt-3.5", "reflexion__reflexion": "reflexion mbpp_py GPT-4 reflexion",
                 "reflexion__simple": "reflexion mbpp_py GPT-4 simple"}  # fmt: skip
        label = next((label for start, label in words.items() if name.startswith(start)), "")
        found["published"][label] = f"{100 * solved / len(mine):.1f} ({solved}/{len(mine)})"
    return found


def aider(folder: Path, said: dict[str, Any]) -> dict[str, Any]:
    one = Seen(folder)
    found = {}
    for name in said:
        rows = [each for each in one.kept if each.trial.source.startswith(f"{name}.yml:")]
        figures = [json.loads(each.artifacts["figures.json"]) for each in rows]
        first = min(zip(rows, figures, strict=True), key=lambda pair: int(pair[0].trial.source.rpartition(":")[2]))[1]
        assert first["pass_rate_2"] == f"{100 * share(rows[0].trial):.1f}"
        found[name] = {"rows": len(rows), "first": first, "dup_dirnames": len(rows) - len({f["dirname"] for f in figures}),
                       "without_test_cases": sum("test_cases" not in each for each in figures)}  # fmt: skip
    return found


def evalplus(folder: Path, _: object) -> dict[str, Any]:
    board = Seen(folder / "results.json")
    names = list(dict.fromkeys(agent.name for agent in of(Agent, board.items)))
    return {"results.json": {"n": len(names)}}


def openhands(folder: Path, _: object) -> dict[str, Any]:
    array, lines = Seen(folder / "example_model_output.json"), Seen(folder / "output.jsonl")
    lengths = [sum(1 + len(step.observations) for step in each.trajectory.steps) for each in lines.kept]
    return {
        "example_model_output.json": {"n": len(array.trials)},
        "output.jsonl": {
            "errors": sum("not judged" not in trial.reason for trial in lines.trials),
            "history_lengths": lengths,
            "lines": len(lines.trials),
            "success": [trial.reason.endswith("it succeeded") for trial in lines.trials],
        },
    }


def scout(folder: Path, _: object) -> dict[str, Any]:
    pytest.importorskip("polars")
    path = folder / "word_counter.parquet"
    (refused,) = (int(each) for each in re.findall(r"(\d+) rows", Seen(path).refusal))
    return {"word_counter.parquet": {"rows": refused}}


def tinker(folder: Path, _: object) -> dict[str, Any]:
    one = Seen(folder)

    def reward(run: Any) -> float:
        (check,) = run.checks
        return 1.0 if check.status == "passed" else float(check.message.removeprefix("reward ") or 0)

    judged = [(reward(t.verdict.visible), reward(t.verdict.hidden)) for t in one.trials if t.verdict.hidden]
    return {
        "rows": len(one.trials),
        "docker_error": one.ended("void"),
        "private_reward>0": sum(private > 0 for _, private in judged),
        "public_reward>0": sum(public > 0 for public, _ in judged),
        "public_minus_private>0": sum(public > private for public, private in judged),
    }


FACTS: dict[str, Callable[[Path, dict[str, Any]], dict[str, Any]]] = {
    "agent_sessions": sessions, "aider": aider, "docent": lambda folder, _: {}, "evalplus": evalplus,
    "hal": lambda folder, _: {}, "harbor": harbor, "harbor_trial_dir": harbor_trials, "humaneval_mbpp_samples": samples,
    "inspect_eval": inspect, "inspect_eval_metr": inspect, "inspect_scout": scout, "junit": junit,
    "lm_eval_harness": lm_eval, "openhands": openhands, "otel_genai": lambda folder, _: {}, "swe_agent_traj": swe_agent,
    "swebench": swe_bench, "tau_bench_few_shot": lambda folder, _: {"lines": len(Seen(folder).trials)},
    "tinker_rollouts": tinker,
}  # fmt: skip

_SHAPE = "the shape of the file"
OF_THE_FILE = {
    "agent_sessions/*/lines": "lines, of which several are one step",
    "agent_sessions/*/json_document": _SHAPE, "agent_sessions/*/messages": _SHAPE, "agent_sessions/*/top_keys": _SHAPE,
    "agent_sessions/*/container": _SHAPE, "agent_sessions/*/json_values": _SHAPE, "agent_sessions/*/kinds/*": _SHAPE,
    "agent_sessions/codex*/types/*": "lines that repeat what other lines say",
    "agent_sessions/claude-opus-4-6.jsonl/models/*": "pieces of answers, which are one step",
    "agent_sessions/claude-opus-4-6.jsonl/types/assistant": "pieces of answers, which are one step",
    "agent_sessions/claude-code-log__edge_cases.jsonl/types/*": "lines that are no messages are counted by `lines`",
    "docent/*": _SHAPE, "hal/*/keys": _SHAPE, "evalplus/*/keys": _SHAPE, "evalplus/*/top": _SHAPE,
    "evalplus/*brief.json/n": _SHAPE, "harbor/trials/*/schema": "the version of ATIF",
    "humaneval_mbpp_samples/*/keys": _SHAPE, "junit/*/root": _SHAPE,
    **{f"inspect_*/*/{name}": _SHAPE for name in ("comp", "created", "has_summaries", "journal", "members", "version")},
    "inspect_*/*/dataset_n": "of the data set, not of what was run",
    "inspect_*/*/epochs": "what was asked for; what is there is counted",
    "inspect_*/*/metrics/*/fraction_*": "a metric of the log's author over what only his scorer knows",
    "inspect_*/log_tool_call_error.json/metrics/*": "of four samples, of which one is in the file, without a score",
    "inspect_*/*no-samples.json/*": "samples that are not in the file",
    "inspect_*/*3KHgmfG9CFzTFEZiSxHUmc.eval/*": "no sample is in the file",
    "inspect_*/*/total_samples": "null in a cancelled run", "inspect_*/*/completed_samples": "null in a cancelled run",
    "inspect_scout/*": "what a scanner said of transcripts that are not in the file, which is refused",
    "lm_eval_harness/*/config/model": "the kind of model; the agent is the model itself",
    "lm_eval_harness/*/config/num_fewshot": "null; the number of examples stands by the task",
    "lm_eval_harness/*/error": "no results are in the file", "lm_eval_harness/*/first/*": "a group, refused for its members",
    "openhands/*/json_document": _SHAPE, "openhands/*/keys": _SHAPE,
    "otel_genai/*": "parts of a summary of attributes: no span is in the file, which is refused",
    "swe_agent_traj/*/keys": _SHAPE, "swe_agent_traj/*/history": "messages, of which each step has two",
    "swe_agent_traj/*/model_stats/api_calls": "calls, also those whose answer was no step",
    "swe_agent_traj/*/model_stats/total_cost": "of the whole run until then", "swe_agent_traj/*/model_stats": "null",
    "swebench/vexp/published": "prose", "swebench/vexp/run_summary/schema_version": _SHAPE,
    "swebench/vexp/run_summary/total_instances": "of the data set, not of what was run",
}  # fmt: skip
"""What no import can say, by a pattern of its place, and why."""


def flat(found: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every figure with its place; an empty object is none."""
    if not isinstance(found, dict):
        yield at, found
        return
    for key, value in found.items():
        yield from flat(value, f"{at}/{key}" if at else str(key))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted(FACTS))
def test_every_figure_that_was_counted_is_found(folder):
    said = dict(flat(expected(folder)))
    found = dict(flat(FACTS[folder](real(folder), expected(folder))))
    wrong = {key: (value, found[key]) for key, value in said.items() if key in found and not same(value, found[key])}
    assert not wrong
    unsaid = [key for key in said if key not in found]
    assert [key for key in unsaid if not any(fnmatchcase(f"{folder}/{key}", each) for each in OF_THE_FILE)] == []


@pytest.mark.published
def test_no_folder_with_figures_is_forgotten():
    real("aider")
    assert {path.parent.name for path in FORMATS.glob("*/expected.json")} == set(FACTS)


NOTHING = {"hf_model_index", "inspect_scout", "otel_genai", "rl_rows"}
"""Folders without any result."""


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted(set(FACTS) - NOTHING))
def test_every_file_is_read_or_refused_or_belongs_to_a_trial(folder, tmp_path):
    place = real(folder)
    there = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    import_results(place, tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as study:
        files = {each.file: each for each in count_files(study)}
    assert all(each.found == each.kept + each.refused for each in files.values())
    belonging = {name for name in there - set(files) if any(fnmatchcase(name, each) for each in BELONGING[folder])}
    assert there - set(files) == belonging


BELONGING: dict[str, tuple[str, ...]] = defaultdict(
    tuple,
    harbor=("jobs/*/trajectory.json",),
    harbor_trial_dir=("*/config.json", "*/verifier/*"),
    swebench=("vexp/logs/*", "aider_lite/results.json", "vexp/swebench-*.jsonl", "vexp/vexp-swebench-*.json"),
)
"""Files that say something of trials of other files."""


@pytest.mark.published
@pytest.mark.parametrize("folder", sorted(NOTHING))
def test_every_file_without_results_is_refused_with_the_reason(folder, tmp_path):
    with pytest.raises(FormatError, match="contains no result that can be read"):
        import_results(real(folder), tmp_path / "s.honestly")
    assert list(tmp_path.iterdir()) == []
    for path in real(folder).iterdir():
        with pytest.raises(FormatError, match=r": no results: |: results of a scanner: |is in no format|it is empty"):
            items(path)


@pytest.mark.published
@pytest.mark.parametrize("folder", ["hf_model_index", "rl_rows"])
def test_cards_and_training_rows_are_recognised(folder):
    none = {"README.md", "sample_no_metadata.md"}  # texts of which nothing says that they are cards
    for path in (path for path in real(folder).iterdir() if path.name not in none):
        assert importers_for(path) == "no-results"
        with pytest.raises(FormatError, match=r"(a model or data card|rows for training|the curve of a training run)"):
            items(path)
