"""Trials on Ray, really run: under a Python that has Ray, on clusters of two nodes that each test begins and ends."""
