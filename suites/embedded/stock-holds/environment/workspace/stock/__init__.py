"""Units of items, holds on them, and customers in line; see README.md for the rules."""
