"""Gemini CLI, without a person: `gemini -p`."""

import json

from honestly.agents.external._driver import HOME, Driver, Launch, Start
from honestly.agents.external.transcripts._gemini import read

_FLAGS = ("-o", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-m")
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"disableAutoUpdate": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def _launch(start: Start) -> Launch:
    env = {"GEMINI_API_KEY": start.token, "GOOGLE_GEMINI_BASE_URL": start.url, "GEMINI_CLI_HOME": HOME, "NO_COLOR": "1"}
    files = {f"{HOME}/.gemini/settings.json": json.dumps(_SETTINGS)}
    return Launch(argv=(*start.program, *_FLAGS, start.model), env=env, files=files, stdin=start.instruction)


GEMINI = Driver(name="gemini", program="gemini", launch=_launch, read=read, kept=(".gemini/tmp/*/chats/*",))
