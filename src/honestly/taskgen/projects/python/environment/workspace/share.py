"""Sharing money. Files in environment/workspace are what the agent starts with, the tests that it sees included."""


def split(cents, people):
    return [cents // people] * people
