n = int(input())
on = [False] * (n + 1)
for i in range(1, n + 1):
    if bin(i).count("1") % 2 == 0:
        for lamp in range(i, n + 1, i):
            on[lamp] = not on[lamp]
lit = [lamp for lamp in range(1, n + 1) if on[lamp]]
print(len(lit), lit[-1] if lit else 0)
