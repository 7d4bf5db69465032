"""What a detector says of a case."""

from typing import NamedTuple


class Suspicion(NamedTuple):
    """What a detector says: the record of it, a finding, is made elsewhere."""

    quote: str
    """Verbatim from the step, the file or the verdict: it is checked, and a quote that is not there is an error."""
    step: int | None = None
    where: str = ""
    """`file:<path>`, `verdict`, `log:<name>` for what stands in no step; empty for a step."""
    note: str = ""
    """One plain sentence for people: what is odd about it."""
    kind: str = ""
    """Which of several things it is, where that is counted (`Finding.kinds`)."""
