"""Reads records, also from damaged files.

All well-formed records are found first, wherever they begin. Then the best way to cut the rest of the file is computed for each offset, from the end: it
begins with a damaged byte, or with the record that begins there, if there is one.
"""

MARK = b"\xa5\x5a"


def recover(data: bytes) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Payloads of the records, and the stretches that are damaged."""
    ends = _records(data)
    # The best way from each place at which a choice is made: (damaged bytes, minus records), and whether it begins with the record.
    # Between the beginnings of records there is none to make.
    starts = sorted(ends)
    best: dict[int, tuple[int, int]] = {}
    chosen: set[int] = set()

    def cost(offset: int, index: int) -> tuple[int, int]:
        """The best from an offset on, of which starts[index] is the first beginning that is not before it."""
        if index == len(starts):
            return len(data) - offset, 0
        return best[index][0] + starts[index] - offset, best[index][1]

    following = _first_at_or_after(starts, ends)
    for k in range(len(starts) - 1, -1, -1):
        start = starts[k]
        damaged, records = cost(ends[start], following[k])
        skipped = cost(start + 1, k + 1)
        taken = damaged, records - 1
        skip = skipped[0] + 1, skipped[1]
        if taken <= skip:
            chosen.add(start)
        best[k] = min(taken, skip)

    payloads, stretches, offset = [], [], 0
    for start in starts:
        if start >= offset and start in chosen:
            if start > offset:
                stretches.append((offset, start))
            payloads.append(data[start + 4 : ends[start] - 1])
            offset = ends[start]
    if offset < len(data):
        stretches.append((offset, len(data)))
    return payloads, stretches


def _records(data: bytes) -> dict[int, int]:
    """Beginnings and ends of all well-formed records, overlapping or not."""
    found = {}
    start = data.find(MARK)
    while start >= 0:
        end = start + 5 + int.from_bytes(data[start + 2 : start + 4], "big")
        if end <= len(data) and sum(data[start + 2 : end - 1]) % 251 == data[end - 1]:
            found[start] = end
        start = data.find(MARK, start + 1)
    return found


def _first_at_or_after(starts: list[int], ends: dict[int, int]) -> list[int]:
    """For each record, the index of the first beginning that is not before its end."""
    from bisect import bisect_left

    return [bisect_left(starts, ends[start]) for start in starts]
