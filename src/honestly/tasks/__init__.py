"""What is asked: suites of tasks, read from directories in Harbor's layout, and the suite that is embedded here."""

from honestly.tasks._load import EMBEDDED, load_suite

__all__ = ["EMBEDDED", "load_suite"]
