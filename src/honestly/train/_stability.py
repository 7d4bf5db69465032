"""Is a training run still sound? States of a run from its readings so far, never from later ones.

Each series has a window of its last quiet values. A reading's z is its distance from their median, over their
interquartile range (as a normal law's deviation, with a floor, wider while there are few values). Loss and hack rate
are taken as they are, norms, activations and router loads as logarithms. What is far out stays out of the window.

One batch that is far out is ordinary: public logs have losses 1.98 times the median for one step (z of 25), and
gradient norms of 7 times. So a loss is a spike if two readings in a row are far out; or if one is and a precursor came
before it; or if it is more than 2.25 times the median. A gradient norm, activation or router load is a precursor if
two readings in a row are far out, or one is by 10 times. Divergence is a loss that is not a number, that does not come
back, or that has crept up; collapse is an entropy or a length of answers that stays below a tenth of what it was.

Not covered: a run that was never sound, whose window holds what is wrong; a series that is logged too seldom to have
two readings of one spike.
"""

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import NormalDist

from honestly.errors import FormatError
from honestly.train._series import Reading

_WINDOW = 128
"""Readings that a series is compared with."""
_LEAST = 8
"""Readings before the first judgement."""
_FAR = 6.5
"""z of a reading that is far out."""
LOGGED = {"grad_norm", "activation", "router", "entropy", "length"}
"""Series that are judged by their logarithms."""
_FLOORS = {"loss": 0.01, "hack_rate": 0.01}
"""The least deviation: of a loss as a share of its median, of a rate as it is; 0.1 of logarithms."""
_ALONE = 2.25
"""How many times the median one loss must be to be a spike without a witness."""
_WITNESSED = 1.25
"""How many times, where a precursor came before it."""
_TEN = math.log(10)
_CALM = 8
"""Readings in a row that are not far out, after which an incident is over."""
_PATIENCE = 64
"""Readings without an end of a spike, after which the run has diverged."""
_RECURRING = 1000
"""Steps after an incident within which the next one is the same again."""
_SETTLING = 32
"""Readings after a resumption or a rise of the learning rate in which a value has to be twice as far out."""
_CREPT = 1.3
"""How many times its lowest median a loss may creep up to."""


@dataclass(slots=True)
class WatchEvent:
    """A change of a run's state for the worse."""

    step: int
    state: str
    """`precursor`, `spike`, `diverged`, `recurring` or `collapsed`."""
    detector: str
    """The series that showed it."""
    z: float | None
    """How far out it was; None where it is not a number."""
    action: str | None = None
    """What was done about it: `rollback`, `skip`, `lr`, or what the log or the user says."""
    recurred: bool | None = None
    """Whether it came again within 1,000 steps after its end; None while that is not known."""


