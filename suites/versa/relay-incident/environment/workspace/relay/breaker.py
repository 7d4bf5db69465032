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
