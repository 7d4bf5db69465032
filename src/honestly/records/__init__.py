"""The shared records that all modules read and write.

`Task` and `Suite` say what is asked, `Agent` who acts, `Trial`, `Trajectory` and `Verdict` what happened, `Finding` and
`Review` what was noticed, `StudyFacts` and `Isolation` under which conditions. Fields are documented where they stand.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.records._base import (
        RECORDS_VERSION as RECORDS_VERSION,
        Record as Record,
        decode as decode,
        digest as digest,
        encode as encode,
    )
    from honestly.records._conditions import (
        Conditions as Conditions,
        DeclaredRule as DeclaredRule,
        Isolation as Isolation,
        Stale as Stale,
        StudyFacts as StudyFacts,
    )
    from honestly.records._files import Edit as Edit, File as File, Tree as Tree
    from honestly.records._findings import (
        RUBRIC as RUBRIC,
        RUBRIC_LABELS as RUBRIC_LABELS,
        SEVERITIES as SEVERITIES,
        Defect as Defect,
        DefectEffect as DefectEffect,
        Evidence as Evidence,
        Finding as Finding,
        ReadCoverage as ReadCoverage,
        Review as Review,
        Severity as Severity,
        Unread as Unread,
    )
    from honestly.records._task import (
        Checks as Checks,
        Contradicted as Contradicted,
        Day as Day,
        Decoy as Decoy,
        Environment as Environment,
        Equivalent as Equivalent,
        Healthcheck as Healthcheck,
        Hidden as Hidden,
        Preparation as Preparation,
        Service as Service,
        Suite as Suite,
        Tags as Tags,
        Task as Task,
        ToolServer as ToolServer,
        Weight as Weight,
        WrongSolution as WrongSolution,
    )
    from honestly.records._texts import call_text as call_text, call_texts as call_texts, step_texts as step_texts
    from honestly.records._trajectory import (
        Observation as Observation,
        Picture as Picture,
        Step as Step,
        Subagent as Subagent,
        ToolCall as ToolCall,
        ToolDefinition as ToolDefinition,
        Trajectory as Trajectory,
    )
    from honestly.records._trial import (
        Agent as Agent,
        Attempt as Attempt,
        Check as Check,
        CheckRun as CheckRun,
        Doubt as Doubt,
        Outcome as Outcome,
        Trial as Trial,
        Truth as Truth,
        Usage as Usage,
        Verdict as Verdict,
        attempt_count as attempt_count,
        trial_id as trial_id,
    )

__getattr__, __dir__ = lazy_exports(__name__)
