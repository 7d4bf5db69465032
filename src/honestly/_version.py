"""The version of this program, as studies and reports record it."""

from functools import cache

__all__ = ["program_version"]


@cache
def program_version() -> str:
    """Such as `0.9.1`; "not installed" where the program runs from a source tree that nobody installed."""
    from importlib.metadata import PackageNotFoundError, version  # late: it takes 10 ms, which few commands need

    try:
        return version("honestly")
    except PackageNotFoundError:
        return "not installed"
