import sys
from collections import Counter

height, width, *lines = sys.stdin.read().split()
height, width = int(height), int(width)
text = "".join(lines)
parent = list(range(height * width))


def root(cell):
    while parent[cell] != cell:
        parent[cell] = cell = parent[parent[cell]]
    return cell


land = [cell for cell, mark in enumerate(text) if mark == "#"]
for cell in land:
    row, column = divmod(cell, width)
    for other in (row * width + (column + 1) % width, (row + 1) % height * width + column):
        if text[other] == "#":
            parent[root(cell)] = root(other)
sizes = Counter(map(root, land))
print(len(sizes), max(sizes.values(), default=0))
