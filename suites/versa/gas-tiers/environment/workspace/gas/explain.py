"""How a price comes about."""


def explain(units: int) -> list[str]:
    """Lines: the base price, the units of each tier that has some, and the total.

    Raises:
        ValueError: the number is below 0.
    """
    if units < 0:
        raise ValueError(f"units cannot be below 0: {units}")
    lines = ["base 850"]
    total = 850
    first = min(units, 500)
    if first:
        lines.append(f"{first} x 12 = {first * 12}")
        total += first * 12
    second = min(max(units - 500, 0), 1000)
    if second:
        lines.append(f"{second} x 9 = {second * 9}")
        total += second * 9
    third = max(units - 1500, 0)
    if third:
        lines.append(f"{third} x 7 = {third * 7}")
        total += third * 7
    lines.append(f"total {total}")
    return lines
