"""Sizes of files as texts."""
