"""A depot that lends tools; `run` is all that the rest of the program calls."""

from depot.desk import run

__all__ = ["run"]
