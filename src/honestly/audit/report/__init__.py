"""What an audit says: findings and rates, how agents worked, who holds reference solutions, what a monitor saw."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit.report._audit import (
        AuditReport as AuditReport,
        audit_report as audit_report,
        audit_section as audit_section,
    )
    from honestly.audit.report._conduct import (
        ConductReport as ConductReport,
        marks_lines as marks_lines,
        marks_plain as marks_plain,
    )
    from honestly.audit.report._endings import Endings as Endings, endings_of as endings_of
    from honestly.audit.report._gold import GoldReport as GoldReport
    from honestly.audit.report._monitor import (
        MonitorEstimate as MonitorEstimate,
        MonitorReport as MonitorReport,
        monitor_estimate as monitor_estimate,
        monitor_report as monitor_report,
    )


__getattr__, __dir__ = lazy_exports(__name__)
