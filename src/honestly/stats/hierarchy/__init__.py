"""The hierarchical model over suites: its prior, its sampler, and what it says of agents, questions and suites.

`honestly.stats` has the public names.
"""
