"""Documents that remember."""
