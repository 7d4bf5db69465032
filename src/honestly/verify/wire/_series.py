"""Checks of many solutions in a series: everything is sent ahead, and the host only hears what came of each.

A series takes place in one slot, and each of its checks has a fresh wire and a fresh cell. The grader, when it is done
with one candidate, calls for the next by itself, over a line to the supervisor of the candidates' sandbox on which
nothing can be said but "next". So the host, which takes part in a single check (`_broker.py`) from its beginning to its
end, does so once for all of a series.

Whatever is out of the ordinary ends a series, and the check at which it happened is left to be run by itself: one that
needs the host for files or commands, a candidate that could not begin, a grader that did not survive, an answer that
came too late on a busy machine. So is a check, without ending the series, that took longer than all checks may, and one
whose solution may have wanted what a cell lacks: it raised an error of the system or of an import.
"""

import socket
from collections.abc import Callable, Sequence

import anyio
import msgspec

from honestly.errors import SandboxError, VerifierError
from honestly.records import Check, Tree
from honestly.sandbox import stood_still_s
from honestly.sandbox._guest._cpu_time import further_seconds, is_crowded
from honestly.sandbox._guest.frames import pack_frame
from honestly.verify._guest import wire
from honestly.verify.wire._channel import ChannelGone, HostChannel, packed_tree
from honestly.verify.wire._slot import Slot
from honestly.verify.wire._slots import Slots
from honestly.verify.wire._told import NO_RESULT, GraderReport, told_of_frame, with_grader

LARGEST = 64 << 10
"""Bytes of a workspace that fit a socket which nobody reads yet."""
_MOST = 32
"""Checks in a series: enough that the host costs little, few enough to be judged again when a program was killed."""
_SPARE_S = 30.0
_LACKED = 0.05
"""Of the time that an answer took which was too late: how much of it must have gone to others for it to count again."""

Note = Callable[[int, Check | None], None]


class Unit(msgspec.Struct, frozen=True):
    """One check of one solution."""

    name: str
    files: Tree
    """Check files."""
    files_name: str
    """What tells sets of check files apart."""
    final: Tree
    """The solution, cached code included; at most `LARGEST` bytes."""
    seed: int
    timeout_s: float


async def run_series(units: Sequence[Unit], slots: Slots, note: Note) -> None:
    """Runs checks, as many in one series as may be, and notes what came of each; None where it must be run by itself.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    at = 0
    while at < len(units):
        async with slots.slot_for(series=True) as slot:
            at += await _Series(slot, units[at : at + _MOST], slots.alone, note, at).noted_checks()


class _Series:
    """One series, in one slot."""

    def __init__(self, slot: Slot, units: Sequence[Unit], alone: set[str], note: Note, first: int) -> None:
        """`first`: the number by which the first of the units is noted."""
        self._slot, self._units, self._alone, self._note, self._first = slot, units, alone, note, first
        self._noted, self._stood = 0, stood_still_s()
        self._slow: GraderReport | None = None
        """What was said of the check that was too slow, if that ended the series."""

    async def noted_checks(self) -> int:
        """Runs the series; returns how many checks were noted: all, unless the grader stopped before the last."""
        ended = False
        if self._slot.far.in_series:
            try:
                await self._listen(await self._begin_grader())
                ended = True
            except (ChannelGone, TimeoutError):
                # It says what it held back before it works on what could keep it busy: the next in turn is the one.
                if await self._slot.end_grader() and self._noted < len(self._units):
                    self._tell_judged(NO_RESULT.check(self._units[self._noted].name, 0.0))
            except (SandboxError, VerifierError):
                self._slot.spoilt = True
            slow = await self._clear()
            if self._noted < len(self._units):
                name = self._units[self._noted].name
                self._tell_judged(slow.check(name, slow.seconds) if slow else None)
        while not ended and self._noted < len(self._units):
            self._tell_judged(None)
        return self._noted

    async def _begin_grader(self) -> HostChannel:
        """Sends everything ahead; returns the grader, which is at work from then on."""
        slot, first = self._slot, self._units[0]
        ends: list[socket.socket] = []
        try:
            for _ in range(len(self._units) + 1):
                ends += socket.socketpair()
            # The first pair is the line on which the grader calls for the next.
            near, far = ends[::2], ends[1::2]
            for unit, end in zip(self._units, near[1:], strict=True):
                await slot.far.prepare(unit.final)
                data = packed_tree(unit.final)
                if end.send(data, socket.MSG_DONTWAIT) < len(data):
                    raise SandboxError(f"{len(data)} bytes of a solution do not fit a socket")
            await slot.far.fork_each(far[1:], far[0], slot.core)
            grader = await slot.grader_with(first.files, first.files_name)
            parts = [pack_frame(wire.SERIES, b"%d" % self._slot.core)]
            for unit in self._units:
                if self._slot.lacks_files(unit.files, unit.files_name):
                    parts.append(packed_tree(unit.files))
                number = self._slot.number(unit.files_name)
                parts.append(pack_frame(wire.START, wire.dumps([number, unit.name, unit.seed, 1.0], None)))
            await grader.write(b"".join([*parts, pack_frame(wire.END, b"")]), [end.fileno() for end in near])
        finally:
            for end in ends:
                end.close()
        slot.uses += len(self._units) - 1
        return grader

    async def _listen(self, grader: HostChannel) -> None:
        """Notes what the grader tells, until the series has ended."""
        patience = max(unit.timeout_s for unit in self._units) + _SPARE_S
        ended = False
        while not ended:
            with anyio.fail_after(patience):
                frames = await grader.receive_some()
            ended = frames[-1][0] == wire.END
            for _, payload in frames[: len(frames) - ended]:
                said = told_of_frame(payload)
                if said.status != "passed":
                    await self._slot.far.confirm()  # raises where the sandbox broke, and the check fails by that
                unit = self._units[self._noted]
                if said.how == "host":
                    self._alone.add(unit.files_name)
                elif said.how == "apart" or (said.seconds > unit.timeout_s and said.status != "timeout"):
                    self._tell_judged(None)  # by itself, it is seen whose fault it was
                elif said.how != "unbegun":
                    if said.status == "timeout":
                        self._slow = said
                    else:
                        self._tell_judged(said.check(unit.name, said.seconds))

    async def _clear(self) -> GraderReport | None:
        """Clears the candidates' sandbox; returns what was said of one that was too slow, if it had all of its time."""
        slow, far = None, self._slot.far
        try:
            if self._slow is not None:
                self._slot.spoilt = True  # its keeper has read how long the cell ran, and a later cell could, too
                took, got = self._slow.seconds, with_grader(await far.cpu_used(), self._slow.waited)
                if not is_crowded() and further_seconds(took, took, 0.0, got, 0.0) < _LACKED * took:
                    slow = self._slow
            await far.clear()
        except SandboxError:  # whatever a candidate left there, what came of it is known, and the slot is replaced
            self._slot.spoilt = True
        return slow

    def _tell_judged(self, check: Check | None) -> None:
        # What was judged while this program stood still is judged again, by itself, whatever came of it.
        self._note(self._first + self._noted, check if stood_still_s() == self._stood else None)
        self._noted += 1
