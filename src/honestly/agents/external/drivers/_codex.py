"""Codex, without a person: `codex exec --json`."""

import json

from honestly.agents.external._driver import HOME, Driver, Launch, Start
from honestly.agents.external.transcripts._codex import read

_FLAGS = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-")
_HOME = f"{HOME}/codex"


def _launch(start: Start) -> Launch:
    config = f"""model = {json.dumps(start.model)}
model_provider = "honestly"

[model_providers.honestly]
name = "honestly"
base_url = "{start.url}/v1"
env_key = "HONESTLY_TOKEN"
wire_api = "responses"
"""
    env = {"CODEX_HOME": _HOME, "HONESTLY_TOKEN": start.token}
    files = {f"{_HOME}/config.toml": config}
    return Launch(argv=(*start.program, *_FLAGS), env=env, files=files, stdin=start.instruction)


CODEX = Driver(name="codex", program="codex", launch=_launch, read=read, kept=("codex/sessions/*.jsonl",))