@dataclass(slots=True)
class _Window:
    """The quiet values of one series, in the order of their steps and in that of their size."""

    series: str
    kept: deque[tuple[int, float]] = field(default_factory=deque)
    ordered: list[float] = field(default_factory=list)
    far: int = 0
    """Readings in a row that were far out."""
    low: int = 0
    """Readings in a row below a tenth of the first ones; and how long ago these were."""
    first: float | None = None
    """Median of the first full quarter of a window."""

    def scaled(self, value: float) -> float:
        return math.log(max(value, 1e-12)) if self.series in LOGGED else value

    def median(self) -> float:
        return self.ordered[len(self.ordered) // 2] if self.ordered else math.nan

    def z(self, value: float) -> float:
        """How far out a scaled value is; NaN before there is enough to compare with."""
        n = len(self.ordered)
        if n < _LEAST:
            return math.nan
        return (value - self.median()) / (self.deviation() * (1 + 8 / n))

    def deviation(self) -> float:
        """A normal law's deviation with the same quartiles, and at least the floor.

        Where the upper tenth lies more than four times as far out as such a law's, that one's: batches come from
        several sources then, of which most are alike.
        """
        n = len(self.ordered)
        spread = (self.ordered[3 * n // 4] - self.ordered[n // 4]) / 1.349
        floor = _FLOORS.get(self.series, 0.1) * (abs(self.median()) if self.series == "loss" else 1)
        spread = max(spread, floor, 1e-9)
        upper = (self.ordered[9 * n // 10] - self.median()) / 1.2816
        return upper if upper > 4 * spread else spread

    def keep(self, step: int, value: float) -> None:
        self.kept.append((step, value))
        insort(self.ordered, value)
        if len(self.kept) > _WINDOW:
            self._forget(self.kept.popleft()[1])
        if self.first is None and len(self.kept) == _WINDOW // 4:
            self.first = self.median()

    def roll_back(self, step: int) -> None:
        """Forgets what came at this step and later: it is going to happen again."""
        while self.kept and self.kept[-1][0] >= step:
            self._forget(self.kept.pop()[1])

    def _forget(self, value: float) -> None:
        del self.ordered[bisect_left(self.ordered, value)]


class StabilityWatch:
    """The state of a run, reading by reading."""

    def __init__(
        self,
        baseline: Mapping[str, tuple[float, float]] | None = None,
        far: float = _FAR,
        actions: Sequence[tuple[int, str]] = (),
    ) -> None:
        """A watch that has seen nothing.

        Args:
            baseline: Median and deviation by series, of loss and norms as the log has them; as if a fourth of a window
                had been read. A deviation of a norm is a share of it.
            far: z from which on a reading is far out.
            actions: What was done at which step, in their order, where the log does not say it.

        Raises:
            FormatError: One of these is not a number.
        """
        if not far > 0 or not all(map(math.isfinite, chain.from_iterable((baseline or {}).values()))):
            raise FormatError(f"a watch takes numbers: far {far}, baseline {dict(baseline or {})}")
        self.state = "ok"
        self.events: list[WatchEvent] = []
        self.steps = 0
        self.unjudged = 0
        """Readings that came before there was enough to compare them with."""
        self._far = far
        self._to_come = deque(actions)
        self._windows: dict[str, _Window] = {}
        self._step: int | None = None
        self._lr: float | None = None
        self._calm = self._since = self._settling = self._interval = 0
        self._lowest, self._usual = math.inf, math.inf
        """The lowest median of a whole window, and the deviation in it."""
        self._recent: deque[float] = deque(maxlen=_PATIENCE // 2)
        self._ended: int | None = None
        """The step at which the last spike was over."""
        self._over = 0
        """How many of the events are of incidents that are over."""
        for series, (middle, deviation) in (baseline or {}).items():
            window = self._windows[series] = _Window(series)
            centre = window.scaled(middle)
            for share in range(_WINDOW // 4):
                window.keep(-1, centre + deviation * NormalDist().inv_cdf((share + 0.5) / (_WINDOW // 4)))

    def read(self, reading: Reading) -> list[WatchEvent]:
        """Takes in the next reading; what it changed for the worse."""
        before = len(self.events)
        passed = 0 if self._step is None else reading.step - self._step
        if passed or self._step is None:
            self.steps += 1
        self._step = reading.step
        if passed < 0:
            self.act("rollback")
            if self.state != "ok":
                self._end_incident(reading.step)
            self._settling = _SETTLING
            self._recent.clear()
            for window in self._windows.values():
                window.roll_back(reading.step)
                window.far = 0
        elif passed:
            self._interval = min(self._interval or passed, passed)
        self._seen_actions(reading)
        self._settling = max(self._settling - 1, 0)
        far = self._far * (2 if self._settling else 1)
        judged: dict[str, float] = {}
        for series, value in reading.values.items():
            if series not in {"lr", "skipped"}:
                judged[series] = self._judge(series, value, far)
        if judged:
            self._settle(judged, reading, passed)
        return self.events[before:]

    def _judge(self, series: str, value: float, far: float) -> float:
        """The z of a value, which is kept where it is not far out."""
        window = self._windows.setdefault(series, _Window(series))
        if not math.isfinite(value):
            window.far += 1
            return math.inf
        scaled = window.scaled(value)
        z = window.z(scaled)
        self.unjudged += math.isnan(z)
        if z >= far:
            window.far += 1
        else:
            window.far = 0
            window.keep(self._step or 0, scaled)
        return z

    def _settle(self, judged: Mapping[str, float], reading: Reading, passed: int) -> None:
        """The state after a reading whose series have these z, and that came so many steps after the last."""
        found = self._precursor(judged, reading.values)
        worse = self._loss_state(judged["loss"], reading.values["loss"]) if "loss" in judged else None
        worse = worse or self._of_answers(judged, reading.values)
        out = any(self._windows[series].far for series in judged)
        # A quiet reading counts for the steps that the log leaves out before it, too.
        self._calm = 0 if out or worse else self._calm + max(1, passed // max(self._interval, 1))
        if self.state != "ok" and self._calm >= _CALM:
            self._end_incident(reading.step)
        elif self.state in {"spike", "recurring"} and "loss" in judged:
            self._since += 1
            if self._since >= _PATIENCE:
                worse = ("diverged", "loss", judged["loss"])
        if self._ended is not None and reading.step > self._ended + _RECURRING:
            self._ended = None
            self._set_recurred(value=False)
        if worse:
            self._enter(*worse)
        elif found and self.state == "ok":
            self._enter("precursor", *found)

    def _end_incident(self, step: int) -> None:
        if self.state != "precursor":
            self._ended, self._over = step, len(self.events)
        self.state, self._since = "ok", 0

    def _precursor(self, judged: Mapping[str, float], values: Mapping[str, float]) -> tuple[str, float] | None:
        for series in ("grad_norm", "activation", "router"):
            if series in judged:
                window = self._windows[series]
                ready = len(window.ordered) >= _LEAST
                far_alone = math.isfinite(judged[series]) and window.far and values[series] > 0
                by_ten = far_alone and math.log(values[series]) - window.median() >= _TEN
                if ready and (window.far >= 2 or by_ten):
                    return series, judged[series]
        return None

    def _loss_state(self, z: float, value: float) -> tuple[str, str, float] | None:
        window = self._windows["loss"]
        if not math.isfinite(value):
            return "diverged", "loss", math.inf
        middle = window.median()
        self._recent.append(value)
        if len(window.ordered) == _WINDOW:
            if middle < self._lowest:
                self._lowest, self._usual = middle, window.deviation()
            crept = sorted(self._recent)[len(self._recent) // 2]
            limit = max(_CREPT * self._lowest, self._lowest + self._far * self._usual)
            if crept > limit and len(self._recent) == self._recent.maxlen:
                return "diverged", "loss drift", window.z(crept)
        if not window.far:
            return None
        # Losses of reinforcement learning lie around zero, where no multiple means anything.
        above = value / middle if middle > 4 * window.deviation() else 0.0
        witnessed = self.state == "precursor" and above >= _WITNESSED
        if window.far >= 2 or above >= _ALONE or witnessed or self.state in {"spike", "recurring", "diverged"}:
            return "spike", "loss", z
        return None

    def _of_answers(self, judged: Mapping[str, float], values: Mapping[str, float]) -> tuple[str, str, float] | None:
        """Of reinforcement learning: what collapses, and hacks that become more."""
        for series in ("entropy", "length"):
            window = self._windows.get(series)
            if series in judged and window and window.first is not None:
                window.low = window.low + 1 if window.scaled(values[series]) < window.first - _TEN else 0
                if window.low >= _CALM:
                    return "collapsed", series, judged[series]
        if "hack_rate" in judged and self._windows["hack_rate"].far >= 2:
            return "spike", "hack_rate", judged["hack_rate"]
        return None

    def _enter(self, state: str, detector: str, z: float) -> None:
        order = ("ok", "precursor", "spike", "recurring", "collapsed", "diverged")
        if state == "spike" and self._ended is not None and self.state in {"ok", "precursor"}:
            state, self._ended = "recurring", None
            self._set_recurred(value=True)
        if order.index(state) <= order.index(self.state):
            return
        self.state, self._since, self._calm = state, 0, 0
        self.events.append(WatchEvent(self._step or 0, state, detector, z if math.isfinite(z) else None))

    def _set_recurred(self, *, value: bool) -> None:
        for event in reversed(self.events[: self._over]):
            if event.recurred is not None:
                break
            event.recurred = value

    def _seen_actions(self, reading: Reading) -> None:
        while self._to_come and self._to_come[0][0] <= reading.step:
            self.act(self._to_come.popleft()[1])
        if reading.action:
            self.act(reading.action)
        if reading.values.get("skipped", 0) > 0:
            self.act("skip")
        lr = reading.values.get("lr")
        if lr is not None and math.isfinite(lr):
            if self._lr and lr > 0 and abs(math.log(lr / self._lr)) > math.log(1.3):
                if lr < self._lr:
                    self.act("lr")
                else:
                    self._settling, self._lowest = _SETTLING, math.inf
            self._lr = lr

    def act(self, what: str) -> None:
        """Notes what was done, at the incident that is open or was the last within 1,000 steps."""
        if self.events and (self.state != "ok" or self._ended is not None) and self.events[-1].action is None:
            self.events[-1].action = what

    def baseline(self) -> dict[str, tuple[float, float]]:
        """Median and deviation of each series now, as another watch takes them."""
        found = {}
        for series, window in self._windows.items():
            if len(window.ordered) >= _LEAST:
                middle = math.exp(window.median()) if series in LOGGED else window.median()
                found[series] = (middle, window.deviation())
        return found
