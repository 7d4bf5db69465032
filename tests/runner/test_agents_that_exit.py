"""An agent that wants to exit ends its own trial, which counts; Ctrl-C still ends the run."""

import signal

import anyio
import pytest

import honestly
from honestly.agents import is_own_doing
from honestly.records import Outcome


class Stop(BaseException):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt("mine"), Stop("x")])
def test_a_trial_whose_agent_exits_has_failed_with_its_reason(tmp_path, error):
    async def leaving(run, box):
        raise error

    study = honestly.run("embedded", [leaving, "oracle"], tasks="split-bill", out=tmp_path / "s.honestly", jobs=1)
    rows = {row.agent: row for row in study.trials()}
    assert rows["oracle"].outcome is Outcome.PASSED
    assert rows["leaving"].outcome is Outcome.FAILED
    assert type(error).__name__ in rows["leaving"].reason


def raised(work):
    """What comes out of a piece of work in an event loop."""
    try:
        anyio.run(work)
    except BaseException as error:
        return error
    return None


def test_who_stops_the_program_is_no_agent():
    seen = []

    async def asked():
        try:
            raise SystemExit(1)
        except SystemExit as error:
            seen.append(is_own_doing(error))

    async def cancelled():
        with anyio.move_on_after(0):
            try:
                await anyio.sleep(9)
            except BaseException as error:
                seen.append(is_own_doing(error))
                raise

    async def interrupted():
        # The second Ctrl-C is raised by the loop's handler wherever the program is.
        try:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            seen.append(is_own_doing(error))
            raise

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever other tests have left
    raised(asked)
    raised(cancelled)
    assert isinstance(raised(interrupted), KeyboardInterrupt)
    signal.signal(signal.SIGINT, before)
    assert seen == [True, False, False]
