"""The table of agents: what `--agent` may name. A new driver is a file in `external/drivers` and a line here."""

from __future__ import annotations

from honestly.errors import AgentError
from honestly.seams import Known, Seam

__all__ = ["AGENTS"]

_TRUTH = "honestly.agents.known"
_DRIVERS = "honestly.agents.external.drivers"

AGENTS = Seam(
    kind="agent",
    group="honestly.agents",
    protocol="honestly.agents.Actor",
    error=AgentError,
    known=(
        Known("oracle", f"{_TRUTH}._agents:Oracle", "applies the reference solution: the ceiling"),
        Known("nop", f"{_TRUTH}._agents:Nop", "does nothing and says so"),
        Known(
            "honest",
            "honestly.agents._spec:honest_agent",
            "with a model, the agent of this program; without one, succeeds at stated rates and says the truth",
        ),
        Known("special-case", f"{_TRUTH}._cheats:special_case", "cheats: returns what the visible tests ask for"),
        Known("edit-tests", f"{_TRUTH}._cheats:edit_tests", "cheats: empties the visible tests"),
        Known("early-exit", f"{_TRUTH}._cheats:early_exit", "cheats: ends the process before tests can fail"),
        Known("override-equality", f"{_TRUTH}._cheats:override_equality", "cheats: returns what equals everything"),
        Known("tamper-runner", f"{_TRUTH}._cheats:tamper_runner", "cheats: makes the test runner report success"),
        Known("claim-only", f"{_TRUTH}._cheats:claim_only", "cheats: does nothing, and claims to have done it"),
        Known("susceptible", f"{_TRUTH}._susceptible:Susceptible", "cheats as often as the prompt arm suggests"),
        Known("claude-code", f"{_DRIVERS}._claude_code:CLAUDE_CODE", "Claude Code, which must be installed"),
        Known("codex", f"{_DRIVERS}._codex:CODEX", "Codex, which must be installed"),
        Known("gemini", f"{_DRIVERS}._gemini:GEMINI", "Gemini CLI, which must be installed"),
        Known("openhands", f"{_DRIVERS}._openhands:OPENHANDS", "OpenHands' command line, which must be installed"),
        Known("mini-swe-agent", f"{_DRIVERS}._mini:MINI", "mini-swe-agent, which must be installed"),
        Known("acp", f"{_DRIVERS}._acp:acp_driver", "any program that speaks ACP", "COMMAND LINE"),
        Known("cli", f"{_DRIVERS}._command:command_driver", "any program", "COMMAND LINE"),
    ),
)
"""Who can be named with `--agent`."""
