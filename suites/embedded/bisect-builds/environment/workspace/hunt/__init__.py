"""Looking for defects."""
