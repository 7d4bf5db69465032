"""A board: columns of cards, and what may be done with them.

Commands check what they are told and record events; only `apply` changes the board, so that replaying its events gives
the same board again.
"""

from __future__ import annotations

from kanban.events import Event


class UnknownCard(KeyError):
    """Raised for a card that is not on the board."""


class Board:
    """Cards in columns. `pending` are the events that have not been stored yet."""

    SCHEMA = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self.version = 0
        """Number of events that were applied, pending ones included."""
        self.pending: list[Event] = []
        self._columns: dict[str, list[str]] = {}
        self._titles: dict[str, str] = {}
        self._moves: dict[str, int] = {}
        self._limits: dict[str, int] = {}

    def columns(self) -> dict[str, list[tuple[str, str]]]:
        """Cards and their titles by column, from top to bottom; columns in the order in which they first had a card."""
        return {column: [(card, self._titles[card]) for card in cards] for column, cards in self._columns.items()}

    def moves(self, card: str) -> int:
        """How often a card was moved; archived cards are remembered, others raise UnknownCard."""
        if card not in self._moves:
            raise UnknownCard(card)
        return self._moves[card]

    def add(self, title: str, column: str) -> str:
        """Adds a card at the bottom of a column, and gives its id: "c1", "c2" and so on, none of them ever twice."""
        card = f"c{len(self._moves) + 1}"
        self._check_limit(column)
        self._record({"kind": "added", "card": card, "title": title, "column": column})
        return card

    def move(self, card: str, column: str, place: int = 0) -> None:
        """Moves a card to a place of a column, 0 being the top.

        Raises:
            UnknownCard: the card is not on the board.
            ValueError: the column is full.
        """
        if card not in self._columns.get(column, []):
            self._check_limit(column)
        self._record({"kind": "moved", "card": self._known(card), "column": column, "place": place})

    def archive(self, card: str) -> None:
        """Takes a card off the board. Raises UnknownCard if it is not on it."""
        self._record({"kind": "archived", "card": self._known(card)})

    def limit(self, column: str, cards: int) -> None:
        """Lets a column have at most so many cards from now on; those that are there may stay."""
        self._record({"kind": "limited", "column": column, "cards": cards})

    def apply(self, event: Event) -> None:
        """Changes the board as an event says."""
        match event:
            case {"kind": "added", "card": str(card), "title": str(title), "column": str(column)}:
                self._columns.setdefault(column, []).append(card)
                self._titles[card] = title
                self._moves[card] = 0
            case {"kind": "moved", "card": str(card), "column": str(column), "place": int(place)}:
                self._take_out(card)
                self._columns.setdefault(column, []).insert(place, card)
                self._moves[card] += 1
            case {"kind": "archived", "card": str(card)}:
                self._take_out(card)
                del self._titles[card]
            case {"kind": "limited", "column": str(column), "cards": int(cards)}:
                self._limits[column] = cards
            case _:
                raise ValueError(f"not an event of a board: {event}")
        self.version += 1

    def _record(self, event: Event) -> None:
        self.apply(event)
        self.pending.append(event)

    def _known(self, card: str) -> str:
        if card not in self._titles:
            raise UnknownCard(card)
        return card

    def _check_limit(self, column: str) -> None:
        if len(self._columns.get(column, [])) >= self._limits.get(column, 10**9):
            raise ValueError(f"column {column} is full")

    def _take_out(self, card: str) -> None:
        for cards in self._columns.values():
            if card in cards:
                cards.remove(card)
