"""Does an agent know when it succeeded? Its statements about its work, compared with hidden verdicts.

`stated_results` reads from a study what each trial said at its end, `calibration_report` compares it with what came
out.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.calibrate._calibration import (
        AgentCalibration as AgentCalibration,
        BrierParts as BrierParts,
        CalibrationBin as CalibrationBin,
        CalibrationPair as CalibrationPair,
        brier_parts as brier_parts,
        rank_auroc as rank_auroc,
    )
    from honestly.calibrate._report import (
        CalibrationReport as CalibrationReport,
        calibration_report as calibration_report,
    )
    from honestly.calibrate._stated import (
        StatedResult as StatedResult,
        read_confidence as read_confidence,
        stated_results as stated_results,
    )


__getattr__, __dir__ = lazy_exports(__name__)
