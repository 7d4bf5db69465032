import sys

words = sys.stdin.read().split()
rows, columns, cells = int(words[0]), int(words[1]), words[2:]
seen = [[False] * columns for _ in range(rows)]
islands = largest = 0
for r in range(rows):
    for c in range(columns):
        if cells[r][c] != "#" or seen[r][c]:
            continue
        islands += 1
        size, stack = 0, [(r, c)]
        seen[r][c] = True
        while stack:
            y, x = stack.pop()
            size += 1
            for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                v, u = (y + dy) % rows, (x + dx) % columns
                if cells[v][u] == "#" and not seen[v][u]:
                    seen[v][u] = True
                    stack.append((v, u))
        largest = max(largest, size)
print(islands, largest)
