"""What the harness wrote down when it ran the tests: each log is read when asked for, and cleaned when used.

Most logs hold nothing that a detector looks for, and to clean one takes longer than to look for a word in it. A word of
the record is a word of the cleaned text: noise stands between words, and never within one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from honestly.audit.reading._clean import clean


class Logs(Mapping[str, str]):
    """Cleaned logs by name.

    Args:
        names: names of the logs.
        read: gives a log as it was recorded, of bounded size.
    """

    def __init__(self, names: Iterable[str], read: Callable[[str], str]) -> None:
        self._read = read
        self._raw: dict[str, str | None] = dict.fromkeys(names)
        self._clean: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._clean:
            self._clean[name] = clean(self.raw(name))
        return self._clean[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def raw(self, name: str) -> str:
        """A log as it was recorded."""
        text = self._raw[name]
        if text is None:
            text = self._raw[name] = self._read(name)
        return text


def logs_with(logs: Mapping[str, str], *words: str) -> Iterator[tuple[str, str]]:
    """Names and cleaned texts of the logs that hold one of the words."""
    raw = logs.raw if isinstance(logs, Logs) else logs.__getitem__
    for name in logs:
        text = raw(name)
        if any(word in text for word in words):
            yield name, logs[name]
