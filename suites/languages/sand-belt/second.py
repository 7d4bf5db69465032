height, width, y, x, k = map(int, input().split())
# The order of the topplings does not matter, so all grains may come at once.
belt = {(r, c): 0 for r in range(height) for c in range(width)}
belt[y, x] = k
while True:
    high = {cell: grains // 4 for cell, grains in belt.items() if grains >= 4}
    if not high:
        break
    for (r, c), times in high.items():
        belt[r, c] -= 4 * times
        for cell in ((r - 1, c), (r + 1, c), (r, (c + 1) % width), (r, (c + width - 1) % width)):
            if cell in belt:
                belt[cell] += times
print(sum(belt.values()), list(belt.values()).count(3))
