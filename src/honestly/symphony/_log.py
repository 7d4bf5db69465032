"""Log lines: `time event=... outcome=... key=value`, or the same as JSON, to every sink that still takes them."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TextIO

_PLAIN = re.compile(r"[\w.:/@+-]+")
_LONGEST = 1000


class Log:
    """Writes events to sinks; one that fails is left out from then on, and the others say so."""

    def __init__(self, sinks: Sequence[TextIO], *, as_json: bool = False) -> None:
        self._sinks, self._json = list(sinks), as_json

    def __call__(self, event: str, **fields: object) -> None:
        """One event; what is None is left out."""
        known = {name: value for name, value in fields.items() if value is not None}
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self._json:
            self._write(json.dumps({"time": at, "event": event, **known}, default=str))
        else:
            self._write(
                " ".join([at, f"event={event}", *(f"{name}={_log_value(value)}" for name, value in known.items())])
            )

    def _write(self, line: str) -> None:
        broken = []
        for sink in self._sinks:
            try:
                sink.write(line + "\n")
                sink.flush()
            except (OSError, ValueError):
                broken.append(sink)
        for sink in broken:
            self._sinks.remove(sink)
        if broken and self._sinks:
            self("log", outcome="failed", reason=f"{len(broken)} of the sinks failed; the others go on")


def _log_value(value: object) -> str:
    text = str(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
