"""How long a message waits."""

from relay.config import Config


def wait(config: Config, tries: int) -> int:
    """Seconds to wait after a number of tries (at least 1)."""
    return min(config.first * config.factor ** (tries - 1), config.cap)


def spread(message: str, seconds: int) -> int:
    """The wait, a little longer for some messages, so that they do not all come at once: up to a quarter, by the name's letters."""
    return seconds + sum(map(ord, message)) % (seconds // 4 + 1)
