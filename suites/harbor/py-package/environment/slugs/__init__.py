import re


def slug(text: str) -> str:
    """Lower-case words of ASCII letters and digits, with hyphens between them."""
    return "-".join(re.findall("[a-z0-9]+", text.encode("ascii", "ignore").decode().lower()))
