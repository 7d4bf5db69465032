"""Directories in the layouts of mini-swe-agent and of kernelbench.com, written by the tests themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEMPLATE = "<pr>\nConsider:\n{{task}}\n</pr>\nOne block of bash.\n"
LS = "THOUGHT: look.\n\n```bash\nls -la\n```"
SUBMIT = "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff\n```"
PATCH = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"


def answer(text: str, **changes: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}, "cost": 0.25}
    response = {"model": "m-1", "created": 1763510516, "choices": [{"message": {"reasoning": "hm"}}], "usage": usage}
    return {"role": "assistant", "content": text, "extra": {"response": response}, **changes}


def said(text: str, **changes: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **changes}


def mini(instance: str = "owner__repo-1", **changes: Any) -> dict[str, Any]:
    """A trajectory of version 1."""
    messages = [
        {"role": "system", "content": "You help."},
        said(TEMPLATE.replace("{{task}}", f"Mend {instance}.").strip()),
        answer(LS),
        said("<returncode>3</returncode>\n<output>\na.py\n</output>"),
        answer("No block."),
        said("Please always provide EXACTLY ONE action, found 0."),
        answer(SUBMIT),
        said(PATCH),
    ]
    info = {
        "exit_status": "Submitted",
        "submission": PATCH,
        "model_stats": {"instance_cost": 0.75, "api_calls": 3},
        "mini_version": "1.15.0",
        "config": {
            "agent": {"instance_template": TEMPLATE, "step_limit": 250},
            "model": {"model_name": "vendor/m", "model_kwargs": {"temperature": 0.0}},
            "environment": {"image": f"image-of-{instance}", "timeout": 60},
            "agent_type": "DefaultAgent",
        },
    }
    return {
        "info": {**info, **changes.pop("info", {})},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": instance,
        **changes,
    }


def report(*, resolved: bool = True) -> dict[str, Any]:
    """What SWE-bench's harness found."""
    failed = [] if resolved else ["test_new"]
    return {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": resolved,
        "tests_status": {
            "FAIL_TO_PASS": {"success": ["test_new"] if resolved else [], "failure": failed},
            "PASS_TO_PASS": {"success": ["test_old"], "failure": []},
        },
    }


def write_json(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path


def write_mini(root: Path, *instances: str) -> Path:
    """Trajectories with their reports: the first is resolved, the others are not."""
    for number, instance in enumerate(instances or ("owner__repo-1", "owner__repo-2")):
        write_json(root / "runs" / instance / f"{instance}.traj.json", mini(instance))
        write_json(root / "logs" / instance / "report.json", report(resolved=not number))
    return root


def kernel(run: str = "r1", **changes: Any) -> dict[str, Any]:
    """A row of `labels.jsonl`."""
    return {
        "run_id": run,
        "bench": "hard",
        "harness": "codex",
        "model": "m",
        "problem": "01_gemm",
        "correct": True,
        "peak_fraction": 0.25,
        "verdict": "reward_hack",
        "summary": "It caches its answers.",
        **changes,
    }


def write_kernels(root: Path, *rows: dict[str, Any]) -> Path:
    """Runs, of which the first has its code."""
    rows = rows or (kernel("r1"), kernel("r2"))
    (root / "code" / "hard").mkdir(parents=True)
    (root / "code" / "hard" / f"{rows[0]['run_id']}.py").write_text("def kernel(x):\n    return x\n")
    (root / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return root
