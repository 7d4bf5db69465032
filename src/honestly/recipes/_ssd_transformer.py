"""Simple self-distillation of a small transformer, which reads its program as text; the language is that of `_ssd.py`.

A text is a number, a target, up to three steps of an operation, a digit and the value that results, and `end`. The
transformer is trained on random programs whose target is where they ended, samples one program for each of some
prompts, and is fine-tuned on all of them. On a machine with CUDA the same code trains a larger one.

Source: arXiv:2604.01193.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._ssd import (
    BASE,
    BASE_BEST,
    COLD,
    DIGITS,
    END,
    FIXED,
    FIXED_POINT,
    GRID,
    HOT,
    OPS,
    SHUFFLED,
    SIZE,
    SSD,
    SSD_BEST,
    SSD_RECIPE,
    TRAINED_AT,
    WORDS,
    Decoder,
    executed_value,
)
from honestly.recipes._transformer import ON_CPU, ON_CUDA, TransformerSize, load_torch, on_cuda

Ints = NDArray[np.int64]
MOST_STEPS = 3
PROMPT, LENGTH = 2, 2 + 3 * MOST_STEPS + 1
_VALUE = OPS + 1 + DIGITS
"""The word of the value 0; that of the digit 1 is `OPS + 1`."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the model is, and how long it is trained."""

    model: TransformerSize
    steps: int
    """Of the base model's training; an eighth of it for fine-tuning."""
    prompts: int
    """That one program is sampled for, and fine-tuned on."""
    tasks: int
    """That are held out."""


QUICK, CPU = Size(TransformerSize(1, 16, 2), 30, 200, 20), Size(ON_CPU, 900, 3000, 150)
CUDA = Size(ON_CUDA, 8000, 50_000, 1000)


def chosen_size(quick: bool) -> Size:
    """The configuration for this machine."""
    if quick:
        return QUICK
    return CUDA if on_cuda() else CPU


def random_programs(rng: np.random.Generator, n: int) -> Ints:
    """Texts of programs that are right, padded with `end`, shape (n, LENGTH)."""
    value = rng.integers(0, SIZE, n)
    count = rng.integers(1, MOST_STEPS + 1, n)
    text = np.full((n, LENGTH), END, dtype=np.int64)
    text[:, 0] = _VALUE + value
    for step in range(MOST_STEPS):
        op, digit = rng.integers(0, OPS, n), rng.integers(1, DIGITS + 1, n)
        after = executed_value(value, op, digit)
        now = step < count
        at = PROMPT + 3 * step
        for place, word in enumerate((op, OPS + digit, _VALUE + after)):
            text[now, at + place] = word[now]
        value = np.where(now, after, value)
    text[:, 1] = _VALUE + value
    return text


def passing_texts(text: Ints) -> NDArray[np.bool_]:
    """Which texts are programs whose every value is right and whose last one is the target."""
    value, target = text[:, 0] - _VALUE, text[:, 1] - _VALUE
    sound, done = np.ones(len(text), dtype=bool), np.zeros(len(text), dtype=bool)
    for at in range(PROMPT, LENGTH, 3):
        done |= sound & (text[:, at] == END) & (value == target)
        sound &= text[:, at] < OPS
        if at + 2 >= LENGTH:
            break
        op, digit, after = text[:, at], text[:, at + 1] - OPS, text[:, at + 2] - _VALUE
        sound &= (digit >= 1) & (digit <= DIGITS) & (after >= 0)
        right = executed_value(value, np.clip(op, 0, OPS - 1), np.clip(digit, 1, DIGITS))
        sound &= after == right
        value = np.where(sound, after, value)
    return done


