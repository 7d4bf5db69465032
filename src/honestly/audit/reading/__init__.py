"""Trials read for the detectors: commands, files, quotes, tables of steps."""
