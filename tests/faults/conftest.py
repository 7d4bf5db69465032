"""What the tests of faults share."""

from disturbed import disturbed  # noqa: F401 - a fixture
