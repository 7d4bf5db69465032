"""Hidden checks of relay-incident: the settings of the answers are played by the code as it was given."""

import json
import re
from dataclasses import fields, replace

SOURCES = (
    r'''
"""What can be set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """Settings of a relay; all are whole numbers.

    lanes (1 to 4): messages that are under way at once
    attempts (1 to 8): how often a message is tried
    first (1 to 60): seconds before the second attempt
    factor (1 to 4): what the wait is multiplied with for each further attempt
    cap (1 to 600): the longest wait
    failures (1 to 9): failures of a host in a row that open its breaker
    rest (1 to 900): seconds that a breaker stays open
    """

    lanes: int
    attempts: int
    first: int
    factor: int
    cap: int
    failures: int
    rest: int
''',
    r'''
"""What the relay does not decide: messages, and when hosts are up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message that comes at a time, for a host."""

    name: str
    time: int
    host: str
    size: int


@dataclass(frozen=True)
class World:
    """Messages, and outages as (host, from, up to but not including)."""

    messages: tuple[Message, ...]
    outages: tuple[tuple[str, int, int], ...]

    def is_up(self, host: str, time: int) -> bool:
        """Whether a host answers at a time."""
        return not any(host == name and start <= time < end for name, start, end in self.outages)
''',
    r'''
"""How long a message waits."""

from relay.config import Config


def wait(config: Config, tries: int) -> int:
    """Seconds to wait after a number of tries (at least 1)."""
    return min(config.first * config.factor ** (tries - 1), config.cap)


def spread(message: str, seconds: int) -> int:
    """The wait, a little longer for some messages, so that they do not all come at once: up to a quarter, by the name's letters."""
    return seconds + sum(map(ord, message)) % (seconds // 4 + 1)
''',
    r'''
"""Breakers: a host that failed too often is left alone for a while."""

from dataclasses import dataclass

from relay.config import Config


@dataclass
class Breaker:
    """One host's breaker. After its rest, one message may try (it is on trial) while all others still wait."""

    config: Config
    row: int = 0
    opened: int | None = None
    on_trial: str | None = None

    def wait(self, message: str, now: int) -> int:
        """Seconds that a message must still wait; 0 says that it may try now."""
        if self.opened is None:
            return 0
        left = self.opened + self.config.rest - now
        if left > 0:
            return left
        if self.on_trial in (None, message):
            self.on_trial = message
            return 0
        return max(self.config.first, 1)

    def worked(self) -> bool:
        """Takes note of a success; whether this closed the breaker."""
        closed = self.opened is not None
        self.row, self.opened, self.on_trial = 0, None, None
        return closed

    def failed(self, message: str, now: int) -> bool:
        """Takes note of a failure; whether this opened the breaker, be it again."""
        self.row += 1
        if self.on_trial == message or (self.opened is None and self.row >= self.config.failures):
            self.opened, self.on_trial = now, None
            return True
        return False
''',
    r'''
"""The relay itself."""

from collections import defaultdict
from heapq import heappop, heappush
from itertools import count

from relay.backoff import spread, wait
from relay.breaker import Breaker
from relay.config import Config
from relay.world import Message, World

SPEED = 10  # sizes per second
SILENCE = 5  # seconds until a host that is down is given up


class Engine:
    """Runs a world's messages through the relay, and writes a log."""

    def __init__(self, config: Config, world: World) -> None:
        self.config = config
        self.world = world
        self.log: list[str] = []
        self._free = config.lanes
        self._tries: dict[str, int] = defaultdict(int)
        self._breakers: dict[str, Breaker] = {}
        self._events: list[tuple[int, int, str, Message]] = []
        self._order = count()
        self._ready: list[tuple[int, int, Message]] = []

    def run(self) -> list[str]:
        """Plays everything to its end; gives the log's lines."""
        for message in self.world.messages:
            self._at(message.time, "come", message)
        while self._events:
            now, _, what, message = heappop(self._events)
            if what == "come":
                # Small messages go first; what waits for a lane keeps its turn among those of its size.
                heappush(self._ready, (message.size, next(self._order), message))
            else:
                self._free += 1
                self._end(message, now, what == "done")
            self._fill(now)
        return self.log

    def _at(self, time: int, what: str, message: Message) -> None:
        heappush(self._events, (time, next(self._order), what, message))

    def _fill(self, now: int) -> None:
        while self._free and self._ready:
            _, _, message = heappop(self._ready)
            seconds = self._breaker(message.host).wait(message.name, now)
            if seconds:
                self._at(now + seconds, "come", message)
                continue
            self._free -= 1
            self._tries[message.name] += 1
            if self.world.is_up(message.host, now):
                self._at(now + -(-message.size // SPEED), "done", message)
            else:
                self._at(now + SILENCE, "fail", message)

    def _end(self, message: Message, now: int, worked: bool) -> None:
        breaker = self._breaker(message.host)
        if worked:
            self._say(now, "sent", message.name)
            if breaker.worked():
                self._say(now, "closed", message.host)
            return
        tries = self._tries[message.name]
        if tries == self.config.attempts:
            self._say(now, "lost", message.name)
        else:
            self._at(now + spread(message.name, wait(self.config, tries)), "come", message)
        if breaker.failed(message.name, now):
            self._say(now, "opened", message.host)

    def _breaker(self, host: str) -> Breaker:
        return self._breakers.setdefault(host, Breaker(self.config))

    def _say(self, now: int, what: str, name: str) -> None:
        self.log.append(f"{now:>5} {what} {name}")
''',
)
CODE = {"__name__": __name__}
for source in SOURCES:
    exec(re.sub(r"(?m)^from relay\..*$", "", source), CODE)
