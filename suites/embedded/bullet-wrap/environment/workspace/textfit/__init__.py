"""Fitting plain text into a given width."""
