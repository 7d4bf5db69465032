"""Bridges into other people's programs, each an extra of its own: nothing here is imported before it is named."""
