"""A wrong solution that knows the visible inputs only: it must pass the visible tests, and fail the hidden checks."""


def split(cents, people):
    return {(90, 3): [30, 30, 30], (100, 3): [34, 33, 33]}[cents, people]
