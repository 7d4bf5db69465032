"""Simple self-distillation over an executable language: sample, fine-tune on what was sampled unfiltered, decode.

A task gives a number and a target, both modulo `SIZE`. A program is a row of steps, each an operation, a digit and the
value that results, and ends with `end`; it passes where an interpreter finds every value right and the last one the
target. Values are *locks*: one is right. Operations and digits are *forks*: several lead on. The model, a network of
one hidden layer, sees the value, the target, the step and what of it is written; it is trained on random programs,
whose target is where they ended, and may put any word anywhere, so that locks have a tail of distractors. It is no
transformer, and sees a state where a transformer sees a text.

`closed_form` is the paper's toy system, in which a root, a fork and three locks have given probabilities.

Source: arXiv:2604.01193. Order of a decoder: temper, then top-p on what is tempered (`before=False`); min-p and
truncate-then-temper are decoders that the paper does not try.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._recipe import Recipe, RecipeClaim

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SIZE, DIGITS, STEPS, HIDDEN = 23, 9, 4, 96
OPS = 3
END = OPS
"""The word that ends a program; operations come before it, digits and values after it."""
WORDS = OPS + 1 + DIGITS + SIZE
FEATURES = 3 + 2 * SIZE + OPS + 1 + DIGITS + 1 + STEPS


@dataclass(frozen=True, slots=True)
class Decoder:
    """Temperature and truncation; `before` truncates the probabilities as they are, and tempers then."""

    temperature: float = 1.0
    top_p: float = 1.0
    min_p: float = 0.0
    before: bool = False

    def __call__(self, chances: Floats) -> Floats:
        """The probabilities that are sampled from, shape (n, words)."""
        if self.before:
            return tempered_chances(self._cut(chances), self.temperature)
        return self._cut(tempered_chances(chances, self.temperature))

    def _cut(self, chances: Floats) -> Floats:
        kept = chances >= self.min_p * chances.max(axis=1, keepdims=True)
        if self.top_p < 1:
            order = np.argsort(-chances, axis=1, kind="stable")
            ranked = np.take_along_axis(chances, order, axis=1)
            inside = np.cumsum(ranked, axis=1) - ranked < self.top_p  # the smallest prefix with that mass
            prefix = np.zeros_like(kept)
            np.put_along_axis(prefix, order, inside, axis=1)
            kept &= prefix
        cut = np.where(kept, chances, 0.0)
        return np.asarray(cut / cut.sum(axis=1, keepdims=True))


def tempered_chances(chances: Floats, temperature: float) -> Floats:
    """Probabilities to the power of 1/temperature, scaled to 1 again; what is 0 stays 0."""
    raised = np.where(chances > 0, np.maximum(chances, 1e-300) / chances.max(axis=1, keepdims=True), 0.0)
    raised = raised ** (1 / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _toy_state(head: list[float], ratio: float) -> Floats:
    """Probabilities of sixteen words: a head, and a geometric tail of what is left."""
    tail = ratio ** np.arange(12)
    return np.concatenate([head, (1 - sum(head)) * tail / tail.sum()])


TOY = {
    "root": _toy_state([0.2, 0.19, 0.329, 0.126], 0.7),
    "fork": _toy_state([0.148, 0.28, 0.14, 0.144], 0.4963),
    "lock": _toy_state([0.75, 0.055, 0.05, 0.037], 0.7544),
}
"""The paper's toy system (appendix C.4), which prints the heads; the ratios of the tails of fork and lock give the
entropies that it prints (2.81 and 1.61 bits), that of the root changes nothing."""
TOY_TAUGHT = {name: Decoder(0.9, top_p=0.85)(chances[None])[0] for name, chances in TOY.items()}
"""The same after SSD at T 0.9 and top-p 0.85, fitted exactly."""


def toy_success(states: dict[str, Floats], decoder: Decoder) -> float:
    """The probability to take one of two right words at the root, the right one at a fork, and at three locks."""
    root, fork, lock = (decoder(states[name][None])[0] for name in ("root", "fork", "lock"))
    return float((root[0] + root[1]) * fork[0] * lock[0] ** 3)


def best_decoder(states: dict[str, Floats], decoders: Iterable[Decoder]) -> tuple[float, Decoder]:
    """The highest success in the toy system, and by which decoder."""
    return max(((toy_success(states, each), each) for each in decoders), key=lambda each: each[0])


@lru_cache(maxsize=1)
def closed_form() -> dict[str, dict[str, float]]:
    """The best success of base and SSD in the paper's toy system, by the decoders that are tried."""
    heats = np.linspace(0.05, 2.5, 300)
    tried = {
        "toy, best T at top-p 0.8": [Decoder(t, top_p=0.8) for t in heats],
        "toy, best T and top-p": [Decoder(t, top_p=p) for t in heats[::3] for p in np.arange(0.05, 1.01, 0.01)],
        "toy, best truncate-then-temper": [
            Decoder(t, min_p=m, before=True) for t in (0.5, 1.0, 1.5, 2.0) for m in np.arange(0.0, 0.99, 0.01)
        ],
    }
    found: dict[str, dict[str, float]] = {BASE: {}, SSD: {}}
    for arm, states in ((BASE, TOY), (SSD, TOY_TAUGHT)):
        for name, decoders in tried.items():
            found[arm][name], best = best_decoder(states, decoders)
            if name == "toy, best T at top-p 0.8":
                found[arm]["toy, that T"] = best.temperature
    return found


