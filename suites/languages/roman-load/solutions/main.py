a, b = map(int, input().split())
PARTS = [(1000, 1), (900, 2), (500, 1), (400, 2), (100, 1), (90, 2), (50, 1), (40, 2), (10, 1), (9, 2), (5, 1), (4, 2), (1, 1)]
total = most = best = 0
for number in range(a, b + 1):
    rest, letters = number, 0
    for value, length in PARTS:
        letters += rest // value * length
        rest %= value
    total += letters
    if letters > most:
        most, best = letters, number
print(total, best)
