"""Plays a story: a list of steps, each a list of words.

    ["ann", "title", "n1", "milk"]     ["ann", "pin", "n1"]       ["ann", "unpin", "n1"]
    ["ann", "tag", "n1", "food"]       ["ann", "untag", "n1", "food"]
    ["ann", "delete", "n1"]            ["ann", "receive", "bob"]
"""

from notes.device import Device


def play(steps: list[list[str]]) -> dict[str, Device]:
    """The devices after all steps, by name; a device is there from its first step on, or from the first in which somebody receives from it.

    Raises:
        ValueError: a step is not as above, or a device receives from itself.
    """
    devices: dict[str, Device] = {}

    def device(name: str) -> Device:
        return devices.setdefault(name, Device(name))

    for step in steps:
        match step:
            case [who, "receive", whom] if who != whom:
                device(who).receive(device(whom))
            case [who, "title", note, text]:
                device(who).title(note, text)
            case [who, "pin" | "unpin" as what, note]:
                device(who).pin(note, what == "pin")
            case [who, "tag", note, tag]:
                device(who).tag(note, tag)
            case [who, "untag", note, tag]:
                device(who).untag(note, tag)
            case [who, "delete", note]:
                device(who).delete(note)
            case _:
                raise ValueError(f"not a step: {step}")
    return devices
