"""The symbols of codes: digits and letters that are not easily taken for one another."""

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTVWXYZ"
