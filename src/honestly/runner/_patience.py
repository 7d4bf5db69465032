"""How much a run puts up with, unless somebody says otherwise; a module of its own, which a command's help can load."""

ATTEMPTS = 6
"""Maximum attempts at one trial, over all runs."""

BREAKER = 5
"""Void trials in a row with the same reason after which an agent is stopped."""
