"""Other people's agents: real programs in our sandbox, on any model, on record."""
