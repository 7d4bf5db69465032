"""A small transformer for recipes that need PyTorch, and a large one where the machine has CUDA."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honestly.errors import HonestlyError

Floats = NDArray[np.float64]


def load_torch() -> Any:  # noqa: ANN401 - imported where it is needed, which types do not see
    """PyTorch, where it is installed.

    Raises:
        HonestlyError: It is not.
    """
    try:
        import torch
    except ImportError as error:
        raise HonestlyError("this recipe needs PyTorch: pip install 'honestly[train]'") from error
    torch.set_num_threads(1)  # of models this small, threads wait for each other
    return torch


@dataclass(frozen=True, slots=True)
class TransformerSize:
    """How large a transformer is, and where it lies."""

    layers: int
    width: int
    heads: int
    device: str = "cpu"

    def encoder(self) -> Any:  # noqa: ANN401 - a network
        """Layers that norm first, without dropout."""
        torch = load_torch()
        layer = torch.nn.TransformerEncoderLayer(
            self.width, self.heads, 4 * self.width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        return torch.nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False)


ON_CPU, ON_CUDA = TransformerSize(2, 48, 3), TransformerSize(8, 512, 8, "cuda")


def on_cuda() -> bool:
    """Whether recipes run in their configuration for a GPU."""
    return bool(load_torch().cuda.is_available())


class Reader:
    """A transformer that reads rows of features, one for each place, and says something at each place."""

    def __init__(self, places: int, features: int, outputs: int, seed: int, rate: float = 1e-3) -> None:
        torch = load_torch()
        torch.manual_seed(seed)
        size = ON_CUDA if on_cuda() else ON_CPU
        self.device = size.device
        self.net = torch.nn.ModuleDict(
            {
                "features": torch.nn.Linear(features, size.width),
                "places": torch.nn.Embedding(places, size.width),
                "layers": size.encoder(),
                "said": torch.nn.Linear(size.width, outputs),
            }
        ).to(self.device)
        torch.nn.init.normal_(self.net["features"].weight)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=rate)

    def stream(self, x: NDArray[np.generic]) -> Any:  # noqa: ANN401 - a tensor
        """The residual stream after the last layer, shape (n, places, width), of x, shape (n, places, features)."""
        torch = load_torch()
        rows = torch.as_tensor(np.asarray(x, dtype=np.float32), device=self.device)
        places = self.net["places"](torch.arange(rows.shape[1], device=self.device))
        return self.net["layers"](self.net["features"](rows) + places)

    def __call__(self, x: NDArray[np.generic]) -> Any:  # noqa: ANN401 - a tensor
        """What is said, shape (n, places, outputs)."""
        return self.net["said"](self.stream(x))

    def descend(self, loss: Any) -> None:  # noqa: ANN401 - a tensor
        """A step of Adam down a loss."""
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()


def softmax(logits: Any) -> Floats:  # noqa: ANN401 - a tensor
    """Probabilities over the last axis, as an array."""
    torch = load_torch()
    return np.asarray(torch.softmax(logits.detach().double(), dim=-1).cpu().numpy())


def policy_loss(logits: Any, actions: NDArray[np.int64], gains: Floats, bonus: float) -> Any:  # noqa: ANN401 - tensors
    """What REINFORCE with an entropy bonus goes down, over logits of shape (n, actions)."""
    torch = load_torch()
    logs = torch.log_softmax(logits, dim=-1)
    said = logs.gather(1, torch.as_tensor(actions, device=logits.device)[:, None])[:, 0]
    entropy = -(logs.exp() * logs).sum(dim=1)
    return -(said * torch.as_tensor(gains, device=logits.device).float() + bonus * entropy).mean()
