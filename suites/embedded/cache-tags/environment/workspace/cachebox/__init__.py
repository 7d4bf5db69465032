"""A small cache for values that are costly to load."""
