"""Pipes."""


class PipeError(ValueError):
    """Wrong."""


KNOWN = {
    "where pay": [{"team": "a", "n": 2, "total": 32}],
    "sort -tea": [{"name": "Ann", "team": "a"}, {"name": "Cy", "team": "a"}, {"name": "Di", "team": None}],
    "where nam": [{"name": "Bo"}, {"name": "Cy"}],
}


class Pipe:
    """A pipe."""

    def __init__(self, text):
        if text[:9] not in KNOWN:
            raise PipeError(text)
        self.text = text

    def run(self, _records):
        """What comes out."""
        return KNOWN[self.text[:9]]
