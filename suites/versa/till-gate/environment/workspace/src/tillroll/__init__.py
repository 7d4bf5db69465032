"""Till rolls: what was sold, and for how much."""
