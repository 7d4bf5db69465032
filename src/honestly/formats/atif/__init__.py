"""Trajectories in ATIF, in and out."""
