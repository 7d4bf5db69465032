"""Guided self-play with a transformer as Solver: it reads the chain of operations, and says an entry at each place.

Problems, rewards, Conjecturer and Guide are those of `_selfplay.py`; only the table of logits becomes a network, which
shares what it learns between operations and places, and may forget. On a machine with CUDA it is larger.

Source: SGS, arXiv:2604.20209.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._selfplay import OPS, ROLLOUTS, SELFPLAY, VALUES, Ints, Play, play_game
from honestly.recipes._ssd_transformer import load_torch

_LONGEST = 7
_RATE = 1e-3


@dataclass(slots=True)
class TransformerPlay(Play):
    """One run whose Solver is a transformer."""

    seed: int = 0
    net: Any = field(init=False)
    optimiser: Any = field(init=False)

    def __post_init__(self) -> None:
        torch = load_torch()
        torch.manual_seed(self.seed)
        self.net = _solver("cuda" if torch.cuda.is_available() else "cpu")
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=_RATE)

    def _logits(self, chains: Ints) -> Any:  # noqa: ANN401 - tensors
        torch = load_torch()
        device = next(self.net.parameters()).device
        ops = torch.as_tensor(np.where(chains < 0, OPS, chains), device=device)
        places = self.net["places"](torch.arange(ops.shape[1], device=device))
        read = self.net["layers"](self.net["ops"](ops) + places, src_key_padding_mask=ops == OPS)
        possible = torch.as_tensor(np.where(chains[..., None] < 0, 0.0, self.logits[chains]), device=device)
        return self.net["said"](read) + possible.float()

    def rollouts(self, chains: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """What the Solver says, (n, rollouts, longest), and where the whole trace is right, (n, rollouts)."""
        torch = load_torch()
        with torch.no_grad():
            real = chains[:, 0] >= 0  # a convoluted problem has no operations
            chances = np.full((*chains.shape, VALUES[1]), 1 / VALUES[1])
            if real.any():
                chances[real] = torch.softmax(self._logits(chains[real]).double(), dim=-1).cpu().numpy()
        ends = np.cumsum(np.nan_to_num(chances), axis=-1)
        drawn = self.rng.random((len(chains), ROLLOUTS, chains.shape[1], 1))
        said = (drawn > ends[:, None, :, :-1]).sum(axis=-1)
        right = (said == self.answers[chains][:, None, :]) | (chains < 0)[:, None, :]
        return said, right.all(axis=-1)

    def learn(self, chains: Ints, said: Ints, right: NDArray[np.bool_]) -> None:
        """Raise the likelihood of correct rollouts of problems that are solved at most half of the time."""
        torch = load_torch()
        rows, samples = np.nonzero(right & (right.mean(axis=1) <= 0.5)[:, None])
        if not rows.size:
            return
        logits = self._logits(chains[rows])
        wanted = torch.as_tensor(np.where(chains[rows] < 0, -100, said[rows, samples]), device=logits.device)
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()


def _solver(device: str) -> Any:  # noqa: ANN401 - a network
    torch = load_torch()
    layers, width, heads = (8, 512, 8) if device == "cuda" else (2, 48, 3)
    layer = torch.nn.TransformerEncoderLayer(
        width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    return torch.nn.ModuleDict(
        {
            "ops": torch.nn.Embedding(OPS + 1, width),
            "places": torch.nn.Embedding(_LONGEST, width),
            "layers": torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False),
            "said": torch.nn.Linear(width, VALUES[1]),
        }
    ).to(device)


def run(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Whether each target was ever solved, and how the Conjecturer ended."""
    size = (40, 10) if quick else (240, 25)
    return play_game(arm, seed, size, partial(TransformerPlay, seed=seed))


SELFPLAY_TRANSFORMER = replace(
    SELFPLAY,
    name="selfplay-transformer",
    title="Guided self-play with a transformer as Solver",
    source="SGS (arXiv:2604.20209), as a transformer of two layers that looks entries up",
    run=run,
    needs="torch",
    unsaid=(
        *SELFPLAY.unsaid[:3],
        "The Conjecturer is a table still. The configuration for a GPU (25 million weights) was never run.",
    ),
)
"""The same arms and claims as `selfplay`."""
