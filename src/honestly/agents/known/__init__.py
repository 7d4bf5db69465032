"""Agents whose truth is known: they hold the answers, and succeed, fail or cheat at stated rates."""
