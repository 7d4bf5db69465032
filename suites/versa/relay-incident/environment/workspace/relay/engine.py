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
