"""Ways to set agents to work, one file or folder each, over the rooms below; and how their work comes back.

`symphony` takes tickets from a tracker. `copy_of` says what of a checkout an agent gets to see, `write_back` puts what
it changed into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.recipes._checkout import Copy, copy_of, objections, without_clutter, write_back

__all__ = ["Copy", "copy_of", "objections", "without_clutter", "write_back"]

__getattr__, __dir__ = late(__name__)
