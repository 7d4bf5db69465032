"""Claude Code, without a person: `claude -p`."""

from honestly.agents.external._driver import HOME, Driver, Launch, Start
from honestly.agents.external.transcripts._claude_code import read

_FLAGS = ("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--model")
_QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
)


def _launch(start: Start) -> Launch:
    env = {
        "ANTHROPIC_BASE_URL": start.url,
        "ANTHROPIC_API_KEY": start.token,
        "CLAUDE_CONFIG_DIR": f"{HOME}/claude",
        "IS_SANDBOX": "1",
        **dict.fromkeys(_QUIET, "1"),
    }
    return Launch(argv=(*start.program, *_FLAGS, start.model), env=env, stdin=start.instruction)


CLAUDE_CODE = Driver(name="claude-code", program="claude", launch=_launch, read=read, kept=("claude/projects/*.jsonl",))
