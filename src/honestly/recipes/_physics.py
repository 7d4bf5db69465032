"""Questions out of a physics engine, filtered for shortcuts, and a small policy that learns to answer them.

A scene of MuJoCo gives numbers and an answer: a speed or a distance after a while. Its closed form checks the engine. A
scene is simulated again without each of its parts; a question whose answer such a child has, too (within 5%), can be
answered without understanding how the parts act on each other, and is filtered out. Questions ask for the number.

A policy, a network of one hidden layer that sees which family it is and the logarithms of the givens, says the
logarithm of the answer as a normal distribution, and is paid 1 within 5% (REINFORCE in groups), or fitted to the
answers themselves. It learns one family and is asked about unseen ranges of its givens, and about other families.

Source: arXiv:2604.11805 (Sim2Reason). A policy of numbers stands for a language model: nothing here reads a text.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from honestly.errors import HonestlyError
from honestly.recipes._recipe import Recipe, RecipeClaim

Floats = NDArray[np.float64]
Givens = Mapping[str, float]
GRAVITY, STEP, CLOSE = 9.81, 2e-3, 0.05
HIDDEN, GROUP, SLOTS = 64, 8, 3
LEAST_SPREAD = 0.02
"""Of the logarithm of an answer, so that a policy goes on trying."""
_ROPE = '<tendon tendon1="rope" solref="0.004 1" solimp="0.9999 0.9999 0.001"/>'


@dataclass(frozen=True, slots=True)
class Family:
    """Scenes of one kind."""

    parts: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]]
    answer: Callable[[Givens], float]
    """The answer in closed form."""
    simulate: Callable[[Givens, Sequence[str]], float]
    """The answer of the engine, with some of the parts."""

    def draw(self, rng: np.random.Generator, *, unseen: bool = False) -> dict[str, float]:
        """Givens from the ranges, or from as much again above them; evenly in their logarithms."""
        found = {}
        for name, (low, high) in self.ranges.items():
            span = math.log(high / low)
            found[name] = float(f"{low * math.exp(span * (rng.random() / 2 + unseen)):.2g}")
        return found


def is_close(said: float, true: float) -> bool:
    """Whether an answer earns: within 5%, the sign ignored, as in the paper."""
    return math.isfinite(said) and abs(abs(said) - abs(true)) <= max(CLOSE * abs(true), 1e-2 * (abs(true) < 1e-2))


def _engine() -> Any:  # noqa: ANN401 - the package has no types
    try:
        import mujoco
    except ImportError as error:
        raise HonestlyError("the recipe physics needs MuJoCo: pip install 'honestly[train]'") from error
    return mujoco


def _scene(bodies: str, tendon: str = "", equality: str = "") -> tuple[Any, Any]:
    mujoco = _engine()
    option = f'<option timestep="{STEP}" gravity="0 0 -{GRAVITY}" integrator="RK4"><flag contact="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<worldbody>{bodies}</worldbody><tendon>{tendon}</tendon><equality>{equality}</equality></mujoco>"
    )
    return model, mujoco.MjData(model)


def _states(scene: tuple[Any, Any], seconds: float) -> Iterator[Any]:
    mujoco = _engine()
    model, data = scene
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
        yield data


def _body(joints: str, mass: float, shape: str = 'type="sphere" size=".05"') -> str:
    return f'<body>{joints}<geom {shape} mass="{mass}"/></body>'


def _pulley(givens: Givens, parts: Sequence[str]) -> float:
    """How fast a block on a smooth slope, tied over a pulley to a hanging weight, is 0.5 s after it is let go."""
    slope = math.radians(givens["angle"])
    axis = f'axis="{math.cos(slope)} 0 {math.sin(slope)}"'
    bodies = _body(f'<joint name="block" type="slide" {axis}/>', givens["m1"]) if "block" in parts else ""
    bodies += _body('<joint name="weight" type="slide" axis="0 0 1"/>', givens["m2"]) if "weight" in parts else ""
    rope = '<fixed name="rope"><joint joint="block" coef="1"/><joint joint="weight" coef="1"/></fixed>'
    both = len(parts) == 2
    *_, last = _states(_scene(bodies, rope if both else "", _ROPE if both else ""), 0.5)
    return abs(float(last.qvel[-1]))


def _springs(givens: Givens, parts: Sequence[str]) -> float:
    """How fast a cart between two springs gets that is let go 0.1 m off its rest."""
    first = f'stiffness="{givens["k1"]}"' if "first spring" in parts else ""
    second = f'<fixed stiffness="{givens["k2"]}" springlength="0"><joint joint="cart" coef="1"/></fixed>'
    scene = _scene(
        _body(f'<joint name="cart" type="slide" axis="1 0 0" {first}/>', givens["m"]),
        second if "second spring" in parts else "",
    )
    scene[1].qpos[0] = 0.1
    return max(abs(float(each.qvel[0])) for each in _states(scene, 0.8))


def _wheel(givens: Givens, parts: Sequence[str]) -> float:
    """How fast a weight on a string, which is wound round a solid disc on an axle, is `t` s after it is let go."""
    bodies = _body('<joint name="weight" type="slide" axis="0 0 1"/>', givens["m"])
    turning = "wheel" in parts
    if turning:
        shape = 'type="cylinder" euler="90 0 0" size=".2 .02"'
        bodies += _body('<joint name="wheel" type="hinge" axis="0 1 0"/>', givens["disc"], shape)
    rope = '<fixed name="rope"><joint joint="weight" coef="1"/><joint joint="wheel" coef=".2"/></fixed>'
    scene = _scene(bodies, rope if turning else "", _ROPE if turning else "")
    *_, last = _states(scene, givens["t"])
    return abs(float(last.qvel[0]))


def _throw_distance(givens: Givens) -> float:
    slope = math.radians(givens["angle"])
    along, up = givens["v"] * math.cos(slope), givens["v"] * math.sin(slope)
    return along * (up + math.sqrt(up**2 + 2 * GRAVITY * givens["h"])) / GRAVITY


def _throw(givens: Givens, parts: Sequence[str]) -> float:
    """How far off a ball lands that is thrown from a tower."""
    scene = _scene(_body('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>', 1.0))
    slope = math.radians(givens["angle"])
    data = scene[1]
    data.qpos[1] = givens["h"] if "tower" in parts else 0.0
    data.qvel[:] = givens["v"] * math.cos(slope), givens["v"] * math.sin(slope)
    x, z = (float(each) for each in data.qpos)
    for each in _states(scene, 30.0):
        if each.qpos[1] < 0:
            return x + z / (z - float(each.qpos[1])) * (float(each.qpos[0]) - x)
        x, z = (float(one) for one in each.qpos)
    return math.nan


FAMILIES: Mapping[str, Family] = {
    "pulley": Family(
        ("block", "weight"),
        {"m1": (0.01, 10.0), "m2": (0.05, 50.0), "angle": (10.0, 60.0)},
        lambda s: 0.5 * GRAVITY * abs(s["m2"] - s["m1"] * math.sin(math.radians(s["angle"]))) / (s["m1"] + s["m2"]),
        _pulley,
    ),
    "springs": Family(
        ("first spring", "second spring"),
        {"k1": (10.0, 400.0), "k2": (10.0, 400.0), "m": (0.5, 8.0)},
        lambda s: 0.1 * math.sqrt((s["k1"] + s["k2"]) / s["m"]),
        _springs,
    ),
    "wheel": Family(
        ("weight", "wheel"),
        {"m": (0.5, 8.0), "disc": (0.5, 32.0), "t": (0.1, 0.9)},
        lambda s: GRAVITY * s["t"] * s["m"] / (s["m"] + s["disc"] / 2),
        _wheel,
    ),
    "throw": Family(
        ("ball", "tower"), {"v": (2.0, 20.0), "angle": (5.0, 60.0), "h": (0.2, 20.0)}, _throw_distance, _throw
    ),
}
"""Kinds of scenes by name."""
TAUGHT = "pulley"
_LONELY = {"wheel": ("weight",), "throw": ("ball",)}
"""The only child that can be simulated, of families in which a part cannot be without the other."""


def shortcut_parts(name: str, givens: Givens, answer: float) -> list[str]:
    """The parts without which the answer is the same within 5%: then the question is filtered out."""
    family = FAMILIES[name]
    children = [_LONELY[name]] if name in _LONELY else [(part,) for part in family.parts]
    return [f"only {child[0]}" for child in children if is_close(family.simulate(givens, child), answer)]


@dataclass(frozen=True, slots=True)
class Question:
    """A scene, its answer by the engine, and whether a part of it alone has the same answer."""

    family: str
    givens: Givens
    answer: float
    shortcut: bool


@lru_cache(maxsize=64)
def drawn_questions(name: str, seed: int, count: int, *, unseen: bool = False) -> tuple[Question, ...]:
    """So many questions of a family, shortcuts among them."""
    rng = np.random.default_rng([seed, unseen, *map(ord, name)])
    found: list[Question] = []
    while len(found) < count:
        givens = FAMILIES[name].draw(rng, unseen=unseen)
        answer = FAMILIES[name].simulate(givens, FAMILIES[name].parts)
        if FAMILIES[name].answer(givens) > 0.1 and math.isfinite(answer):
            found.append(Question(name, givens, answer, bool(shortcut_parts(name, givens, answer))))
    return tuple(found)


class NumberPolicy(Protocol):
    """What says an answer's logarithm as a normal distribution."""

    @property
    def spread(self) -> float:
        """The standard deviation of what is said."""
        ...

    def means(self, x: Floats) -> Floats:
        """The mean for each row."""
        ...

    def step(self, x: Floats, at_mean: Floats, at_spread: float, rate: float) -> None:
        """A step up these slopes."""
        ...


