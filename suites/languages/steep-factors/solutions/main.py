n = int(input())
least = list(range(n + 1))
for p in range(2, n + 1):
    if least[p] == p:
        for m in range(p * p, n + 1, p):
            if least[m] == m:
                least[m] = p
count = total = 0
for number in range(2, n + 1):
    rest, last, steep = number, 0, True
    while rest > 1:
        p = least[rest]
        if last and p < 2 * last:
            steep = False
            break
        last = p
        rest //= p
    if steep:
        count += 1
        total += number
print(count, total)
