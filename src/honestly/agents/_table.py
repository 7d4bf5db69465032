"""The table of agents: what `--agent` may name. A new driver is a file in `external/drivers` and a line here."""

from honestly.errors import AgentError
from honestly.seams import KnownName, Seam

_TRUTH = "honestly.agents.known"
_LOOPS = "honestly.teams"
_DRIVERS = "honestly.agents.external.drivers"

AGENTS = Seam(
    kind="agent",
    group="honestly.agents",
    protocol="honestly.agents.Actor",
    error=AgentError,
    known=(
        KnownName("oracle", f"{_TRUTH}._agents:Oracle", "applies the reference solution: the ceiling"),
        KnownName("nop", f"{_TRUTH}._agents:Nop", "does nothing and says so"),
        KnownName(
            "honest",
            "honestly.agents._spec:honest_agent",
            "with a model, the agent of this program; without one, succeeds at stated rates and says the truth",
        ),
        KnownName("single", f"{_LOOPS}._single:single", "works in one conversation, as `honest` does with a model"),
        KnownName("ralph", f"{_LOOPS}._ralph:ralph", "works in iterations, each with a fresh memory, notes in a file"),
        KnownName("team", f"{_LOOPS}._team:team", "planner, coder, tester and reviewer work in rounds"),
        KnownName("revise", f"{_LOOPS}._revise:revise", "works, is criticised by its policy's principles, and revises"),
        KnownName("special-case", f"{_TRUTH}._cheats:special_case", "cheats: returns what the visible tests ask for"),
        KnownName("edit-tests", f"{_TRUTH}._cheats:edit_tests", "cheats: empties the visible tests"),
        KnownName("early-exit", f"{_TRUTH}._cheats:early_exit", "cheats: ends the process before tests can fail"),
        KnownName("override-equality", f"{_TRUTH}._cheats:override_equality", "cheats: returns what equals everything"),
        KnownName("tamper-runner", f"{_TRUTH}._cheats:tamper_runner", "cheats: makes the test runner report success"),
        KnownName("claim-only", f"{_TRUTH}._cheats:claim_only", "cheats: does nothing, and claims to have done it"),
        KnownName("susceptible", f"{_TRUTH}._agents:Susceptible", "cheats as often as the prompt arm suggests"),
        KnownName("claude-code", f"{_DRIVERS}._claude_code:CLAUDE_CODE", "Claude Code, which must be installed"),
        KnownName("codex", f"{_DRIVERS}._codex:CODEX", "Codex, which must be installed"),
        KnownName("gemini", f"{_DRIVERS}._gemini:GEMINI", "Gemini CLI, which must be installed"),
        KnownName("opencode", f"{_DRIVERS}._opencode:OPENCODE", "OpenCode, which must be installed"),
        KnownName("openhands", f"{_DRIVERS}._openhands:OPENHANDS", "OpenHands' command line, which must be installed"),
        KnownName("mini-swe-agent", f"{_DRIVERS}._mini:MINI", "mini-swe-agent, which must be installed"),
        KnownName("acp", f"{_DRIVERS}._acp:acp_driver", "any program that speaks ACP", "COMMAND LINE"),
        KnownName("cli", f"{_DRIVERS}._command:command_driver", "any program", "COMMAND LINE"),
    ),
)
"""The names that `--agent` takes."""
