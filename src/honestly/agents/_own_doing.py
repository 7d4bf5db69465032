"""Whose doing it is that an agent ended: its own, whatever it raised, or that of whoever stops the program."""

import asyncio.runners

import anyio


def is_own_doing(error: BaseException) -> bool:
    """Whether an agent raised this itself (also `SystemExit`), unlike a cancelled trial or Ctrl-C."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_own_doing, error.exceptions))
    if isinstance(error, KeyboardInterrupt):
        # Ctrl-C is raised by the handler of the event loop, in whatever line runs then; else somebody wrote `raise`.
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return trace is not None and trace.tb_frame.f_code.co_filename != asyncio.runners.__file__
    return not isinstance(error, anyio.get_cancelled_exc_class())
