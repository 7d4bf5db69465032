"""A solution of a task on a site: `play.py`, a program that asks the site for what is to be done, and its helper."""

from importlib import resources

PLAY = "play.py"
"""The program; its argument is the site's address."""
CALLS = "site_calls.py"
"""The helper module next to the program, which calls the site."""


def site_calls() -> bytes:
    """The source of the helper."""
    return (resources.files(__package__) / "_guest" / CALLS).read_bytes()
