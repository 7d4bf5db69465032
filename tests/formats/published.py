"""Real files of other programs, which lie beside the checkout, and what an import of them gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from honestly.formats import Imported, importer_of, recognised
from honestly.records import Defect

FORMATS = Path(__file__).parents[2].parent / "shared" / "data" / "formats"
T = TypeVar("T")


def real(folder: str) -> Path:
    """A folder of real files; the test is skipped where they are not there."""
    if not (FORMATS / folder).is_dir():
        pytest.skip(f"needs formats/{folder} in ../shared/data, beside the checkout")
    return FORMATS / folder


def expected(folder: str) -> dict[str, Any]:
    """What a reader must find there."""
    found: dict[str, Any] = json.loads((real(folder) / "expected.json").read_text())
    return found


def items(path: Path, name: str = "") -> list[object]:
    """Everything that an import gives, by the reader that recognises the place if none is named."""
    return list(importer_of(name or recognised(path))(path))


def of(kind: type[T], found: list[object]) -> list[T]:
    """Those of one kind."""
    return [each for each in found if isinstance(each, kind)]


def trials(found: list[object]) -> list[Any]:
    """The trials."""
    return [each.trial for each in of(Imported, found)]


def refusals(found: list[object]) -> dict[str, str]:
    """What was refused and why, by place."""
    return {each.where: f"{each.kind}: {each.detail}" for each in of(Defect, found) if each.effect == "refused"}


def mutated(data: bytes, changes: list[tuple[int, bytes]], keep: Callable[[bytes], bytes] = bytes) -> bytes:
    """Data with bytes replaced at places, as a share of its length in thousandths."""
    changed = bytearray(data)
    for at, new in changes:
        start = at * len(changed) // 1000
        changed[start : start + len(new)] = new
    return keep(bytes(changed))


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
