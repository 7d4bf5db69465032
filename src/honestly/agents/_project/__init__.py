"""A project's set-up for agents, as people write it: rules, commands, skills, sub-agents, permissions."""

from honestly.agents._project._offered import Helper, helper_tool, skill_tool
from honestly.agents._project._read import Project, read_project

__all__ = ["Helper", "Project", "helper_tool", "read_project", "skill_tool"]
