"""`honestly audit` and its options."""
