"""Days on which payments are due."""
