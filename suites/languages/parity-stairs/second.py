import sys
from functools import lru_cache

_, *numbers = map(int, sys.stdin.read().split())
sys.setrecursionlimit(10000)


@lru_cache(None)
def onward(place):
    """The best stairs that begin at a place."""
    number = numbers[place]
    options = [
        onward(later)
        for later in range(place + 1, len(numbers))
        if numbers[later] > number and (numbers[later] ^ number) & 1
    ]
    steps, total = max(options, default=(0, 0))
    return steps + 1, total + number


print(*max(onward(place) for place in range(len(numbers))))
