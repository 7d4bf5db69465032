import sys

words = sys.stdin.read().split()
rows, columns, cells = int(words[0]), int(words[1]), words[2:]
FAR = 10**9
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))
cost = [[[FAR] * 4 for _ in range(columns)] for _ in range(rows)]
cost[0][0] = [0] * 4
changed = True
while changed:
    changed = False
    for r in range(rows):
        for c in range(columns):
            for d in range(4):
                v, u = r + MOVES[d][0], c + MOVES[d][1]
                if not (0 <= v < rows and 0 <= u < columns):
                    continue
                least = min(cost[r][c][e] + (3 if e != d else 0) for e in range(4)) + int(cells[v][u])
                if least < cost[v][u][d]:
                    cost[v][u][d] = least
                    changed = True
print(min(cost[rows - 1][columns - 1]))
