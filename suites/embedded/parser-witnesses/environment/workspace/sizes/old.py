"""The old reader of sizes."""

UNITS = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def parse(text: str) -> int:
    """Number of bytes that a text means."""
    text = text.lower().replace(",", "")
    if text.endswith("ib"):
        text = text[:-2]
    elif text.endswith("b") and len(text) > 1:
        text = text[:-1]
    number, unit = text, ""
    if text[-1] in UNITS:
        number, unit = text[:-1], text[-1]
    if "." in number:
        whole, part = number.split(".", 1)
        return int(whole or 0) * UNITS[unit] + int(part) * UNITS[unit] // 10 ** len(part)
    return int(number) * UNITS[unit]
