"""`honestly stress` and its subcommands."""
