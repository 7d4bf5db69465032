"""PDFs made by hand."""

from __future__ import annotations


def pdf_of(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at, text in enumerate(pages):
        drawn = f"BT /F 12 Tf 72 700 Td ({text}) Tj ET"
        font = "/Resources<</Font<</F 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {5 + 2 * at} 0 R{font}>>")
        objects.append(f"<</Length {len(drawn)}>> stream\n{drawn}\nendstream")
    made, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer <</Root 1 0 R/Size {len(objects) + 1}>>"
    return f"{made}{head}\nstartxref\n{len(made)}\n%%EOF\n".encode()
