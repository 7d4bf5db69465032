"""What a courier asks for a parcel."""

from quotes.desk import Refused, quote
from quotes.parcel import Parcel

__all__ = ["Parcel", "Refused", "quote"]
