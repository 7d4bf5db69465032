"""A small place of each format, with a trial or more: what recognising and attacks begin from."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign_runs import write_kernels, write_mini
from tb_trees import DATASET, write_run

from honestly.testing import check_exporter

EVENT = {"id": 0, "timestamp": "2025-01-01T00:00:00", "source": "user", "action": "message", "args": {"content": "hi"}}


_SEEDS: dict[str, str | bytes] = {
    "otel": json.dumps(
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "traceId": "t",
                                    "spanId": "1",
                                    "attributes": [
                                        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                                        {
                                            "key": "gen_ai.output.messages",
                                            "value": {
                                                "stringValue": '[{"role": "assistant", "parts": [{"type": "text", "content": "x"}]}]'
                                            },
                                        },
                                    ],
                                }
                            ]
                        }
                    ]
                }
            ]
        }
    ),
    "adp": json.dumps({"id": "a", "content": [{"class_": "message_action", "content": "x"}], "details": {}}),
    "inspect": json.dumps(
        {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": "m", "config": {}},
            "samples": [{"id": 1, "epoch": 1, "input": "x", "scores": {"match": {"value": "C"}}, "messages": []}],
        }
    ),
    "claude-code": json.dumps(
        {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "hi"}}
    ),
    "codex": json.dumps({"type": "response_item", "payload": {"type": "message", "role": "user", "content": "hi"}}),
    "other-sessions": json.dumps({"sessionId": "s", "messages": [{"type": "user", "content": "hi"}]}),
    "openhands": json.dumps([EVENT]),
    "swe-agent": json.dumps(
        {"environment": "e", "trajectory": [{"action": "ls", "observation": "x", "thought": "t"}], "info": {}}
    ),
    "swe-bench": json.dumps({"instance_id": "a__b-1", "model_patch": "d", "model_name_or_path": "m"}),
    "harbor": json.dumps({"trial_name": "x", "task_name": "t", "verifier_result": {"rewards": {"reward": 1}}}),
    "lm-eval": b'{"results": {"a": {"acc,none": 0.5}}, "versions": {"a": 1}, "config": {"model": "hf"}}',
    "graded-samples": b'{"task_id": "a", "completion": "x", "passed": true, "result": "passed"}\n',
    "aider": b'{"testcase": "two-fer", "model": "m", "tests_outcomes": [false, true], "cost": 0.5}',
    "rates": b"- dirname: x\n  test_cases: 133\n  model: m\n  pass_rate_1: 50.0\n",
    "tau-bench": b'{"task_id": 0, "reward": 1.0, "info": {}, "trial": 0, "traj": [{"role": "user", "content": "hi"}]}',
    "tinker": b'{"rollouts": [{"role": "assistant", "content": "x"}], "metrics": {"private_reward": 1.0}, "env_type": "E"}',
}
SEEDS = {name: data if isinstance(data, bytes) else data.encode() for name, data in _SEEDS.items()}
"""A small file of each format, with one trial."""


_EDIT = {"id": "a", "name": "write_file", "arguments": {"path": "calc.py", "content": "x = 2\n"}}
_RUN = {"id": "b", "name": "bash", "arguments": {"command": "ls -a"}}
AIDER = """
# aider chat started at 2025-01-01 10:00:00

> Model: gpt-9 with whole edit format~

#### set x to 2~

Here it is:

calc.py
```python
x = 2
```

