"""Checks that must run inside the sandbox, and what makes their results believable."""
