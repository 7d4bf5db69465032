"""A time clock."""
