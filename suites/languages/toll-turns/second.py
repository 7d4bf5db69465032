import heapq
import sys

height, width, *lines = sys.stdin.read().split()
height, width = int(height), int(width)
waiting = [(0, 0, 0, "")]
done = set()
while waiting:
    paid, r, c, came = heapq.heappop(waiting)
    if (r, c) == (height - 1, width - 1):
        print(paid)
        break
    if (r, c, came) in done:
        continue
    done.add((r, c, came))
    for way, v, u in (("N", r - 1, c), ("S", r + 1, c), ("W", r, c - 1), ("E", r, c + 1)):
        if v in range(height) and u in range(width):
            turn = 3 if came and came != way else 0
            heapq.heappush(waiting, (paid + int(lines[v][u]) + turn, v, u, way))
