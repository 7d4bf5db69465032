"""Where untrusted code runs: `open_sandbox` gives a box around a tree of files, and takes it away again.

`Sandbox` and `Process` are the protocols (`DoorSandbox`, `WarmSandbox`, `PausableSandbox` those of kinds that can do
more), `Limits` what the code inside may use, `Layout` where its files lie, `packages_layout` one that shows installed
Python packages, `Extent` how much of the machine is shown, `Container` what Docker or Podman shall run instead,
`Egress` what of the network may be reached, `Result` how a command ended, `isolation_layers` which walls this machine
can build, `unpaused_limit` a deadline over work in one that may be paused, `cpu_seconds` what all of them have cost.
`keep_clock_steady` lets no deadline count what this program stands still, `stood_still_s` says how long that was, and
`done_undisturbed` does again what it disturbed. What the walls keep in, what they cost, and what they don't cover is in
docs/sandbox.md.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.sandbox._api import (
        WORKSPACE as WORKSPACE,
        DoorSandbox as DoorSandbox,
        Limits as Limits,
        NetworkedSandbox as NetworkedSandbox,
        Process as Process,
        Result as Result,
        Sandbox as Sandbox,
        WarmSandbox as WarmSandbox,
    )
    from honestly.sandbox._container import Container as Container
    from honestly.sandbox._egress import Egress as Egress, EgressRequest as EgressRequest
    from honestly.sandbox._layers import isolation_layers as isolation_layers, layers_around as layers_around
    from honestly.sandbox._layout import Extent as Extent, Layout as Layout
    from honestly.sandbox._open import (
        SANDBOXES as SANDBOXES,
        Provider as Provider,
        check_provider as check_provider,
        known_provider as known_provider,
        open_sandbox as open_sandbox,
    )
    from honestly.sandbox._packages import package_versions as package_versions, packages_layout as packages_layout
    from honestly.sandbox._pausing import (
        PausableSandbox as PausableSandbox,
        pausable_box as pausable_box,
        paused_s as paused_s,
        unpaused_limit as unpaused_limit,
    )
    from honestly.sandbox._spawner import cpu_seconds as cpu_seconds
    from honestly.sandbox._steady import (
        done_undisturbed as done_undisturbed,
        keep_clock_steady as keep_clock_steady,
        stood_still_s as stood_still_s,
    )


__getattr__, __dir__ = lazy_exports(__name__)
