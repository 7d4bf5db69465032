"""Layered settings of a service."""
