"""Proofs that tasks are fair, hardened copies of tasks, and impossible twins."""
