def number_at(r, c, height, width):
    """What stands in a cell: the rings around it are full, and then it is so far along its own ring."""
    ring = min(r, c, height - 1 - r, width - 1 - c)
    h, w = height - 2 * ring, width - 2 * ring
    y, x = r - ring, c - ring
    before = height * width - h * w
    if y == 0:
        along = x
    elif x == w - 1:
        along = w - 1 + y
    elif y == h - 1:
        along = w - 1 + h - 1 + (w - 1 - x)
    else:
        along = 2 * (w - 1) + (h - 1) + (h - 1 - y)
    return before + along + 1


height, width, m = (int(word) for word in input().split())
print(sum(number_at(r, c, height, width) for r in range(height) for c in range(-r % m, width, m)))