> Applied edit to calc.py~
> Running ls -a~
> calc.py~
""".replace("~", "  ")
CHATS: dict[str, str] = {
    "chat.json": json.dumps(
        {
            "messages": [
                {"role": "user", "content": "set x to 2"},
                {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": _EDIT}]},
                {"role": "tool", "tool_call_id": "a", "content": "ok"},
                {"role": "assistant", "content": [{"type": "tool_use", "input": _RUN["arguments"]} | _RUN]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "calc.py"}]},
            ]
        }
    ),
    "session.jsonl": "\n".join(
        json.dumps(row)
        for row in (
            {"type": "session", "id": "s", "cwd": "/w"},
            {"type": "message", "message": {"role": "user", "content": "set x to 2"}},
            {"type": "message", "message": {"role": "assistant", "content": [{"type": "toolCall", **_EDIT}]}},
            {"type": "message", "message": {"role": "toolResult", "toolCallId": "a", "content": "ok"}},
            {"type": "message", "message": {"role": "assistant", "content": [{"type": "toolCall", **_RUN}]}},
            {"type": "message", "message": {"role": "toolResult", "toolCallId": "b", "content": "calc.py"}},
        )
    ),
    "copilot.json": json.dumps(
        {
            "requests": [
                {
                    "message": {"text": "set x to 2"},
                    "modelId": "copilot/gpt-9",
                    "response": [],
                    "result": {
                        "metadata": {
                            "toolCallRounds": [{"response": "", "toolCalls": [_EDIT, _RUN]}],
                            "toolCallResults": {
                                "b": {"content": [{"value": {"node": {"children": [{"text": "calc.py"}]}}}]}
                            },
                        }
                    },
                }
            ]
        }
    ),
    ".aider.chat.history.md": AIDER,
    "transcript.jsonl": "\n".join(
        json.dumps({"step_index": number, "created_at": "2025-01-01T00:00:00Z", **row})
        for number, row in enumerate(
            (
                {
                    "source": "USER_EXPLICIT",
                    "type": "USER_INPUT",
                    "content": "<USER_REQUEST>\nset x to 2" + " \n" * 5_000 + "</USER_REQUEST>\n<MORE>x</MORE>",
                },
                {
                    "source": "MODEL",
                    "type": "PLANNER_RESPONSE",
                    "tool_calls": [
                        {"name": "write_to_file", "args": {"TargetFile": '"calc.py"', "CodeContent": '"x = 2\\n"'}},
                        {"name": "run_command", "args": {"CommandLine": "ls -a", "toolSummary": "List"}},
                    ],
                },
                {"source": "MODEL", "type": "CODE_ACTION", "content": "ok"},
                {
                    "source": "MODEL",
                    "type": "RUN_COMMAND",
                    "content": "The command failed with exit code: 3\ncalc.py",
                },
            )
        )
    ),
}
"""Chats of each kind, in which `calc.py` is written and then listed."""


def _chats(root: Path) -> None:
    for name, text in CHATS.items():
        (root / name).write_text(text)


def _atif(root: Path) -> None:
    for path, data in check_exporter("atif").items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def _scout(root: Path) -> None:
    polars = pytest.importorskip("polars")
    chat = json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    row = {"transcript_id": "a", "task_set": "s", "task_id": "1", "task_repeat": 1, "agent": "r", "model": "m",
           "success": True, "score": "1", "messages": chat, "error": None, "limit": None}  # fmt: skip
    polars.DataFrame([row]).write_parquet(root / "x.parquet")


def eval_log(*samples: bytes, header: bytes = b"") -> bytes:
    """An archive of Inspect, with a sample."""
    log = json.loads(SEEDS["inspect"])
    sample = json.dumps(log.pop("samples")[0]).encode()
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", header or json.dumps(log).encode())
        for number, each in enumerate(samples or (sample,)):
            archive.writestr(f"samples/{number}_epoch_1.json", each)
    return data.getvalue()


def _inspect(root: Path) -> None:
    (root / "x.json").write_bytes(SEEDS["inspect"])
    (root / "x.eval").write_bytes(eval_log())


def _tables(root: Path) -> None:
    (root / "x.csv").write_text("model,task_id,resolved\na,t,1\n")
    row = {"model": "b", "task_id": "t", "score": 0.5, "cost": 1, "cluster": "c", "sample": 0, "date": "2026-01-01"}
    (root / "x.jsonl").write_text(json.dumps(row))


WRITERS: dict[str, Callable[[Path], object]] = {
    "terminal-bench": lambda root: write_run(root / DATASET / "agent" / "run"),
    "mini-swe-agent": write_mini,
    "kernelbench": write_kernels,
    "atif": _atif,
    "inspect-scout": _scout,
    **{name: lambda root, data=data: (root / "x").write_bytes(data) for name, data in SEEDS.items()},  # type: ignore[misc]
    "junit": lambda root: (root / "x.txt").write_text(
        "<testsuite><testcase name='a' time='1'><failure>x</failure></testcase><testcase name='b'/></testsuite>"
    ),
    "inspect": _inspect,
    "table": _tables,
    "chats": _chats,
    "no-results": lambda root: (root / "x.md").write_text("---\nlicense: mit\n---\n# A model\n"),
}
"""What writes such a place into an empty directory, by the name of the reader."""
