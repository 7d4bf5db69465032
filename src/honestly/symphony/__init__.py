"""Symphony: a daemon that takes tickets from a tracker and gives each a workspace and an agent with some turns.

It follows the draft of the published specification of that name (docs/symphony.md says where not). `Workflow` reads
WORKFLOW.md, `Tracker` the tickets, `Workspaces` keeps a git worktree for each, `Worker` makes one attempt;
`serve_tickets` is the daemon, `daemon_status` what it last saw.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.symphony._config import Config as Config, Workflow as Workflow, read_workflow as read_workflow
    from honestly.symphony._log import Log as Log
    from honestly.symphony._orchestrator import Orchestrator as Orchestrator
    from honestly.symphony._tracker import Ticket as Ticket, Tracker as Tracker
    from honestly.symphony._worker import Worker as Worker
    from honestly.symphony._workspace import Workspaces as Workspaces


__getattr__, __dir__ = lazy_exports(__name__)
