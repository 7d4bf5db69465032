"""Hack lab, questions and physics with a transformer as policy; everything else is as in the recipes without.

Where the machine has CUDA the transformer is large (`_transformer.py`), and it trains ten times as long: the
configuration for a GPU. Both policies that choose have ten times the entropy bonus: with less, they settle on the first
thing that pays, which was seen on seed 100.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honestly.recipes import _asking as asking, _hacklab as hacklab, _physics as physics
from honestly.recipes._asking_twins import SLOTS, WORDS
from honestly.recipes._transformer import Floats, Reader, load_torch, on_cuda, policy_loss, softmax

Ints = NDArray[np.int64]
_TRY = 10.0
"""Times the entropy bonus of a network without attention."""
_NEVER_RUN = "The configuration for a GPU (25 million weights, ten times as many steps) was never run."


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(0, 2**31))


def _times(on_cpu: float) -> float:
    """How long it trains, as a share of what the network without attention does."""
    return 10 if on_cuda() else on_cpu


class HackPolicy:
    """A transformer over the words of a prompt, whose answer is read at the last one."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._net = Reader(hacklab.LENGTH, hacklab.WORDS, hacklab.HONEST + 2, _seed(rng))

    def stream(self, words: Ints) -> Floats:
        """The residual stream after the prompt, shape (n, width)."""
        with load_torch().no_grad():
            return np.asarray(self._net.stream(_one_hot(words))[:, -1].double().cpu().numpy())

    def answers(self, words: Ints, rng: np.random.Generator) -> Ints:
        """A sampled answer to each prompt."""
        with load_torch().no_grad():
            ends = np.cumsum(softmax(self._net(_one_hot(words))[:, -1]), axis=1)[:, :-1]
        return np.asarray((rng.random((len(words), 1)) > ends).sum(axis=1))

    def learn(self, words: Ints, answers: Ints, gains: Floats, bonus: float) -> None:
        """A step of Adam up the policy gradient, with an entropy bonus."""
        self._net.descend(policy_loss(self._net(_one_hot(words))[:, -1], answers, gains, _TRY * bonus))


def _one_hot(words: Ints) -> NDArray[np.float32]:
    return np.eye(hacklab.WORDS, dtype=np.float32)[words]


class AskingPolicy:
    """A transformer over the slots; it asks for one of them, or submits, which is a place of its own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._net = Reader(SLOTS + 1, WORDS + 2, 1, _seed(rng), rate=3e-4)

    def chances(self, x: Floats) -> Floats:
        """The probability of each action, shape (n, slots + 1)."""
        with load_torch().no_grad():
            return softmax(self._logits(x))

    def learn(self, x: Floats, actions: Ints, gains: Floats, bonus: float) -> None:
        """A step of Adam up the policy gradient, with an entropy bonus."""
        self._net.descend(policy_loss(self._logits(x), actions, gains, _TRY * bonus))

    def _logits(self, x: Floats) -> Any:  # noqa: ANN401 - a tensor
        slots = x.reshape(len(x), SLOTS, -1)
        return self._net(np.pad(slots, ((0, 0), (0, 1), (0, 0))))[:, :, 0]


class NumberPolicy:
    """A transformer over the givens and the family, where the mean of the answer's logarithm is read."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._net = Reader(physics.SLOTS + 1, physics.SLOTS + len(physics.FAMILIES), 1, _seed(rng))
        self._wide = load_torch().nn.Parameter(load_torch().zeros(1, device=self._net.device))
        self._net.optimiser.add_param_group({"params": [self._wide]})

    @property
    def spread(self) -> float:
        """The standard deviation of what is said."""
        return physics.LEAST_SPREAD + math.exp(float(self._wide.detach()))

    def means(self, x: Floats) -> Floats:
        """The mean for each row."""
        with load_torch().no_grad():
            return np.asarray(self._said(x).double().cpu().numpy())

    def step(self, x: Floats, at_mean: Floats, at_spread: float, rate: float) -> None:
        """A step of Adam up these slopes."""
        for group in self._net.optimiser.param_groups:
            group["lr"] = rate / 10
        torch = load_torch()
        slopes = torch.as_tensor(at_mean, device=self._net.device).float()
        self._net.descend(-(self._said(x) * slopes).sum() - at_spread * self._wide.sum())

    def _said(self, x: Floats) -> Any:  # noqa: ANN401 - a tensor
        rows = np.zeros((len(x), physics.SLOTS + 1, x.shape[1]))
        for slot in range(physics.SLOTS):
            rows[:, slot, slot] = x[:, slot]
        rows[:, -1, physics.SLOTS :] = x[:, physics.SLOTS :]
        return self._net(rows)[:, -1, 0]


HACKLAB_TRANSFORMER = replace(
    hacklab.HACKLAB,
    name="hacklab-transformer",
    title="Hack lab with a transformer: what a white-box monitor sees of its hacks",
    run=lambda arm, seed, quick: hacklab.run_seed(arm, seed, quick, HackPolicy, _times(0.4)),
    write_study=lambda path, seed, quick: hacklab.write_flagged(path, seed, quick, HackPolicy, _times(0.4)),
    needs="torch",
    unsaid=(
        "Whether large models carry such features: this is a transformer of two layers, with two hacks built in.",
        *hacklab.HACKLAB.unsaid[1:],
        _NEVER_RUN,
    ),
)
ASKING_TRANSFORMER = replace(
    asking.ASKING,
    name="asking-transformer",
    title="Proactive questions with a transformer: does it learn to ask exactly where something is missing?",
    source="PPP (arXiv:2511.02208), as a transformer of two layers instead of a 36B model",
    run=lambda arm, seed, quick: asking.run_seed(arm, seed, quick, AskingPolicy, _times(0.4)),
    needs="torch",
    unsaid=(*asking.ASKING.unsaid, _NEVER_RUN),
)
PHYSICS_TRANSFORMER = replace(
    physics.PHYSICS,
    name="physics-transformer",
    title="Questions out of a physics engine, filtered for shortcuts, answered by a transformer",
    run=lambda arm, seed, quick: physics.run_seed(arm, seed, quick, NumberPolicy, _times(0.1)),
    needs="mujoco and torch",
    unsaid=(*physics.PHYSICS.unsaid, _NEVER_RUN),
)
"""The same arms and claims as `hacklab`, `asking` and `physics`."""
