"""Loops around one agent: one conversation, repeated fresh ones, a team, a critic.

`honestly.agents` finds them by the names that `--agent` takes. Each is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.teams._ralph import ralph as ralph
    from honestly.teams._revise import revise as revise
    from honestly.teams._single import single as single
    from honestly.teams._team import team as team


__getattr__, __dir__ = lazy_exports(__name__)
