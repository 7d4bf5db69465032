"""Agents for a loop over what an agent is given: one that does as its prompt says, and one that writes prompts."""

from pathlib import Path

from honestly.agents import Hands
from honestly.records import Agent


class Follower:
    """Solves a task if its prompt, or its workspace, tells it to be careful; else it does nothing."""

    def __init__(self, suite, name, prompt: str = "") -> None:
        self.tasks = {task.id: task for task in suite.tasks}
        self.prompt = Path(prompt).read_text() if prompt else ""
        self.record = Agent(name=name, program="follower", version=self.prompt)

    async def __call__(self, run, box) -> None:
        hands = Hands(run, box)
        told = self.prompt or (await hands.bash("cat CLAUDE.md")).stdout.decode()
        if "carefully" in told:
            for path, file in self.tasks[run.task.id].hidden.reference.write.files.items():
                await hands.write(path, file.data.decode())
        hands.finish("I did what I was told.", claimed=True)


class Breaker:
    """Writes a skill that no program loads."""

    def __init__(self, name) -> None:
        self.record = Agent(name=name, program="breaker", version="1")

    async def __call__(self, run, box) -> None:
        hands = Hands(run, box)
        await hands.write("skill/SKILL.md", "No head.\n")
        hands.finish("A skill.", claimed=True)


class Writer:
    """Writes at every second attempt what helps, else what does not; keeps what it was told."""

    def __init__(self, name, log: str, file: str = "prompt.md") -> None:
        self.record, self.log, self.file = Agent(name=name, program="writer", version="1"), Path(log), file

    async def __call__(self, run, box) -> None:
        hands, before = Hands(run, box), self.log.read_text() if self.log.exists() else ""
        self.log.write_text(f"{before}=====\n{run.task.instruction}")
        old = (await hands.bash(f"cat {self.file}")).stdout.decode()
        await hands.write(self.file, old + ("Work carefully.\n" if before.count("=====") % 2 else "Be quick.\n"))
        hands.finish("Another line.", claimed=True)
