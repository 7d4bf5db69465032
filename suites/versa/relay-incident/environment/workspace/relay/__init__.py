"""Relays messages to hosts that are down at times. All times are whole seconds of a simulated clock."""

from relay.config import Config
from relay.engine import Engine
from relay.world import Message, World

__all__ = ["Config", "Engine", "Message", "World"]
