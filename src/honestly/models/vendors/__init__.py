"""Vendors' services through `pydantic_ai`; its messages and its wire are imported late."""
