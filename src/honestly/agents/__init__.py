"""Who acts: the seam that every agent fits, and the agents that come with the program."""

from honestly.agents._again import agent_again
from honestly.agents._agent import Work
from honestly.agents._cheats import CHEATS
from honestly.agents._external import MODEL_RECORD, External
from honestly.agents._finish import Ending
from honestly.agents._honest import CASSETTE, SET_UP, Honest
from honestly.agents._known import Known, Nop, Oracle
from honestly.agents._limits import AgentLimits
from honestly.agents._make import PROGRAMS, make_agent, make_agents
from honestly.agents._person import NOBODY, Nobody, Person
from honestly.agents._project import Project, read_project
from honestly.agents._run import Actor, Hands, Housed, Needs, Run
from honestly.agents._spec import honest_agent
from honestly.agents._talk import Guidance

__all__ = [
    "CASSETTE",
    "CHEATS",
    "MODEL_RECORD",
    "NOBODY",
    "PROGRAMS",
    "SET_UP",
    "Actor",
    "AgentLimits",
    "Ending",
    "External",
    "Guidance",
    "Hands",
    "Honest",
    "Housed",
    "Known",
    "Needs",
    "Nobody",
    "Nop",
    "Oracle",
    "Person",
    "Project",
    "Run",
    "Work",
    "agent_again",
    "honest_agent",
    "make_agent",
    "make_agents",
    "read_project",
]
