"""What formats have in common."""


def amount(cents):
    """Cents as euros."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def cells(entry):
    """The four texts of a booking."""
    return [str(entry.day), entry.account, amount(entry.cents), entry.note]


def lines(head, entries, line, foot=()):
    """A text of lines: one for each booking, between others."""
    return "\n".join([head, *(line(*cells(entry)) for entry in entries), *foot]) + "\n"
