"""Codes of visits, and what each costs before anything is added."""

CODES = (CHECK, LAB, SURGERY) = ("check", "lab", "surgery")

BASE_PRICES = dict(zip(CODES, (4_000, 2_500, 30_000)))
