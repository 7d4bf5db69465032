"""Paths of the things that rules are about."""


def normal(path: str) -> str:
    """The path without slashes at its end (so `""` for the root); ValueError if it does not start with a slash."""
    if not path.startswith("/"):
        raise ValueError(f"a path starts with a slash, this one does not: {path!r}")
    return path.rstrip("/")


def covers(rule_path: str, path: str) -> bool:
    """Whether `path` is `rule_path` or lies below it; both are normal paths."""
    return path.startswith(rule_path)