Config, Engine, Message, World, Breaker = (CODE[n] for n in ("Config", "Engine", "Message", "World", "Breaker"))
LIMITS = {"lanes": 4, "attempts": 8, "first": 60, "factor": 4, "cap": 600, "failures": 9, "rest": 900}
LOG = """\
   26 sent m01
   51 sent m02
   87 sent m04
   89 sent m05
   90 sent m03
  147 sent m07
  177 opened north
  220 opened north
  224 sent m12
  255 sent m15
  263 opened north
  306 opened north
  329 sent m20
  353 sent m11
  353 closed north
  358 sent m14
  360 sent m18
  362 sent m09
  363 sent m21
  364 sent m22
  368 sent m10
  370 sent m16
  374 sent m13
  379 sent m19
  389 sent m06
  394 sent m08
  404 sent m17
  409 sent m24
  410 sent m25
  415 sent m26
  415 opened mill
  502 lost m23
  502 opened mill
""".splitlines()
MESSAGES = json.loads("""
[
  ["m01", 17, "mill", 90],
  ["m02", 46, "north", 45],
  ["m03", 75, "mill", 150],
  ["m04", 78, "north", 90],
  ["m05", 86, "north", 20],
  ["m06", 115, "north", 150],
  ["m07", 132, "mill", 150],
  ["m08", 172, "north", 150],
  ["m09", 172, "north", 20],
  ["m10", 172, "north", 45],
  ["m11", 201, "north", 90],
  ["m12", 209, "mill", 150],
  ["m13", 212, "north", 60],
  ["m14", 229, "north", 20],
  ["m15", 246, "south", 90],
  ["m16", 275, "north", 60],
  ["m17", 283, "north", 150],
  ["m18", 291, "north", 20],
  ["m19", 320, "north", 90],
  ["m20", 320, "south", 90],
  ["m21", 320, "north", 20],
  ["m22", 323, "north", 20],
  ["m23", 340, "mill", 90],
  ["m24", 357, "north", 150],
  ["m25", 397, "north", 60],
  ["m26", 405, "north", 60]
]
""")
OUTAGES = json.loads("""
[
  ["north", 90, 330],
  ["south", 150, 215],
  ["mill", 300, 720]
]
""")
WORLD = World(tuple(Message(*entry) for entry in MESSAGES), tuple(tuple(entry) for entry in OUTAGES))


def settings(ws, key="config"):
    """Settings of the answers, within their bounds."""
    given = json.loads(ws.read("answers.json"))[key]
    assert set(given) == set(LIMITS) and all(type(value) is int for value in given.values()), given
    assert all(1 <= value <= LIMITS[name] for name, value in given.items()), given
    return Config(**given)


def right(ws):
    """The settings of the incident: those of the answers, if they give its log."""
    config = settings(ws)
    assert Engine(config, WORLD).run() == LOG
    return config


def answer(ws, key):
    """One answer."""
    return json.loads(ws.read("answers.json"))[key]


def lost(config):
    """How many messages are lost."""
    return sum(" lost " in line for line in Engine(config, WORLD).run())


def test_config(ws):
    """Settings that give the log."""
    right(ws)


def test_tries(ws):
    """How often messages were tried."""
    engine = Engine(right(ws), WORLD)
    engine.run()
    assert answer(ws, "tries") == {name: engine._tries[name] for name in ("m06", "m10", "m23", "m26")}


def test_openers(ws):
    """Whose failures opened breakers."""
    found = []

    class Spy(Breaker):
        def failed(self, message, now):
            opened = super().failed(message, now)
            found.extend([message] * opened)
            return opened

    engine, config = Engine(right(ws), WORLD), settings(ws)
    for host in ("north", "south", "mill"):
        engine._breakers[host] = Spy(config)
    assert engine.run() == LOG
    assert answer(ws, "openers") == found


def test_attempts(ws):
    """The fewest attempts that lose nothing."""
    config = right(ws)
    assert answer(ws, "attempts") == next(n for n in range(1, 9) if not lost(replace(config, attempts=n)))


def test_rest(ws):
    """The shortest rest that loses nothing."""
    config = right(ws)
    assert answer(ws, "rest") == next(n for n in range(1, 901) if not lost(replace(config, rest=n)))


def test_lanes(ws):
    """Where a further lane makes it later."""
    config = right(ws)
    ends = [int(Engine(replace(config, lanes=n), WORLD).run()[-1].split()[0]) for n in range(1, 5)]
    assert [answer(ws, "lanes")] == [n for n in range(1, 4) if ends[n] > ends[n - 1]]


def test_calm(ws):
    """Two other settings, nothing lost, and breakers opened twice at most."""
    config, calm = right(ws), settings(ws, "calm")
    changed = [field.name for field in fields(Config) if getattr(config, field.name) != getattr(calm, field.name)]
    assert len(changed) == 2
    log = Engine(calm, WORLD).run()
    assert not any(" lost " in line for line in log) and sum(" opened " in line for line in log) <= 2


def test_unfair(ws):
    """Messages that overtake each other."""
    messages = [Message(*entry) for entry in answer(ws, "unfair")]
    assert len(messages) <= 3 and len({message.name for message in messages}) == len(messages)
    times = [message.time for message in messages]
    assert all(type(time) is int and 0 <= time <= 100 for time in times)
    assert all(type(message.size) is int and 1 <= message.size <= 200 for message in messages)
    assert all(abs(one - other) > 5 for at, one in enumerate(times) for other in times[:at])
    log = Engine(right(ws), World(tuple(messages), ())).run()
    came = [message.name for message in sorted(messages, key=lambda message: message.time)]
    assert [line.split()[2] for line in log] != came
