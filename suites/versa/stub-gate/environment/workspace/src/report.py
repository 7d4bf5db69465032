"""A use of tinyq."""

from tinyq import Stream, cached, read


@cached
def size(word: str) -> int:
    return len(word)


def longest(path: str) -> str:
    words: Stream[str] = read(path, "lines")
    return words.sort(key=size, reverse=True).first("")
