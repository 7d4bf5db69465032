"""XML."""

from ledger.formats._shared import cells as _cells

NAME, EXTENSION, MIME, BINARY = "xml", ".xml", "application/xml", False


def write(bookings):
    """The text of bookings."""
    lines = ["<bookings>"]
    for entry in bookings:
        lines.append(_line(*_cells(entry)))
    lines.append("</bookings>")
    return "\n".join(lines) + "\n"


def sniff(head):
    """Whether a file begins like this."""
    return head.lstrip().startswith(b"<")


def _line(*cells):
    safe = [cell.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for cell in cells]
    return '  <booking day="{}" account="{}" amount="{}" note="{}"/>'.format(*safe)
