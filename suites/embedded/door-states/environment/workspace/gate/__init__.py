"""The gate of a car park."""
