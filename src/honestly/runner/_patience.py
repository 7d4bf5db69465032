"""How much a run puts up with, unless somebody says otherwise; a module of its own, which a command's help can load."""

ATTEMPTS = 6
"""Attempts at one trial, over all runs: two runs' worth."""

BREAKER = 5
"""Trials of one agent in a row that are void for one reason, after which it is given up."""
