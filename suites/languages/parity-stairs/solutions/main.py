import sys

values = list(map(int, sys.stdin.read().split()))[1:]
best = []
for i, value in enumerate(values):
    longest, largest = 1, value
    for j in range(i):
        if values[j] < value and (values[j] + value) % 2 == 1:
            length, total = best[j][0] + 1, best[j][1] + value
            if length > longest or (length == longest and total > largest):
                longest, largest = length, total
    best.append((longest, largest))
print(*max(best))
