"""Journals on tape."""
