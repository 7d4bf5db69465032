"""Loss spikes of a tiny mixture of experts, and what keeps them from coming back after a roll-back.

Two words are added up, a router picks one of four SwiGLU experts, and what that says, times the router's probability,
is added to the residual stream. A bias keeps the loads of the experts alike, as DeepSeek-V3's does; a tenth of the
labels is noise. The learning rate is so high that the loss spikes. At the first spike that `StabilityWatch` sees, the
weights of a checkpoint before it come back, and the run goes on with other batches: as it was; with the linear part and
the gate of the experts clamped at 10 (the gate from above alone); with routing by weights that are 20 steps old; or, as
a control that must help, with a third of the learning rate. The spike comes again if the watch sees one in 300 steps.
"""

import copy
from collections import deque
from functools import cache

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.recipes._recipe import Recipe, RecipeClaim
from honestly.train import Reading, StabilityWatch

Floats = NDArray[np.float64]
Weights = list[Floats]
WORDS, WIDTH, HIDDEN, EXPERTS, BATCH = 11, 16, 16, 4, 64
RATE, LONGEST, AFTER, OLD, LIMIT = 0.45, 1500, 300, 20, 10.0
"""Learning rate; steps without a spike after which a run ends; steps after a roll-back; age of routing; clamp."""
ALONE, CLAMP, STALE, SLOWER = "roll-back alone", "with clamp", "with stale routing", "with a third of the rate"
RUNS = 4
_ROWS, _PLACES = np.arange(BATCH), np.array([0, WORDS])


def first_weights(rng: np.random.Generator) -> Weights:
    """Embeddings, router, linear part, gate and way down of the experts, and unembedding."""
    shapes = ((2 * WORDS, WIDTH), (WIDTH, EXPERTS), (EXPERTS, WIDTH, HIDDEN), (EXPERTS, WIDTH, HIDDEN),
              (EXPERTS, HIDDEN, WIDTH), (WIDTH, WORDS))  # fmt: skip
    return [rng.normal(0, 0.5 if not at else shape[-2] ** -0.5, shape) for at, shape in enumerate(shapes)]


def batch_gradients(
    weights: Weights,
    words: NDArray[np.int64],
    right: NDArray[np.int64],
    bias: Floats,
    *,
    clamp: float = 0.0,
    routing: Weights | None = None,
) -> tuple[float, Weights, float, Floats]:
    """Loss of a batch, its slopes, the largest activation, and the share of each expert.

    Args:
        weights: of the model.
        words: shape (batch, 2), those of the second place counted on.
        right: what should be said, shape (batch,).
        bias: of experts, in picking alone, shape (experts,).
        clamp: of linear part and gate; 0 for none.
        routing: weights whose embeddings and router pick the experts; the model's own if None.
    """
    embed, router, linear, gate, down, out = weights
    x = embed[words].sum(axis=1)
    raised = np.exp(x @ router - (x @ router).max(axis=1, keepdims=True))
    chances = raised / raised.sum(axis=1, keepdims=True)
    picker = x @ router if routing is None else routing[0][words].sum(axis=1) @ routing[1]
    expert = (picker + bias).argmax(axis=1)
    chance = chances[_ROWS, expert]
    lin, gat = (np.einsum("bd,bdh->bh", x, each[expert]) for each in (linear, gate))
    kept = np.clip(lin, -clamp, clamp) if clamp else lin
    opened = np.minimum(gat, clamp) if clamp else gat
    sigmoid = 1 / (1 + np.exp(-np.clip(opened, -40, 40)))
    silu = opened * sigmoid
    said = np.einsum("bh,bhd->bd", kept * silu, down[expert])
    stream = x + chance[:, None] * said
    logits = stream @ out
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    error = raised / raised.sum(axis=1, keepdims=True)
    loss = float(-np.log(np.maximum(error[_ROWS, right], 1e-30)).mean())
    error[_ROWS, right] -= 1
    error /= BATCH
    at_stream = error @ out.T
    at_said = at_stream * chance[:, None]
    at_hidden = np.einsum("bd,bhd->bh", at_said, down[expert])
    at_lin = at_hidden * silu
    at_gate = at_hidden * kept * (sigmoid + opened * sigmoid * (1 - sigmoid))
    if clamp:
        at_lin, at_gate = at_lin * (np.abs(lin) < clamp), at_gate * (gat < clamp)
    at_chance = (at_stream * said).sum(axis=1) * chance
    at_router = -chances * at_chance[:, None]
    at_router[_ROWS, expert] += at_chance
    at_x = at_stream + at_router @ router.T
    at_x += np.einsum("bh,bdh->bd", at_lin, linear[expert]) + np.einsum("bh,bdh->bd", at_gate, gate[expert])
    found = [np.zeros_like(each) for each in weights]
    np.add.at(found[0], words, at_x[:, None, :])
    found[1], found[5] = x.T @ at_router, stream.T @ error
    for at in range(EXPERTS):
        own = expert == at
        found[2][at], found[3][at] = x[own].T @ at_lin[own], x[own].T @ at_gate[own]
        found[4][at] = (kept * silu)[own].T @ at_said[own]
    share = np.bincount(expert, minlength=EXPERTS) / BATCH
    return loss, found, float(max(np.abs(lin).max(), np.abs(gat).max())), share


