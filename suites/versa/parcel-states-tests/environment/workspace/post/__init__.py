"""Parcels."""

from post.parcel import NotAllowed, Parcel

__all__ = ["NotAllowed", "Parcel"]
