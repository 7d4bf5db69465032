"""Parcels, and what is billed of them."""

from dataclasses import dataclass

LIGHT = 31_500  # grams that one person may carry


@dataclass(frozen=True)
class Parcel:
    """A parcel: its weight in grams and its sides in centimetres, all of them at least 1."""

    grams: int
    length: int
    width: int
    height: int

    @property
    def sides(self) -> tuple[int, int, int]:
        """The sides, the longest first."""
        low, middle, high = sorted((self.length, self.width, self.height))
        return high, middle, low

    @property
    def girth(self) -> int:
        """The longest side and the way around the other two."""
        longest, middle, low = self.sides
        return longest + 2 * (middle + low)

    @property
    def bulk(self) -> int:
        """Grams that the volume stands for: 200 for a cubic decimetre that has begun."""
        return -(-self.length * self.width * self.height // 1000) * 200

    @property
    def billed(self) -> int:
        """Grams that are paid for: the bulk counts where it is more than half as much again as the weight."""
        if self.bulk > self.grams + self.grams // 2:
            return self.bulk
        return self.grams

    @property
    def is_letter(self) -> bool:
        """Whether it fits into a letter box."""
        longest, middle, low = self.sides
        return longest <= 35 and middle <= 25 and low <= 3 and self.grams <= 1000
