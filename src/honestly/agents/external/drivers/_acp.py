"""Any program that speaks the Agent Client Protocol: `acp:gemini --acp`, `acp:claude-agent-acp`, `acp:codex-acp`."""

from pathlib import Path

from honestly.agents.external._command_line import INSTRUCTION, arguments, variables, words_of
from honestly.agents.external._driver import Driver, Launch, Start
from honestly.agents.external.acp._talk import talk
from honestly.agents.external.drivers._claude_code import CLAUDE_CODE
from honestly.agents.external.drivers._codex import CODEX
from honestly.agents.external.drivers._gemini import GEMINI
from honestly.agents.external.transcripts._acp import read

_KNOWN = {
    "claude-agent-acp": CLAUDE_CODE,
    "claude-code-acp": CLAUDE_CODE,
    "codex-acp": CODEX,
    "gemini": GEMINI,
}
"""Programs whose variables and files a driver knows; others find their model by the usual variables."""


def acp_driver(line: str) -> Driver:
    """The driver of a command line whose program speaks ACP.

    Raises:
        AgentError: It makes no sense.
    """
    program, *rest = words_of(line, "acp:my-agent --acp")
    known = _KNOWN.get(Path(program).name)

    def launch(start: Start) -> Launch:
        usual = known.launch(start) if known else Launch(argv=())
        return Launch(
            argv=(*start.program, *arguments(tuple(rest), start)),
            env={**variables(start), **usual.env, "INITIAL_AGENT_MODE": "agent-full-access"},  # of Codex' adapter
            files={**usual.files, INSTRUCTION: start.instruction},
            stdin=start.instruction,
        )

    kept = known.kept if known else ()
    return Driver(name="acp", program=program, launch=launch, read=read, converse=talk, kept=kept)
