"""Labels of positions."""


class Labels:
    """At most one label for each position."""
