"""Success by length of the work, compared with errors at a constant rate.

`measured_lengths` reads lengths and verdicts from a study, `length_report` fits the rate.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.length._length import (
        AgentLength as AgentLength,
        LengthBin as LengthBin,
        MeasuredLength as MeasuredLength,
        agent_length as agent_length,
        measured_lengths as measured_lengths,
    )
    from honestly.length._report import LengthReport as LengthReport, length_report as length_report


__getattr__, __dir__ = lazy_exports(__name__)