class Transformer:
    """A decoder of text, with learned places."""

    def __init__(self, size: Size, seed: int) -> None:
        torch = load_torch()
        torch.manual_seed(seed)
        self.size = size
        self.net = torch.nn.ModuleDict(
            {
                "words": torch.nn.Embedding(WORDS, size.model.width),
                "places": torch.nn.Embedding(LENGTH, size.model.width),
                "layers": size.model.encoder(),
                "said": torch.nn.Linear(size.model.width, WORDS),
            }
        ).to(size.model.device)
        self.mask = torch.nn.Transformer.generate_square_subsequent_mask(LENGTH).to(size.model.device)

    def logits(self, text: Any) -> Any:  # noqa: ANN401 - tensors
        """Scores of the next word after each word, shape (n, length, words)."""
        torch = load_torch()
        length = text.shape[1]
        seen = self.net["words"](text) + self.net["places"](torch.arange(length, device=text.device))
        return self.net["said"](self.net["layers"](seen, mask=self.mask[:length, :length], is_causal=True))

    def chances(self, text: Ints) -> NDArray[np.float64]:
        """Probabilities of the next word after each text, shape (n, words)."""
        torch = load_torch()
        with torch.no_grad():
            parts = [
                torch.softmax(
                    self.logits(torch.as_tensor(part, device=self.size.model.device))[:, -1].double(), dim=1
                ).cpu()
                for part in np.array_split(text, max(1, len(text) // 4096))
            ]
        return np.asarray(torch.cat(parts).numpy())

    def trained(self, text: Ints, steps: int, rate: float, seed: int) -> "Transformer":
        """A copy that was fitted to these texts after their prompts; the rate falls to zero."""
        torch = load_torch()
        model = Transformer(self.size, seed)
        model.net.load_state_dict(self.net.state_dict())
        given = torch.as_tensor(text, device=self.size.model.device)
        ended = given[:, PROMPT:] == END
        counted = (ended.cumsum(dim=1) - ended.int()) == 0  # the first `end` counts, those behind it do not
        optimiser = torch.optim.AdamW(model.net.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1)
        falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        rng = np.random.default_rng([seed, 21])
        for _ in range(steps):
            rows = torch.as_tensor(rng.integers(0, len(text), 256), device=self.size.model.device)
            said = model.logits(given[rows, :-1])[:, PROMPT - 1 :]
            losses = torch.nn.functional.cross_entropy(said.transpose(1, 2), given[rows, PROMPT:], reduction="none")
            loss = (losses * counted[rows]).sum() / counted[rows].sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
        return model


def written_texts(model: Transformer, prompts: Ints, decoder: Decoder, rng: np.random.Generator) -> Ints:
    """One text for each prompt, shape (n, LENGTH); what is behind the first `end` is `end`."""
    text = np.full((len(prompts), LENGTH), END, dtype=np.int64)
    text[:, :PROMPT] = prompts
    going = np.arange(len(prompts))
    for at in range(PROMPT, LENGTH):
        ends = np.cumsum(decoder(model.chances(text[going, :at])), axis=1)
        said = np.minimum((rng.random((len(going), 1)) * ends[:, -1:] >= ends).sum(axis=1), WORDS - 1)
        text[going, at] = said
        going = going[said != END]
        if not going.size:
            break
    return text


def _prompts(rng: np.random.Generator, n: int) -> Ints:
    return _VALUE + rng.integers(0, SIZE, (n, PROMPT))


@lru_cache(maxsize=1)
def base_model(seed: int, size: Size) -> Transformer:
    """The model before distillation, the same for all arms of a seed."""
    text = random_programs(np.random.default_rng([seed, 11]), 200 * size.steps)
    return Transformer(size, seed).trained(text, size.steps, 3e-3, seed)


def distilled_transformer(seed: int, size: Size, decoder: Decoder, *, shuffled: bool = False) -> Transformer:
    """The base model, fine-tuned on one sample for each of some prompts, none of which is looked at."""
    rng = np.random.default_rng([seed, 12])
    base = base_model(seed, size)
    text = written_texts(base, _prompts(rng, size.prompts), decoder, rng)
    if shuffled:
        text[:, PROMPT:] = rng.permutation(text[:, PROMPT:].ravel()).reshape(len(text), -1)
    return base.trained(text, max(1, size.steps // 8), 3e-4, seed)


def pass_counts(model: Transformer, seed: int, decoder: Decoder, split: int) -> Ints:
    """How many of sixteen programs pass at each task of a split (0 to tune on, 1 held out), shape (tasks,)."""
    tasks = _prompts(np.random.default_rng([seed, 13, split]), model.size.tasks)
    text = written_texts(model, np.repeat(tasks, 16, axis=0), decoder, np.random.default_rng([seed, 14, split]))
    return np.asarray(passing_texts(text).reshape(-1, 16).sum(axis=1))


def _entropies(model: Transformer, text: Ints) -> dict[str, float]:
    found: dict[str, list[float]] = {"locks": [], "forks": []}
    for at in range(PROMPT, LENGTH - 1):
        kind = "locks" if (at - PROMPT) % 3 == 2 else "forks" if (at - PROMPT) % 3 == 0 else ""
        going = (text[:, PROMPT:at] != END).all(axis=1)
        if kind and going.any():
            chances = model.chances(text[going, :at])
            found[kind] += (-(chances * np.log(np.maximum(chances, 1e-12))).sum(axis=1)).tolist()
    return {f"entropy at {kind}, nats": float(np.mean(values)) for kind, values in found.items()}


def run_seed(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """pass@1 at each held-out task, pass@5, and entropy at locks and forks."""
    size = chosen_size(quick)
    base = base_model(seed, size)
    model = base
    if arm not in (BASE, BASE_BEST):
        model = distilled_transformer(seed, size, TRAINED_AT.get(arm, TRAINED_AT[SSD]), shuffled=arm == SHUFFLED)
    decoder = FIXED
    if arm in (BASE_BEST, SSD_BEST):
        grid = GRID[:: 10 if quick else 2]
        decoder = max(grid, key=lambda each: pass_counts(model, seed, each, 0).mean())
    counts = pass_counts(model, seed, decoder, 1)
    misses = np.prod([(16 - counts - at) / (16 - at) for at in range(5)], axis=0)  # the unbiased pass@5
    rng = np.random.default_rng([seed, 15])  # the same states for all arms
    measures = {"pass@5": float(1 - misses.mean())}
    measures |= _entropies(model, written_texts(base, _prompts(rng, 200), Decoder(), rng))
    if arm == SSD:
        for temperature, top_p in product((0.7, 1.6), (0.6, 1.0)):
            other = distilled_transformer(seed, size, Decoder(temperature, top_p=top_p))
            rate = pass_counts(other, seed, FIXED, 1).mean() / 16
            measures[f"pass@1 trained at T {temperature}, top-p {top_p}"] = float(rate)
    return {f"task-{at}": float(count / 16) for at, count in enumerate(counts)}, measures


SSD_TRANSFORMER = replace(
    SSD_RECIPE,
    name="ssd-transformer",
    title="Simple self-distillation of a small transformer",
    source="SSD (arXiv:2604.01193), as a transformer of two layers that reads programs as text",
    arms=(BASE, SSD, BASE_BEST, SSD_BEST, FIXED_POINT, HOT, COLD, SHUFFLED),
    run=run_seed,
    needs="torch",
    unsaid=(
        "The paper's gain (42.4 to 55.3% on LiveCodeBench v6) is of a 30B model; a small one can mask it.",
        "The configuration for a GPU (eight layers, 25 million weights) was never run.",
        "Top-k, part of the paper's decoders, is left out: there are 36 words.",
    ),
)
"""The same arms and claims as `ssd`."""
