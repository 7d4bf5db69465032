"""Formats, each a module."""