class _Policy:
    """Mean and spread of the logarithm of the answer, by the family and the logarithms of the givens."""

    def __init__(self, rng: np.random.Generator) -> None:
        inputs = SLOTS + len(FAMILIES)
        self.weights = [
            rng.normal(0, inputs**-0.5, (inputs, HIDDEN)), np.zeros(HIDDEN),
            rng.normal(0, 0.1 * HIDDEN**-0.5, (HIDDEN, 1)), np.zeros(1), np.zeros(1),
        ]  # fmt: skip
        self._moments = [[np.zeros_like(each) for each in self.weights] for _ in range(2)]
        self._steps = 0

    @property
    def spread(self) -> float:
        """The standard deviation of what is said."""
        return LEAST_SPREAD + math.exp(float(self.weights[4][0]))

    def means(self, x: Floats) -> Floats:
        """The mean for each row."""
        hidden = np.tanh(x @ self.weights[0] + self.weights[1])
        return np.asarray((hidden @ self.weights[2] + self.weights[3])[:, 0])

    def step(self, x: Floats, at_mean: Floats, at_spread: float, rate: float) -> None:
        """A step of Adam up these slopes."""
        hidden = np.tanh(x @ self.weights[0] + self.weights[1])
        at_hidden = at_mean[:, None] * self.weights[2][:, 0] * (1 - hidden**2)
        slopes = [
            x.T @ at_hidden, at_hidden.sum(axis=0),
            hidden.T @ at_mean[:, None], np.array([at_mean.sum()]), np.array([at_spread]),
        ]  # fmt: skip
        self._steps += 1
        for at, slope in enumerate(slopes):
            first, second = self._moments[0][at], self._moments[1][at]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            scale = np.sqrt(second / (1 - 0.999**self._steps)) + 1e-8
            self.weights[at] = self.weights[at] + rate * first / (1 - 0.9**self._steps) / scale


