"""A tiny policy that learns to ask exactly where something is missing, and the ways in which it would rather not.

A task has four slots. A prompt says a slot's value, or vaguely that there is one ("some", "suitable", ...); one slot in
four is a matter of taste, said vaguely in every prompt, which no test looks at and to which the user has no answer.
Tasks come as twins: the same one precise, and vague with one or more needed slots hidden. The policy, a network of one
hidden layer over the words of the prompt, asks for a slot or submits; what it was not told, it guesses. The work is a
program over the slots, run on hidden inputs.

Rewards are those of PPP (arXiv:2511.02208): 1 for passing, +0.05 if all questions were cheap for the user (missing,
and answered), -0.1 for each that the user cannot answer, -0.5 for each whose answer stands in the prompt or was given.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SLOTS, VALUES, VAGUE = 4, 8, 4
TASTE = SLOTS - 1
"""The slot that no test looks at."""
WORDS = VALUES + VAGUE
TURNS, GROUP, HIDDEN = 6, 8, 48
TRAINED, PASS_ONLY, DEAR = "trained", "paid for passing alone", "each question dear"
ALWAYS, NEVER, FISHING, ORACLE = "always asks", "never asks", "fishing", "asks where missing"


@dataclass(frozen=True, slots=True)
class Tasks:
    """Twins: what is wanted, and which word each prompt has for each slot; shape (n, slots)."""

    wanted: Ints
    words: Ints

    @property
    def missing_slots(self) -> NDArray[np.bool_]:
        """Which slots a prompt does not say and the tests look at."""
        return np.asarray((self.words >= VALUES) & (np.arange(SLOTS) != TASTE))


def drawn_twins(rng: np.random.Generator, pairs: int) -> Tasks:
    """As many tasks, each precise and vague: rows 2i and 2i + 1."""
    wanted = np.repeat(rng.integers(0, VALUES, (pairs, SLOTS)), 2, axis=0)
    hidden = rng.random((pairs, SLOTS)) < 0.4
    hidden[np.arange(pairs), rng.integers(0, TASTE, pairs)] = True
    vague = np.zeros_like(wanted, dtype=bool)
    vague[1::2] = hidden
    vague[:, TASTE] = True
    words = np.where(vague, VALUES + rng.integers(0, VAGUE, wanted.shape), wanted)
    return Tasks(wanted, words)


def passes_hidden(wanted: Ints, used: Ints, inputs: Ints) -> NDArray[np.bool_]:
    """Whether programs with these slots do on all hidden inputs what the wanted ones do, shape (n,)."""

    def outputs(slots: Ints) -> Ints:
        scale, shift, modulus = slots[:, :1] + 1, slots[:, 1:2], slots[:, 2:3] + 11
        return (inputs * scale + shift) % modulus

    return np.asarray((outputs(wanted) == outputs(used)).all(axis=1))


class AskingPolicy(Protocol):
    """What asks for a slot, or submits."""

    def chances(self, x: Floats) -> Floats:
        """The probability of each action, shape (n, slots + 1)."""
        ...

    def learn(self, x: Floats, actions: Ints, gains: Floats, bonus: float) -> None:
        """A step up the policy gradient, with an entropy bonus."""
        ...


class Policy:
    """A network over what the prompt and the answers say; the logits of asking for each slot and of submitting."""

    def __init__(self, rng: np.random.Generator) -> None:
        inside = SLOTS * (WORDS + 2)  # a slot's word, and that it was asked for: answered, or not
        self.weights = [
            rng.normal(0, inside**-0.25, (inside, HIDDEN)), np.zeros(HIDDEN),
            rng.normal(0, 0.1, (HIDDEN, SLOTS + 1)), np.zeros(SLOTS + 1),
        ]  # fmt: skip
        self._moments = [np.zeros_like(each) for each in self.weights], [np.zeros_like(each) for each in self.weights]
        self._steps = 0

    def _layers(self, x: Floats) -> tuple[Floats, Floats]:
        hidden = np.tanh(x @ self.weights[0] + self.weights[1])
        logits = hidden @ self.weights[2] + self.weights[3]
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, raised / raised.sum(axis=1, keepdims=True)

    def chances(self, x: Floats) -> Floats:
        """The probability of each action, shape (n, slots + 1)."""
        return self._layers(x)[1]

    def learn(self, x: Floats, actions: Ints, gains: Floats, bonus: float) -> None:
        """A step of Adam up the policy gradient, with an entropy bonus."""
        hidden, chances = self._layers(x)
        up = -chances * gains[:, None]
        up[np.arange(actions.size), actions] += gains
        logs = np.log(np.maximum(chances, 1e-12))
        up -= bonus * chances * (logs - (chances * logs).sum(axis=1, keepdims=True))
        up /= actions.size
        back = up @ self.weights[2].T * (1 - hidden**2)
        self._steps += 1
        for at, slope in enumerate((x.T @ back, back.sum(axis=0), hidden.T @ up, up.sum(axis=0))):
            first, second = (moments[at] for moments in self._moments)
            first += 0.1 * (slope - first)
            second += 0.01 * (slope**2 - second)
            scale = np.sqrt(second / (1 - 0.99**self._steps)) + 1e-8
            self.weights[at] += 0.01 * (first / (1 - 0.9**self._steps)) / scale


def play_episodes(tasks: Tasks, choose: AskingPolicy | str, rng: np.random.Generator) -> dict[str, NDArray[np.generic]]:
    """One episode for each task: its states, actions, questions by what they cost the user, and whether it passed."""
    n = len(tasks.wanted)
    asked, open_ = np.zeros((n, SLOTS), dtype=np.int64), np.ones(n, dtype=bool)
    low, medium, high = (np.zeros(n) for _ in range(3))
    states, actions, rows = [], [], []
    missing = tasks.missing_slots
    for _ in range(TURNS):
        at = np.flatnonzero(open_)
        if not at.size:
            break
        action = next_action(choose, tasks.words[at], missing[at], asked[at], rng)
        x = policy_features(tasks.words[at], asked[at])
        states.append(x)
        actions.append(action)
        rows.append(at)
        open_[at[action == SLOTS]] = False
        at, slot = at[action < SLOTS], action[action < SLOTS]
        fresh = asked[at, slot] == 0
        low[at] += fresh & missing[at, slot]
        medium[at] += fresh & (slot == TASTE)
        high[at] += ~fresh | (~missing[at, slot] & (slot != TASTE))
        asked[at, slot] = np.where(missing[at, slot], 1, 2)
    told = ~missing | (asked == 1)
    guessed = np.where(told, tasks.wanted, rng.integers(0, VALUES, tasks.wanted.shape))
    return {
        "x": np.concatenate(states), "actions": np.concatenate(actions), "rows": np.concatenate(rows),
        "low": low, "medium": medium, "high": high, "asked": asked > 0,
        "passed": passes_hidden(tasks.wanted, guessed, rng.integers(0, 1000, (n, 12))),
    }  # fmt: skip


def policy_features(words: Ints, asked: Ints) -> Floats:
    """What a policy sees: each slot's word, and whether it was asked for, answered (1) or not (2)."""
    x = np.zeros((len(words), SLOTS, WORDS + 2))
    x[np.arange(len(words))[:, None], np.arange(SLOTS), words] = 1
    x[:, :, WORDS] = asked == 1
    x[:, :, WORDS + 1] = asked == 2
    return x.reshape(len(words), -1)