class Run:
    """A run of training with momentum and clipped gradients, as it is now, and its watch."""

    def __init__(self, seed: tuple[int, ...]) -> None:
        self.rng = np.random.default_rng(seed)
        self.weights = first_weights(self.rng)
        self.speed = [np.zeros_like(each) for each in self.weights]
        self.bias = np.zeros(EXPERTS)
        self.watch = StabilityWatch()
        self.step = 0
        self.loss = self.largest = 0.0

    def go(self, rate: float, clamp: float = 0.0, routing: Weights | None = None) -> bool:
        """One step; whether the watch sees a spike at it."""
        words = self.rng.integers(0, WORDS, (BATCH, 2))
        right = (words[:, 0] * words[:, 1] + words[:, 0]) % WORDS
        right = np.where(self.rng.random(BATCH) < 0.1, self.rng.integers(0, WORDS, BATCH), right)
        self.loss, found, self.largest, share = batch_gradients(
            self.weights, words + _PLACES, right, self.bias, clamp=clamp, routing=routing
        )
        self.bias = self.bias + 0.01 * np.sign(1 / EXPERTS - share)
        norm = float(np.sqrt(sum((each**2).sum() for each in found)))
        rate *= min(1.0, (self.step + 1) / 100) / max(1.0, norm)
        for at, each in enumerate(found):
            self.speed[at] = 0.9 * self.speed[at] + each * rate
            self.weights[at] = self.weights[at] - self.speed[at]
        events = self.watch.read(Reading(self.step, {"loss": self.loss, "grad_norm": norm}))
        self.step += 1
        return any(event.state in {"spike", "recurring", "diverged"} for event in events)


Checkpoint = tuple[Weights, Weights, int]
"""Weights, their momentum, and the step."""


@cache
def first_spike(seed: int, run: int) -> tuple[Run, Checkpoint] | None:
    """A run at its first spike, and a checkpoint of 25 to 75 steps before; None where none comes."""
    made = Run((seed, run, 9))
    kept: list[Checkpoint] = []
    while made.step < LONGEST:
        if made.step % 50 == 0:
            kept.append((list(made.weights), list(made.speed), made.step))
        if made.go(RATE):
            before = [each for each in kept if each[2] <= made.step - 25]
            return (made, before[-1]) if before else None
    return None


def spike_recurs(arm: str, run: Run, checkpoint: Checkpoint, rng: np.random.Generator) -> tuple[bool, float, float]:
    """Whether the spike comes again after the roll-back; the mean loss of the steps, and the largest activation."""
    again = copy.deepcopy(run)
    again.weights, again.speed, again.step = list(checkpoint[0]), list(checkpoint[1]), checkpoint[2]
    again.rng = rng
    old: deque[Weights] = deque(maxlen=OLD)
    came, losses, largest = False, [], 0.0
    for _ in range(AFTER):
        old.append(list(again.weights))
        routing = old[0] if arm == STALE else None
        came |= again.go(RATE / 3 if arm == SLOWER else RATE, LIMIT if arm == CLAMP else 0.0, routing)
        losses.append(again.loss)
        largest = max(largest, again.largest)
    return came, float(np.mean(losses)), largest


def run_seed(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Whether the spike comes again in each of some runs, and what else was seen."""
    scores, losses, largest, runs = dict[str, float](), [], [], 0
    while len(scores) < (1 if quick else RUNS) and runs < 20:
        if (found := first_spike(seed, runs)) is not None:
            made, checkpoint = found
            came, loss, most = spike_recurs(arm, made, checkpoint, np.random.default_rng([seed, runs, 10]))
            scores[f"run-{len(scores)}"] = float(came)
            losses.append(loss)
            largest.append(most)
        runs += 1
    if not scores:
        raise StatisticsError(f"seed {seed}: no run of {runs} had a spike")
    return scores, {
        "mean loss after": float(np.mean(losses)),
        "largest activation after": float(np.mean(largest)),
        "share of runs with a spike": len(scores) / runs,
    }


SPIKES = Recipe(
    name="spikes",
    title="Loss spikes of a mixture of experts: does a roll-back keep them away?",
    source="DeepSeek-V4's anticipatory routing and SwiGLU clamp, in the small",
    metric="share of spikes that come again within 300 steps after a roll-back",
    arms=(ALONE, CLAMP, STALE, SLOWER),
    run=run_seed,
    lower_is_better=True,
    claims=(
        RecipeClaim("After a roll-back alone, more spikes come again than not.", ALONE, 0.5),
        RecipeClaim("With the clamp fewer come again.", ALONE, CLAMP),
        RecipeClaim("With stale routing fewer come again.", ALONE, STALE),
        RecipeClaim("With a third of the learning rate fewer come again (control).", ALONE, SLOWER),
        RecipeClaim("The clamp costs less than 0.05 of loss.", CLAMP, ALONE, "mean loss after", within=0.05),
    ),
    unsaid=(
        "Whether large models spike for the same reason: here the learning rate is made too high.",
        "What a lever costs in time, and what it does over more than 300 steps.",
    ),
)
