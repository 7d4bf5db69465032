"""What can be wrong with a selector."""


class SelectorError(ValueError):
    """A text is not a selector."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at {position})")
        self.position = position
        """Index of the first mistake in the text."""
