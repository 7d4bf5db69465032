"""From bytes to text, however the characters are cut."""

from __future__ import annotations

import codecs

BOM = "\ufeff"


class Decoder:
    """UTF-8, with or without a mark at its beginning. UnicodeDecodeError for anything else."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._begun = False

    def feed(self, data: bytes, final: bool = False) -> str:
        """The characters that are complete by now."""
        text = self._decoder.decode(data, final)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix(BOM)
        return text
