"""`honestly tasks` and its subcommands."""
