"""Notes that several devices change while they are apart, and bring together later."""

from notes.device import Device
from notes.merge import merge

__all__ = ["Device", "merge"]
