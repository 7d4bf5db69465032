"""A solution of a task on a site: `play.py`, a program that asks the site for what is to be done, and its helper."""

from importlib import resources

PLAY = "play.py"
"""The program; its argument is the site's address."""
CALLS = "site_calls.py"
"""The module beside it, by which it asks."""


def site_calls() -> bytes:
    """The source of the helper."""
    return (resources.files(__package__) / "_guest" / CALLS).read_bytes()
