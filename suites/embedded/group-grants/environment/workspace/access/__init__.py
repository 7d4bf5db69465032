"""Who may do what; see README.md for the rules."""