def _inputs(asked: Sequence[Question]) -> tuple[Floats, Floats]:
    """Rows of inputs, and the logarithms of the answers."""
    x = np.zeros((len(asked), SLOTS + len(FAMILIES)))
    for row, each in enumerate(asked):
        for slot, (name, value) in enumerate(each.givens.items()):
            low, high = FAMILIES[each.family].ranges[name]
            x[row, slot] = 4 * math.log(value / low) / math.log(high / low) - 1
        x[row, SLOTS + list(FAMILIES).index(each.family)] = 1
    return x, np.log([each.answer for each in asked])


UNTRAINED, FILTERED, UNFILTERED, FITTED, SHUFFLED = (
    "untrained", "RL, filtered", "RL, unfiltered", "fitted to answers, filtered", "RL, answers shuffled",
)  # fmt: skip


def _trained(
    arm: str, asked: Sequence[Question], seed: int, steps: int, make: Callable[[np.random.Generator], NumberPolicy]
) -> NumberPolicy:
    rng = np.random.default_rng([seed, 11])
    policy = make(np.random.default_rng([seed, 12]))
    x, answers = _inputs(asked)
    if arm == SHUFFLED:
        answers = rng.permutation(answers)
    for step in range(0 if arm == UNTRAINED else steps):
        rows = rng.integers(0, len(x), 32 if arm == FITTED else 256 // GROUP)
        rate = 0.01 * (1 - step / steps)
        if arm == FITTED:
            policy.step(x[rows], (answers[rows] - policy.means(x[rows])) / len(rows), 0.0, rate)
            continue
        rows = np.repeat(rows, GROUP)
        means, spread = policy.means(x[rows]), policy.spread
        noise = rng.normal(size=len(rows))
        paid = (np.abs(np.expm1(means + spread * noise - answers[rows])) <= CLOSE).astype(np.float64)
        groups = paid.reshape(-1, GROUP)
        gains = ((groups - groups.mean(axis=1, keepdims=True)) / (groups.std(axis=1, keepdims=True) + 1e-4)).ravel()
        up = gains * noise / spread / len(rows)
        widen = float((gains * (noise**2 - 1)).sum() / spread * (spread - LEAST_SPREAD) / len(rows))
        policy.step(x[rows], up, widen, rate)
    return policy


def _right(policy: NumberPolicy, asked: Sequence[Question]) -> list[float]:
    x, _ = _inputs(asked)
    said = np.exp(policy.means(x))
    return [float(is_close(float(value), each.answer)) for value, each in zip(said, asked, strict=True)]


def run_seed(
    arm: str, seed: int, quick: bool, make: Callable[[np.random.Generator], NumberPolicy] = _Policy, times: float = 1.0
) -> tuple[dict[str, float], dict[str, float]]:
    """Which held-out questions are answered, and how many of unseen ranges and other families."""
    count, tests, steps = (60, 30, 200) if quick else (100, 200, 6000)
    every = drawn_questions(TAUGHT, seed, 2 * count)
    hard = [each for each in every if not each.shortcut][:count]
    asked = list(every[: len(hard)]) if arm == UNFILTERED else hard  # as many questions in either arm
    test = [each for each in drawn_questions(TAUGHT, seed + 1000, 2 * tests) if not each.shortcut][:tests]
    far = [each for each in drawn_questions(TAUGHT, seed + 1000, 2 * tests, unseen=True) if not each.shortcut][:tests]
    others = [each for name in FAMILIES if name != TAUGHT for each in drawn_questions(name, seed + 1000, tests // 3)]
    policy = _trained(arm, asked, seed, round(times * steps), make)
    checked = [*every, *test, *far, *others]
    measures = {
        "right on its questions": float(np.mean(_right(policy, asked))),
        "right on unseen ranges": float(np.mean(_right(policy, far))),
        "right on other families": float(np.mean(_right(policy, others))),
        "share of shortcuts": float(np.mean([each.shortcut for each in every])),
        "largest error of the engine": max(
            abs(each.answer / FAMILIES[each.family].answer(each.givens) - 1) for each in checked
        ),
    }
    return {f"question-{at}": value for at, value in enumerate(_right(policy, test))}, measures


PHYSICS = Recipe(
    name="physics",
    title="Questions out of a physics engine, filtered for shortcuts",
    source="Sim2Reason (arXiv:2604.11805)",
    metric="share of held-out pulley questions without a shortcut that are answered within 5%",
    arms=(UNTRAINED, FILTERED, UNFILTERED, FITTED, SHUFFLED),
    run=run_seed,
    needs="mujoco",
    claims=(
        RecipeClaim("The engine agrees with the closed forms within 1%.", FILTERED, 0.0,
                    "largest error of the engine", within=0.01),
        RecipeClaim("Paid for close answers, a policy answers more than untrained.", FILTERED, UNTRAINED),
        RecipeClaim("It answers more than one whose answers were shuffled.", FILTERED, SHUFFLED),
        RecipeClaim("Filtered questions teach more than as many unfiltered ones.", FILTERED, UNFILTERED),
        RecipeClaim("It answers more than one that was fitted to the answers.", FILTERED, FITTED),
        RecipeClaim("On unseen ranges it answers more than untrained.", FILTERED, UNTRAINED, "right on unseen ranges"),
        RecipeClaim("It answers more in the ranges that it learned than in unseen ones.", FILTERED, FILTERED,
                    than_measure="right on unseen ranges"),
        RecipeClaim("On other families it answers more than untrained.", FILTERED, UNTRAINED,
                    "right on other families"),
    ),
    unsaid=(
        "Anything about language models or Olympiads: the policy sees numbers, and no text.",
        "Friction, contacts, orbits and fields: four families whose closed form is exact.",
        "Whether the filter finds shortcuts of other kinds: children are single parts.",
    ),
)  # fmt: skip
