import sys
from functools import lru_cache

sys.setrecursionlimit(10000)
text = input().strip()


@lru_cache(None)
def kept(i, j):
    """The most characters of text[i..j] that can stay."""
    if j - i < 1:
        return 0
    most = kept(i + 1, j - 1) + 2 if text[i] + text[j] in ("()", "[]", "{}") else 0
    for middle in range(i, j):
        most = max(most, kept(i, middle) + kept(middle + 1, j))
    return most


print(len(text) - kept(0, len(text) - 1))
