"""Does an agent know when it succeeded? Its statements about its work, compared with hidden verdicts.

`stated_results` reads from a study what each trial said at its end, `calibration_report` compares it with what came
out.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.calibrate._calibration import (
        AgentCalibration,
        BrierParts,
        CalibrationBin,
        CalibrationPair,
        brier_parts,
        rank_auroc,
    )
    from honestly.calibrate._report import CalibrationReport, calibration_report
    from honestly.calibrate._stated import StatedResult, read_confidence, stated_results

__all__ = [
    "AgentCalibration",
    "BrierParts",
    "CalibrationBin",
    "CalibrationPair",
    "CalibrationReport",
    "StatedResult",
    "brier_parts",
    "calibration_report",
    "rank_auroc",
    "read_confidence",
    "stated_results",
]

__getattr__, __dir__ = lazy_exports(__name__)
