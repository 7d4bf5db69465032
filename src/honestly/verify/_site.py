"""Tasks that play on a web site: the site beside the sandbox, the way to it, and its state as a file that is judged.

The site runs in this process, opened afresh by whoever needs it. Code in a sandbox reaches it by a door on the loopback
inside, at an address that is the same in every trial, and nothing else of this machine. At the end its state is put
into the final workspace as `site-state.json`, in place of whatever is there: the file is what the site says of
itself, so that hidden checks read it like any other, and a stored trial can be judged again without the site.

A solution of such a task is a program, `play.py`, that asks the site for what is to be done (`site_calls.py` says how);
`played_workspace` runs it in a sandbox against a fresh site, so that references, wrong solutions and mutants are proved
like those of other tasks. Not covered: sandboxes without doors; a site that a task's own workspace brings along.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from honestly.errors import SandboxError
from honestly.records import File, Task, Tree, encode
from honestly.sandbox import DoorSandbox, Sandbox
from honestly.sites import CALLS, PLAY, OpenSite, open_site, site_calls
from honestly.tools import Api
from honestly.verify._open import OpenBox

SITE = "{site}"
"""The placeholder for the site's address in an instruction."""
STATE = "site-state.json"
"""Where the site's state lies in the final workspace."""
SITE_PORT = 8400
"""Where a site is found inside a sandbox, on the loopback."""

_PLAY_S = 60.0


@asynccontextmanager
async def reachable_address(site: OpenSite, box: Sandbox, *, pages_only: bool = False) -> AsyncIterator[str]:
    """The address at which code in a sandbox finds an open site; `pages_only` closes its interface for programs.

    Raises:
        SandboxError: a sandbox of this kind has no doors.
    """
    if not isinstance(box, DoorSandbox):
        raise SandboxError(f"a sandbox of the kind {box.name!r} has no door through which to reach the task's site")
    # Without isolation there is one loopback for all trials, so any free port.
    listener = await box.listen(0 if box.name == "none" else SITE_PORT)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with site.served_on(listener, pages_only=pages_only):
        yield url


def reachable_apis(site: OpenSite, url: str) -> dict[str, Api]:
    """The interface of an open site that is reached at an address, by the quality of its documentation."""
    apis = {}
    for quality in ("good", "poor"):
        found = site.api(quality)
        base = url + found.base.removeprefix(site.url)
        apis[quality] = Api(base=base, methods=found.methods, headers=found.headers, pages=found.pages, really=site.url)
    return apis


def with_state(final: Tree, site: OpenSite) -> Tree:
    """A final workspace with the site's state before and after."""
    state = msgspec.json.format(encode({"before": site.before, "after": site.state()}), indent=1) + b"\n"
    kept = {path: file for path, file in final.files.items() if path.partition("/")[0] != STATE}
    return Tree(files={**kept, STATE: File(data=state)})


async def played_workspace(task: Task, tree: Tree, open_box: OpenBox) -> Tree:
    """The final workspace of a solution; on a site, after its program ran.

    A program that fails has done what it did until then. Where the site's state lies already, and no program, nothing
    is done.
    """
    if not task.site or (STATE in tree.files and PLAY not in tree.files):
        return tree
    async with open_site(task.site, seed=task.site_seed) as site:
        if PLAY in tree.files:
            async with open_box(Tree.of({CALLS: site_calls()}).over(tree)) as box, reachable_address(site, box) as url:
                await box.exec(["python3", PLAY, url], timeout=_PLAY_S)
        return with_state(tree.without({PLAY, CALLS}), site)
