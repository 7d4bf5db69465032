"""Guided self-play with transformers: the Solver reads a chain of operations and says an entry at each place, the
Conjecturer reads a target and says what kind of problem to ask.

Problems, rewards and Guide are those of `_selfplay.py`; only the two tables of logits become networks, which share what
they learn between operations and places, and may forget. On a machine with CUDA they are larger.

Source: SGS, arXiv:2604.20209.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._selfplay import (
    LENGTHS,
    OPS,
    ROLLOUTS,
    SELFPLAY,
    UNCONDITIONED,
    VALUES,
    Floats,
    Ints,
    Play,
    play_game,
)
from honestly.recipes._transformer import Reader, load_torch, on_cuda, policy_loss, softmax

_LONGEST = 7


@dataclass(slots=True)
class TransformerPlay(Play):
    """One run whose Solver and Conjecturer are transformers."""

    seed: int = 0
    solver: Reader = field(init=False)
    conjecturer: Reader = field(init=False)

    def __post_init__(self) -> None:
        self.solver = Reader(_LONGEST, OPS + 1, VALUES[1], self.seed)
        self.conjecturer = Reader(_LONGEST, OPS + 1, len(LENGTHS) + 1, self.seed + 1)

    def rollouts(self, chains: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """What the Solver says, (n, rollouts, longest), and where the whole trace is right, (n, rollouts)."""
        real = chains[:, 0] >= 0  # a convoluted problem has no operations
        chances = np.full((*chains.shape, VALUES[1]), 1 / VALUES[1])
        if real.any():
            with load_torch().no_grad():
                chances[real] = softmax(self._entries(chains[real]))
        ends = np.cumsum(np.nan_to_num(chances), axis=-1)
        drawn = self.rng.random((len(chains), ROLLOUTS, chains.shape[1], 1))
        said = (drawn > ends[:, None, :, :-1]).sum(axis=-1)
        right = (said == self.answers[chains][:, None, :]) | (chains < 0)[:, None, :]
        return said, right.all(axis=-1)

    def learn(self, chains: Ints, said: Ints, right: NDArray[np.bool_]) -> None:
        """Raise the likelihood of correct rollouts of problems that are solved at most half of the time."""
        torch = load_torch()
        rows, samples = np.nonzero(right & (right.mean(axis=1) <= 0.5)[:, None])
        if rows.size:
            logits = self._entries(chains[rows])
            wanted = torch.as_tensor(np.where(chains[rows] < 0, -100, said[rows, samples]), device=logits.device)
            self.solver.descend(torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted))

    def _entries(self, chains: Ints) -> Any:  # noqa: ANN401 - a tensor
        possible = np.where(chains[..., None] < 0, 0.0, self.logits[chains])
        return self.solver(_one_hot(chains)) + load_torch().as_tensor(possible, device=self.solver.device).float()

    def kind_chances(self, targets: Ints) -> Floats:
        """The probability of each kind for each of these targets, shape (n, kinds)."""
        with load_torch().no_grad():
            return softmax(self._kinds(targets))

    def teach(self, unsolved: Ints, kinds: Ints, reward: Floats) -> None:
        """REINFORCE with the mean of the batch as baseline."""
        self.conjecturer.descend(policy_loss(self._kinds(unsolved), kinds, reward - reward.mean(), 0.0))

    def _kinds(self, targets: Ints) -> Any:  # noqa: ANN401 - a tensor
        read = self.targets[targets]
        return self.conjecturer(_one_hot(np.full_like(read, -1) if self.arm == UNCONDITIONED else read))[:, 0]


def _one_hot(chains: Ints) -> NDArray[np.float32]:
    return np.eye(OPS + 1, dtype=np.float32)[np.where(chains < 0, OPS, chains)]


def run_seed(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Whether each target was ever solved, and how the Conjecturer ended."""
    size = (40, 10) if quick else (240, 250 if on_cuda() else 25)
    return play_game(arm, seed, size, partial(TransformerPlay, seed=seed))


SELFPLAY_TRANSFORMER = replace(
    SELFPLAY,
    name="selfplay-transformer",
    title="Guided self-play with a transformer as Solver, and one as Conjecturer",
    source="SGS (arXiv:2604.20209), as transformers of two layers that look entries up and choose problems",
    run=run_seed,
    needs="torch",
    unsaid=(*SELFPLAY.unsaid[:3], "The configuration for a GPU (25 million weights) was never run."),
)
"""The same arms and claims as `selfplay`."""
