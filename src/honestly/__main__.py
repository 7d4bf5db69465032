"""`python -m honestly`, and the command `honestly`."""

import signal

_usual = signal.getsignal(signal.SIGINT)
if _usual is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules are loaded ends it without a traceback

from honestly.cli import main  # noqa: E402

signal.signal(signal.SIGINT, _usual)

if __name__ == "__main__":
    main()
