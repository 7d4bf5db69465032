"""Exact conversion between units of measurement."""
