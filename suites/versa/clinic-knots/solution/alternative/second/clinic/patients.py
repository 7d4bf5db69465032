"""Patients."""

from datetime import date

from clinic.account import cents_of, fines, reminders_by


class Patient:
    """A patient: when they were born, whether they are insured, what they have paid in cents, and how often they were reminded."""

    def __init__(self, name: str, born: date, *, insured: bool = False) -> None:
        self.name = name
        self.born = born
        self.insured = insured
        self.paid = 0
        self.reminded = 0
        self.visits = []

    def is_child(self, day: date) -> bool:
        """Whether they are under 18 on a day; who was born on the 29th of February comes of age on the 1st of March."""
        return (day.year - self.born.year) - ((day.month, day.day) < (self.born.month, self.born.day)) < 18

    def balance(self) -> int:
        """Cents that they still have to pay; below 0 if they have paid too much. Each reminder but the first adds a fine."""
        return cents_of(self.visits) + fines(self.reminded) - self.paid

    def is_late(self, today: date) -> bool:
        """Whether a reminder is due that they have not had."""
        return reminders_by(today, self.visits, self.paid) > self.reminded
