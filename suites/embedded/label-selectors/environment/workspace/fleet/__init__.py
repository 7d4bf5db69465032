"""Machines, their labels, and selectors over them."""
