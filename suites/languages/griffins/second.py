n, m = map(int, input().split())


def attacks(row, column, other_row, other_column):
    down, across = abs(row - other_row), abs(column - other_column)
    return max(down, across) <= 1 or (down, across) in ((1, 2), (2, 1))


def place(columns):
    row = len(columns)
    if row == n:
        return 1
    return sum(
        place([*columns, column])
        for column in range(m)
        if not any(attacks(row, column, above, columns[above]) for above in range(max(row - 2, 0), row))
    )


print(place([]))
