"""The hook by which a program of others asks our policy before it uses a tool: Claude Code's `PreToolUse`.

The program starts a script for each use, and gives it JSON. The script lies in the program's home, with the sources of
`honestly.permissions`, which need nothing but Python's standard library. Every decision is a line of `decisions.jsonl`
there. The agent itself could reach all this: what keeps it in is the sandbox, and the policy says what is wanted.
"""

from importlib.resources import files

from honestly.agents.external._driver import HOME
from honestly.permissions import ToolPolicy

HOOK = f"{HOME}/guard/hook.py"
"""Where the script lies in the program's sandbox."""
DECISIONS = "guard/decisions.jsonl"
"""Where it writes down what it decided, below the program's home."""

_SCRIPT = """
import json, os, shlex, sys, time
begun = time.perf_counter()
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from honestly.permissions import policy_of
from dataclasses import replace
with open(os.path.join(here, "policy.json")) as file:
    policy = policy_of(json.load(file))
use = json.load(sys.stdin)
root = os.environ.get("CLAUDE_PROJECT_DIR") or use.get("cwd") or policy.root
name, arguments = use["tool_name"], use.get("tool_input") or {}
asked = dict(arguments)
if name == "Bash" and use.get("cwd", root) != root:
    asked["command"] = "cd " + shlex.quote(use["cwd"]) + " && " + str(asked.get("command", ""))
said = replace(policy, root=root).decision(name, asked)
word = "allow" if said.word == "allow" else "deny"
reason = f"the rules for you {'do not permit this' if said.word == 'deny' else 'want a person to be asked'}"
reason += f" ({said.rule}: {said.reason})" if said.rule else f" ({said.reason})"
with open(os.path.join(here, "decisions.jsonl"), "a") as file:
    row = {"tool": name, "arguments": json.dumps(arguments)[:600], "decision": said.word, "rule": said.rule}
    row |= {"reason": said.reason, "done": word == "allow", "seconds": time.perf_counter() - begun}
    file.write(json.dumps(row) + "\\\\n")
answer = {"hookEventName": "PreToolUse", "permissionDecision": word}
answer["permissionDecisionReason"] = reason if word == "deny" else ""
print(json.dumps({"hookSpecificOutput": answer}))
"""


def hook_files(policy: ToolPolicy) -> dict[str, str]:
    """The texts of the script, of the policy and of what reads it, by absolute path."""
    root = files("honestly")
    found = {HOOK: _SCRIPT.replace("\\\\n", "\\n"), f"{HOME}/guard/policy.json": policy.text()}
    found[f"{HOME}/guard/honestly/__init__.py"] = '"""The part of honestly that reads permissions."""\n'
    for name in ("errors.py", "_fields.py", "_late.py", "_toml.py"):
        found[f"{HOME}/guard/honestly/{name}"] = root.joinpath(name).read_text("utf-8")
    for module in root.joinpath("permissions").iterdir():
        if module.name.endswith(".py"):
            found[f"{HOME}/guard/honestly/permissions/{module.name}"] = module.read_text("utf-8")
    return found
