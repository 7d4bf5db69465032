"""Agents: the interface that every agent implements, and the agents that come with honestly."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.agents._again import agent_again as agent_again
    from honestly.agents._agent import Work as Work
    from honestly.agents._arms import (
        ARMS as ARMS,
        NO_ARM as NO_ARM,
        WEB_ARMS as WEB_ARMS,
        PromptArm as PromptArm,
        arm_named as arm_named,
        arm_of as arm_of,
        base_name as base_name,
        checkpoint_of as checkpoint_of,
        plain_record as plain_record,
        seed_record as seed_record,
        under_arms as under_arms,
    )
    from honestly.agents._artifacts import (
        MODEL_RECORD as MODEL_RECORD,
        OVERLAY as OVERLAY,
        PROGRAM_FILES as PROGRAM_FILES,
    )
    from honestly.agents._changed import changed_agent_warnings as changed_agent_warnings
    from honestly.agents._checkout import (
        Copy as Copy,
        copy_of as copy_of,
        without_clutter as without_clutter,
        write_back as write_back,
        write_objections as write_objections,
    )
    from honestly.agents._crew import Hire as Hire
    from honestly.agents._finish import Ending as Ending
    from honestly.agents._function import AgentFunction as AgentFunction, FunctionAgent as FunctionAgent
    from honestly.agents._honest import CASSETTE as CASSETTE, Honest as Honest, tools_needs as tools_needs
    from honestly.agents._limits import AgentLimits as AgentLimits, call_tokens as call_tokens
    from honestly.agents._make import (
        guarded_agent as guarded_agent,
        make_agent as make_agent,
        make_agents as make_agents,
    )
    from honestly.agents._overlay import (
        OverlaidAgent as OverlaidAgent,
        overlaid_agents as overlaid_agents,
        overlay_of as overlay_of,
        without_overlay as without_overlay,
    )
    from honestly.agents._own_doing import is_own_doing as is_own_doing
    from honestly.agents._pace import ContinueUntilBudget as ContinueUntilBudget
    from honestly.agents._person import NOBODY as NOBODY, Nobody as Nobody, Person as Person
    from honestly.agents._policy_judge import PolicyJudge as PolicyJudge
    from honestly.agents._project import Project as Project
    from honestly.agents._run import (
        Actor as Actor,
        AgentAround as AgentAround,
        Hands as Hands,
        Needs as Needs,
        NeedsSandbox as NeedsSandbox,
        OnSite as OnSite,
        Run as Run,
        SelfChecking as SelfChecking,
        preflight_of as preflight_of,
    )
    from honestly.agents._scaffold import (
        SCAFFOLDS as SCAFFOLDS,
        Scaffold as Scaffold,
        ScaffoldFunction as ScaffoldFunction,
        ScaffoldTools as ScaffoldTools,
    )
    from honestly.agents._spec import honest_agent as honest_agent
    from honestly.agents._table import AGENTS as AGENTS
    from honestly.agents.external._agent import External as External
    from honestly.agents.known._agents import Known as Known, Nop as Nop
    from honestly.agents.known._cheats import CHEATS as CHEATS


__getattr__, __dir__ = lazy_exports(__name__)