class Model:
    """Next-word probabilities from a state; Adam on cross-entropy."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.weights = [
            rng.normal(0, 0.3, (FEATURES, HIDDEN)), np.zeros(HIDDEN),
            rng.normal(0, HIDDEN**-0.5, (HIDDEN, WORDS)), np.zeros(WORDS),
        ]  # fmt: skip

    def chances(self, x: Floats) -> Floats:
        """Probabilities of the next word, shape (n, words)."""
        logits = np.maximum(x @ self.weights[0] + self.weights[1], 0) @ self.weights[2] + self.weights[3]
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def trained(self, x: Floats, words: Ints, epochs: int, rate: float, rng: np.random.Generator) -> "Model":
        """A copy that was fitted to these next words; the rate falls to zero."""
        model = Model(rng)
        model.weights = [each.copy() for each in self.weights]
        moments = [[np.zeros_like(each) for each in model.weights] for _ in range(2)]
        batch, step = 256, 0
        total = epochs * (len(x) // batch)
        for _ in range(epochs):
            order = rng.permutation(len(x))
            for at in range(len(x) // batch):
                rows = order[at * batch : (at + 1) * batch]
                hidden = np.maximum(x[rows] @ model.weights[0] + model.weights[1], 0)
                logits = hidden @ model.weights[2] + model.weights[3]
                raised = np.exp(logits - logits.max(axis=1, keepdims=True))
                down = raised / raised.sum(axis=1, keepdims=True)
                down[np.arange(batch), words[rows]] -= 1
                down /= batch
                back = down @ model.weights[2].T * (hidden > 0)
                step += 1
                slopes = (x[rows].T @ back, back.sum(axis=0), hidden.T @ down, down.sum(axis=0))
                for place, slope in enumerate(slopes):
                    moments[0][place] += 0.1 * (slope - moments[0][place])
                    moments[1][place] += 0.05 * (slope**2 - moments[1][place])
                    scale = np.sqrt(moments[1][place] / (1 - 0.95**step)) + 1e-8
                    model.weights[place] -= (
                        rate * (1 - step / (total + 1)) * moments[0][place] / (1 - 0.9**step) / scale
                    )
        return model


def word_states(kind: Ints, value: Ints, target: Ints, op: Ints, digit: Ints, step: Ints) -> Floats:
    """What the model sees: the kind of word that comes next (0 operation, 1 digit, 2 value), and the rest one-hot."""
    x = np.zeros((len(value), FEATURES))
    rows, at = np.arange(len(value)), 0
    for column, size in ((kind, 3), (value, SIZE), (target, SIZE), (op, OPS + 1), (digit, DIGITS + 1), (step, STEPS)):
        x[rows, at + column] = 1
        at += size
    return x


def executed_value(value: Ints, op: Ints, digit: Ints) -> Ints:
    """The value after an operation: plus, minus or times a digit from 1 to 9."""
    return np.asarray(np.choose(op, [value + digit, value - digit, value * digit]) % SIZE)


def peoples_programs(rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
    """States and next words of random programs of one to three steps, whose target is where they ended."""
    x, words = [], []
    length = rng.integers(1, STEPS, n)
    ops, digits = rng.integers(0, OPS, (n, STEPS)), rng.integers(1, DIGITS + 1, (n, STEPS))
    values = [rng.integers(0, SIZE, n)]
    for step in range(STEPS - 1):
        values.append(np.where(step < length, executed_value(values[-1], ops[:, step], digits[:, step]), values[-1]))
    target, nothing = values[-1], np.full(n, OPS)
    for step in range(STEPS):
        now, then = step < length, step == length
        op, digit, steps = ops[:, step], digits[:, step], np.full(n, step)
        value, after = values[min(step, STEPS - 1)], values[min(step + 1, STEPS - 1)]
        zero = np.zeros(n, dtype=np.int64)
        for kind, written, said, rows in (
            (0, (nothing, zero), np.where(then, END, op), now | then),
            (1, (op, zero), OPS + digit, now),
            (2, (op, digit), OPS + 1 + DIGITS + after, now),
        ):
            x.append(word_states(np.full(n, kind), value, target, written[0], written[1], steps)[rows])
            words.append(said[rows])
    return np.concatenate(x), np.concatenate(words)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a model wrote: states, words, of which program each is, and which programs pass."""

    x: Floats
    words: Ints
    rows: Ints
    passed: NDArray[np.bool_]


