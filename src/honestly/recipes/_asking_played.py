"""The twins of `asking` as tasks of `honestly.train`: a policy reads an instruction, asks a simulated user, writes `f`.

A prompt says each slot in a sentence, or vaguely. What a vague twin leaves out is its table of facts, which the user
of the people room knows; what a policy makes of the answers is judged by hidden inputs in a sandbox.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import numpy as np

from honestly._group import flat_group
from honestly.errors import HonestlyError
from honestly.people import Fact, FactTable, Requirement
from honestly.recipes._asking_twins import SLOTS, TASTE, TURNS, VALUES, AskingPolicy, Tasks, next_action
from honestly.records import Suite, Task
from honestly.tasks import make_task
from honestly.train import EnvironmentOptions, TrainingEnvironment

NAMES = ("scale", "shift", "modulus", "style")
_VAGUE = ("some", "suitable", "usual", "sensible")
_SAID, _CHOOSE = re.compile(r"The (\w+) is (\d+)\."), re.compile(r"Choose (\w+) (\w+)\.")
_HEAD = (
    "Write `f` in work.py: a number times one more than the scale, plus the shift, modulo eleven more than the modulus."
)


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """What came of one twin in the environment."""

    passed: bool
    told: int
    """Facts that the user told."""
    facts: int
    """Facts that there were to tell."""
    questions: int


def program(slots: Sequence[int]) -> str:
    """`f` for the values of the slots."""
    return f"def f(n):\n    return (n * {slots[0] + 1} + {slots[1]}) % {slots[2] + 11}\n"


def twin_task(name: str, wanted: Sequence[int], words: Sequence[int], inputs: Sequence[int]) -> tuple[Task, FactTable]:
    """A twin as a task whose instruction says everything, and what its prompt leaves out.

    Args:
        name: of the task.
        wanted: the value of each slot.
        words: what the prompt has for each: its value, or a vague word (from `VALUES` on).
        inputs: on which the work is judged.
    """
    text, left_out = _HEAD, []
    for slot, word, value in zip(NAMES, words, wanted, strict=True):
        says = f" The {slot} is {value}."
        if word < VALUES:
            text += says
            continue
        text += f" Choose {_VAGUE[word - VALUES]} {slot}."
        if slot != NAMES[TASTE]:
            fact = Fact(slot, says.strip(), (slot,))
            left_out.append(Requirement(fact, ((len(text), len(text + says)),), rival="", checks=()))
            text += says
    expected = [(n * (wanted[0] + 1) + wanted[1]) % (wanted[2] + 11) for n in inputs]
    check = f"def test_f(ws):\n    f = ws.load('work').f\n    assert [f(n) for n in {list(inputs)}] == {expected}\n"
    task = make_task(
        name,
        text,
        {"work.py": "def f(n):\n    return 0\n"},
        hidden={"check_f.py": check},
        reference={"work.py": program(wanted)},
    )
    return task, FactTable(name, text, tuple(left_out))


def read_slots(text: str) -> dict[str, int]:
    """The values that a prompt, or an answer, says."""
    return {slot: int(value) for slot, value in _SAID.findall(text)}


def read_words(prompt: str) -> list[int]:
    """What a prompt has for each slot, as the policy is told of it."""
    said, vague = read_slots(prompt), {slot: _VAGUE.index(word) for word, slot in _CHOOSE.findall(prompt)}
    return [said[slot] if slot in said else VALUES + vague[slot] for slot in NAMES]


def played_episodes(tasks: Tasks, choose: AskingPolicy | str, rng: np.random.Generator) -> list[PlayedEpisode]:
    """One episode for each twin in the environment, in order; a slot that was not told is guessed."""
    made = [
        twin_task(f"twin-{row}", *(each[row].tolist() for each in (tasks.wanted, tasks.words, inputs)))
        for inputs in (rng.integers(0, 1000, (len(tasks.wanted), 12)),)
        for row in range(len(tasks.wanted))
    ]
    missing, found = tasks.missing_slots, dict[int, PlayedEpisode]()

    async def one(environment: TrainingEnvironment, row: int, own: np.random.Generator) -> None:
        episode = await environment.reset(f"twin-{row}")
        words, known = np.array([read_words(episode.prompt)]), read_slots(episode.prompt)
        asked = np.zeros_like(words)
        for _ in range(TURNS - 1):
            slot = next_action(choose, words, missing[row : row + 1], asked, own)[0]
            if slot == SLOTS:
                break
            answer = await episode.step({"tool": "ask", "question": f"What is the {NAMES[slot]}?"})
            told = read_slots(answer.observation)
            known |= told
            asked[0, slot] = 1 if NAMES[slot] in told else 2
        guesses = own.integers(0, VALUES, SLOTS).tolist()
        slots = [known.get(name, guess) for name, guess in zip(NAMES, guesses, strict=True)]
        ended = await episode.step(f"```python\n{program(slots)}```")
        if ended.reward is None:
            raise HonestlyError(f"an episode was not judged: {ended.observation}")
        info = ended.info
        found[row] = PlayedEpisode(ended.reward == 1, len(info["told"]), len(info["facts"]), info["questions"])

    async def play_all() -> None:
        options = EnvironmentOptions(turns=TURNS, facts={table.task: table for _, table in made})
        suite = Suite(name="asking", version="1", tasks=tuple(task for task, _ in made))
        async with TrainingEnvironment(suite, options) as environment, flat_group() as group:
            for row, own in enumerate(rng.spawn(len(made))):
                group.start_soon(one, environment, row, own)

    anyio.run(play_all)
    return [found[row] for row in range(len(made))]
