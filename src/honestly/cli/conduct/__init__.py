"""`honestly conduct`."""
