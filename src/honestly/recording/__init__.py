"""Records a person's work in a terminal or browser as a trajectory.

`record_terminal` runs a shell in a terminal of its own and writes a journal as it goes; `read_recording` makes of a
journal, whole or cut off, the steps, the edit and the cast; `keep_recording` puts them into a study. What is typed
while the terminal does not echo, and what looks like a key, is gone before a byte is written (`StreamRedactor`).
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.recording._browser import (
        open_recorded_browser as open_recorded_browser,
        record_browser as record_browser,
    )
    from honestly.recording._journal import (
        Recording as Recording,
        RecordingJournal as RecordingJournal,
        read_recording as read_recording,
    )
    from honestly.recording._keep import keep_recording as keep_recording
    from honestly.recording._plain import plain_text as plain_text
    from honestly.recording._redact import (
        StreamRedactor as StreamRedactor,
        secrets_of_environment as secrets_of_environment,
    )
    from honestly.recording._terminal import record_terminal as record_terminal


__getattr__, __dir__ = lazy_exports(__name__)
