"""A cache of answers: what was asked before is answered as before, from memory or disk.

The key is the digest of the model's name, the conversation, the tools and the settings. Repeated trials ask the same
question and must not get the same answer: give each sample a `salt` of its own (its seed, say), or the k samples of a
cell are one sample. An answer from the cache costs nothing, and says so: its usage is 0.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.models._codec import message_json, read_message, request_digest
from honestly.records import Usage, digest

_NOTHING = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, usd=0.0)
_MOST_BYTES = 256 << 20


class CacheModel:
    """A model that answers repeated questions from a cache."""

    def __init__(self, model: Model, folder: Path | None = None, *, salt: str = "") -> None:
        """A model that asks `model`.

        Args:
            model: Who is asked.
            folder: Where answers are kept, one file each; in memory if None.
            salt: Part of the key: what tells samples apart.
        """
        self.name = model.name
        self.hits = 0
        """Answers that came from the cache."""
        self._model, self._folder, self._salt = model, folder, salt
        self._kept: dict[str, bytes] = {}

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message.

        Raises:
            ModelError: As the model does; errors are not kept. Or the folder cannot be written.
        """
        key = digest("answer", self.name, self._salt, request_digest(messages, tools, settings))
        if (kept := self._read_answer(key)) is not None:
            self.hits += 1
            return replace(kept, usage=_NOTHING)
        answer = await self._model(messages, tools, settings)
        self._write(key, message_json(answer))
        return answer

    def _read_answer(self, key: str) -> Message | None:
        """The kept answer; a file that is damaged is as good as none."""
        try:
            if self._folder is None:
                data = self._kept[key]
            else:
                path = self._folder / f"{key}.json"
                if path.stat().st_size > _MOST_BYTES:
                    return None
                data = path.read_bytes()
            return read_message(data)
        except (KeyError, OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def _write(self, key: str, data: bytes) -> None:
        if self._folder is None:
            self._kept[key] = data
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._folder, suffix=".part", delete=False) as file:
                file.write(data)
            Path(file.name).replace(self._folder / f"{key}.json")
        except OSError as error:
            raise ModelError(f"the cache cannot be written: {error}; give another folder") from None