def sampled_programs(model: Model, tasks: tuple[Ints, Ints], decoder: Decoder, rng: np.random.Generator) -> Sampled:
    """One program for each task. A wrong value is written on as it stands, as a model reads its own text."""
    value, target = tasks[0].copy(), tasks[1]
    n = len(value)
    going, sound, done = np.ones(n, dtype=bool), np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    op, digit = np.full(n, OPS), np.zeros(n, dtype=np.int64)
    x, words, rows = [], [], []
    for step, kind in product(range(STEPS), range(3)):
        at = np.flatnonzero(going)
        if not at.size:
            break
        seen = word_states(np.full(at.size, kind), value[at], target[at], op[at], digit[at], np.full(at.size, step))
        ends = np.cumsum(decoder(model.chances(seen)), axis=1)
        said = np.minimum((rng.random((at.size, 1)) * ends[:, -1:] >= ends).sum(axis=1), WORDS - 1)
        x.append(seen)
        words.append(said)
        rows.append(at)
        if kind == 0:
            done[at] = (said == END) & sound[at] & (value[at] == target[at])
            going[at] = said < OPS
            op[at] = np.minimum(said, OPS)
        elif kind == 1:
            going[at] = (said > OPS) & (said <= OPS + DIGITS)
            digit[at] = np.clip(said - OPS, 0, DIGITS)
        else:
            going[at] = said > OPS + DIGITS
            after = np.maximum(said - OPS - 1 - DIGITS, 0)
            sound[at] &= after == executed_value(value[at], np.minimum(op[at], OPS - 1), digit[at])
            value[at], op[at], digit[at] = after, OPS, 0
    return Sampled(np.concatenate(x), np.concatenate(words), np.concatenate(rows), done)


BASE, SSD, BASE_BEST, SSD_BEST = "base", "SSD", "base, best decoder", "SSD, best decoder"
FIXED_POINT, HOT, COLD = "fixed point (T 1, nothing cut)", "hot (T 2, nothing cut)", "cold (T 0.7, top-p 0.6)"
SHUFFLED = "SSD, shuffled targets"
FIXED = Decoder(0.7, top_p=0.8)
TRAINED_AT = {SSD: Decoder(1.6, top_p=0.8), FIXED_POINT: Decoder(), HOT: Decoder(2.0), COLD: Decoder(0.7, top_p=0.6)}
GRID = [
    *(Decoder(t, top_p=p) for t, p in product((0.2, 0.4, 0.6, 0.8, 1.0, 1.3), (0.4, 0.6, 0.8, 0.9, 1.0))),
    *(Decoder(t, min_p=p) for t, p in product((0.6, 1.0, 1.5), (0.1, 0.3))),
    *(Decoder(t, top_p=p, before=True) for t, p in product((0.7, 1.3, 2.0), (0.6, 0.8))),
]


@lru_cache(maxsize=1)
def base_model(seed: int, quick: bool) -> Model:
    """The model before distillation, the same for all arms of a seed."""
    rng = np.random.default_rng([seed, 11])
    x, words = peoples_programs(rng, 1000 if quick else 6000)
    return Model(rng).trained(x, words, 2 if quick else 12, 0.01, rng)


def distilled_model(seed: int, quick: bool, decoder: Decoder, *, shuffled: bool = False) -> Model:
    """The base model, fine-tuned on one sample for each of some prompts, none of which is looked at."""
    rng = np.random.default_rng([seed, 12])
    base = base_model(seed, quick)
    found = sampled_programs(base, _drawn_tasks(rng, 500 if quick else 4000), decoder, rng)
    words = rng.permutation(found.words) if shuffled else found.words
    return base.trained(found.x, words, 1 if quick else 4, 0.001, rng)


def _drawn_tasks(rng: np.random.Generator, n: int) -> tuple[Ints, Ints]:
    return rng.integers(0, SIZE, n), rng.integers(0, SIZE, n)


def pass_counts(model: Model, seed: int, decoder: Decoder, quick: bool, split: int) -> Ints:
    """How many of sixteen programs pass at each task of a split (0 to tune on, 1 held out), shape (tasks,)."""
    first, last = _drawn_tasks(np.random.default_rng([seed, 13, split]), 50 if quick else 300)
    tasks = np.repeat(first, 16), np.repeat(last, 16)
    found = sampled_programs(model, tasks, decoder, np.random.default_rng([seed, 14, split]))
    return np.asarray(found.passed.reshape(-1, 16).sum(axis=1))


