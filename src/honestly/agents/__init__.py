"""Agents: the interface that every agent implements, and the agents that come with honestly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.agents._again import agent_again
    from honestly.agents._agent import Work
    from honestly.agents._arms import (
        ARMS,
        NO_ARM,
        WEB_ARMS,
        PromptArm,
        arm_named,
        arm_of,
        base_name,
        checkpoint_of,
        plain_record,
        seed_record,
        under_arms,
    )
    from honestly.agents._changed import changed_agent_warnings
    from honestly.agents._checkout import Copy, copy_of, without_clutter, write_back, write_objections
    from honestly.agents._crew import Hire
    from honestly.agents._finish import Ending
    from honestly.agents._function import AgentFunction, FunctionAgent
    from honestly.agents._honest import CASSETTE, Honest, tools_needs
    from honestly.agents._limits import AgentLimits, call_tokens
    from honestly.agents._make import guarded_agent, make_agent, make_agents
    from honestly.agents._overlay import OverlaidAgent, overlaid_agents, overlay_of, without_overlay
    from honestly.agents._own_doing import is_own_doing
    from honestly.agents._pace import ContinueUntilBudget
    from honestly.agents._person import NOBODY, Nobody, Person
    from honestly.agents._policy_judge import PolicyJudge
    from honestly.agents._project import Project
    from honestly.agents._run import OVERLAY, Actor, Hands, Needs, NeedsSandbox, OnSite, Run, SelfChecking, preflight_of
    from honestly.agents._scaffold import SCAFFOLDS, Scaffold, ScaffoldFunction, ScaffoldTools
    from honestly.agents._spec import honest_agent
    from honestly.agents._table import AGENTS
    from honestly.agents.external._agent import MODEL_RECORD, PROGRAM_FILES, External
    from honestly.agents.known._agents import Known, Nop
    from honestly.agents.known._cheats import CHEATS

__all__ = [
    "AGENTS",
    "ARMS",
    "CASSETTE",
    "CHEATS",
    "MODEL_RECORD",
    "NOBODY",
    "NO_ARM",
    "OVERLAY",
    "PROGRAM_FILES",
    "SCAFFOLDS",
    "WEB_ARMS",
    "Actor",
    "AgentFunction",
    "AgentLimits",
    "ContinueUntilBudget",
    "Copy",
    "Ending",
    "External",
    "FunctionAgent",
    "Hands",
    "Hire",
    "Honest",
    "Known",
    "Needs",
    "NeedsSandbox",
    "Nobody",
    "Nop",
    "OnSite",
    "OverlaidAgent",
    "Person",
    "PolicyJudge",
    "Project",
    "PromptArm",
    "Run",
    "Scaffold",
    "ScaffoldFunction",
    "ScaffoldTools",
    "SelfChecking",
    "Work",
    "agent_again",
    "arm_named",
    "arm_of",
    "base_name",
    "call_tokens",
    "changed_agent_warnings",
    "checkpoint_of",
    "copy_of",
    "guarded_agent",
    "honest_agent",
    "is_own_doing",
    "make_agent",
    "make_agents",
    "overlaid_agents",
    "overlay_of",
    "plain_record",
    "preflight_of",
    "seed_record",
    "tools_needs",
    "under_arms",
    "without_clutter",
    "without_overlay",
    "write_back",
    "write_objections",
]

__getattr__, __dir__ = lazy_exports(__name__)
