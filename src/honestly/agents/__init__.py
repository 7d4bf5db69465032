"""Who acts: the seam that every agent fits, and the agents that come with the program."""

from honestly.agents._cheats import CHEATS
from honestly.agents._known import Known, Nop, Oracle
from honestly.agents._make import PROGRAMS, make_agent
from honestly.agents._run import Actor, Hands, Run

__all__ = ["CHEATS", "PROGRAMS", "Actor", "Hands", "Known", "Nop", "Oracle", "Run", "make_agent"]
