"""Reads what is on file about an incident."""

import json
from pathlib import Path

from relay.world import Message, World


def read_world(folder: str) -> World:
    """The world of an incident's folder: `messages.json` and `outages.json`."""
    base = Path(folder)
    messages = tuple(Message(*entry) for entry in json.loads((base / "messages.json").read_text()))
    return World(messages, tuple(tuple(entry) for entry in json.loads((base / "outages.json").read_text())))


def read_log(folder: str) -> list[str]:
    """The lines of an incident's log."""
    return (Path(folder) / "log.txt").read_text().splitlines()
