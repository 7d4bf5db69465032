"""Who may do what in which folder."""

from rights.service import Refused, Service

__all__ = ["Refused", "Service"]
