"""How much of the reference solution stands word for word in what agents wrote, beside what others wrote."""

from honestly.audit.gold._study import GoldRow, Hunk, contained, gold_table, reference_hunks

__all__ = ["GoldRow", "Hunk", "contained", "gold_table", "reference_hunks"]
