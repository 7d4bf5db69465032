rows, columns, m = map(int, input().split())
top, bottom, left, right = 0, rows - 1, 0, columns - 1
value = total = 0


def visit(r, c):
    global value, total
    value += 1
    if (r + c) % m == 0:
        total += value


while top <= bottom and left <= right:
    for c in range(left, right + 1):
        visit(top, c)
    for r in range(top + 1, bottom + 1):
        visit(r, right)
    if top < bottom:
        for c in range(right - 1, left - 1, -1):
            visit(bottom, c)
    if left < right:
        for r in range(bottom - 1, top, -1):
            visit(r, left)
    top, bottom, left, right = top + 1, bottom - 1, left + 1, right - 1
print(total)