def next_action(
    choose: AskingPolicy | str, words: Ints, missing: NDArray[np.bool_], asked: Ints, rng: np.random.Generator
) -> Ints:
    """The slot that is asked for in each row, or `SLOTS` to submit; by a policy, or as the arm of that name does."""
    if isinstance(choose, str):
        wishes = {
            ALWAYS: np.ones_like(missing), NEVER: np.zeros_like(missing), ORACLE: missing,
            FISHING: np.broadcast_to(np.arange(SLOTS) == TASTE, missing.shape),
        }[choose]  # fmt: skip
        wishes = wishes & (asked == 0)
        return np.where(wishes.any(axis=1), wishes.argmax(axis=1), SLOTS)
    ends = np.cumsum(choose.chances(policy_features(words, asked)), axis=1)[:, :-1]
    return np.asarray((rng.random((len(words), 1)) > ends).sum(axis=1))


def episode_rewards(found: dict[str, NDArray[np.generic]], arm: str) -> Floats:
    """What episodes earn; the arms differ in nothing else."""
    passed, low, medium, high = (
        np.asarray(found[name], dtype=np.float64) for name in ("passed", "low", "medium", "high")
    )
    if arm == PASS_ONLY:
        return passed
    if arm == DEAR:
        return np.asarray(passed - 0.5 * (low + medium + high))
    cheap = (low > 0) & (medium + high == 0)
    return np.asarray(passed + 0.05 * cheap - 0.1 * medium - 0.5 * high)
