rows, columns, y, x, k = map(int, input().split())
sand = [[0] * columns for _ in range(rows)]
for _ in range(k):
    sand[y][x] += 1
    full = [(y, x)]
    while full:
        r, c = full.pop()
        if sand[r][c] < 4:
            continue
        sand[r][c] -= 4
        full.append((r, c))
        for v, u in ((r - 1, c), (r + 1, c), (r, (c - 1) % columns), (r, (c + 1) % columns)):
            if 0 <= v < rows:
                sand[v][u] += 1
                full.append((v, u))
print(sum(map(sum, sand)), sum(row.count(3) for row in sand))
