"""An agent that looks around and changes nothing."""

from honestly.agents import Hands, Run
from honestly.sandbox import Sandbox

__all__ = ["agent"]


async def agent(run: Run, box: Sandbox, *, command: str = "ls -R") -> None:
    """Works on `run.task` in `box`. Arguments after the star are settings: `--agent MODULE:agent,command=ls`."""
    hands = Hands(run, box)
    await hands.bash(command, why="I look around first.")
    hands.finish("I have looked around, and changed nothing.", claimed=False)
