import sys

start, goal, n, *listed = sys.stdin.read().split()
unused = set(listed)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def variants(word):
    yield word[1:]
    for letter in LETTERS:
        yield letter + word
        for place in range(len(word)):
            yield word[:place] + letter + word[place + 1 :]


reached, steps = {start}, 0
while reached and goal not in reached:
    unused -= reached
    reached = {other for word in reached for other in variants(word) if other in unused}
    steps += 1
print(steps if reached else -1)