def run_seed(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """pass@1 at each held-out task, pass@5, and entropy at locks and forks."""
    trained_at = TRAINED_AT.get(arm, TRAINED_AT[SSD])
    model = base_model(seed, quick)
    if arm not in (BASE, BASE_BEST):
        model = distilled_model(seed, quick, trained_at, shuffled=arm == SHUFFLED)
    decoder = FIXED
    if arm in (BASE_BEST, SSD_BEST):
        decoder = max(GRID, key=lambda each: pass_counts(model, seed, each, quick, 0).mean())
    counts = pass_counts(model, seed, decoder, quick, 1)
    misses = np.prod([(16 - counts - at) / (16 - at) for at in range(5)], axis=0)  # the unbiased pass@5
    rng = np.random.default_rng([seed, 15])  # the same states for all arms
    seen = sampled_programs(base_model(seed, quick), _drawn_tasks(rng, 300), Decoder(), rng).x
    chances = model.chances(seen)
    entropy = -(chances * np.log(np.maximum(chances, 1e-12))).sum(axis=1)
    measures = {
        "pass@5": float(1 - misses.mean()),
        "entropy at locks, nats": float(entropy[seen[:, 2] == 1].mean()),
        "entropy at forks, nats": float(entropy[seen[:, 2] == 0].mean()),
    }
    measures |= closed_form().get(arm, {})
    if arm in (BASE_BEST, SSD_BEST):
        measures |= {
            "its temperature": decoder.temperature, "its top-p": decoder.top_p, "its min-p": decoder.min_p,
            "it truncates before it tempers": float(decoder.before),
        }  # fmt: skip
    if arm == SSD:  # the phase diagram: what training temperature and truncation do at the fixed decoder
        for temperature, top_p in product((0.7, 1.0, 1.6, 2.0), (0.6, 0.8, 1.0)):
            other = distilled_model(seed, quick, Decoder(temperature, top_p=top_p))
            rate = pass_counts(other, seed, FIXED, quick, 1).mean() / 16
            measures[f"pass@1 trained at T {temperature}, top-p {top_p}"] = float(rate)
    return {f"task-{at}": float(count / 16) for at, count in enumerate(counts)}, measures


_LOCKS, _FORKS = "entropy at locks, nats", "entropy at forks, nats"
SSD_RECIPE = Recipe(
    name="ssd",
    title="Simple self-distillation: does a model get better by its own unfiltered samples?",
    source="SSD (arXiv:2604.01193), as a network of one hidden layer over an executable language",
    metric="pass@1 on held-out tasks (decoder T 0.7, top-p 0.8, where none is said)",
    arms=(BASE, SSD, BASE_BEST, SSD_BEST, FIXED_POINT, HOT, COLD, SHUFFLED),
    run=run_seed,
    claims=(
        RecipeClaim("SSD raises pass@1 at the fixed decoder.", SSD, BASE),
        RecipeClaim("SSD raises pass@5 at the fixed decoder.", SSD, BASE, "pass@5"),
        RecipeClaim("SSD raises pass@1 where both decoders are tuned.", SSD_BEST, BASE_BEST),
        RecipeClaim("SSD at the fixed decoder beats the base model with a tuned one.", SSD, BASE_BEST),
        RecipeClaim("The fixed point changes pass@1 by less than 2 points.", FIXED_POINT, BASE, within=0.02),
        RecipeClaim("Hot sampling without truncation raises pass@1.", HOT, BASE),
        RecipeClaim("Cold sampling with truncation raises pass@1 at the fixed decoder.", COLD, BASE),
        RecipeClaim("Cold sampling beats the base model with a tuned decoder.", COLD, BASE_BEST),
        RecipeClaim("Shuffled targets lower pass@1.", BASE, SHUFFLED),
        RecipeClaim("SSD lowers the entropy at locks.", BASE, SSD, _LOCKS),
        RecipeClaim("SSD keeps the entropy at forks within 0.1 nats.", SSD, BASE, _FORKS, within=0.1),
    ),
    unsaid=(
        "The paper's gain (42.4 to 55.3% on LiveCodeBench v6) is of a 30B model; a small one can mask it.",
        "In the paper's toy system SSD wins at a fixed top-p; a base model that truncates first wins without it.",
        "A transformer was not trained: this model sees a state, and its locks have the tails of a short training.",
        "Top-k, part of the paper's decoders, is left out: there are 36 words.",
    ),
)
