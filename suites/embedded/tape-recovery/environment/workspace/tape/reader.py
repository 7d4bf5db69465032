"""Reads records."""


def recover(data: bytes) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Payloads of the records, and the stretches that are damaged."""
    payloads, position = [], 0
    while position < len(data):
        size = int.from_bytes(data[position + 2 : position + 4], "big")
        end = position + 5 + size
        body = data[position + 2 : end - 1]
        if data[position : position + 2] != b"\xa5\x5a" or end > len(data) or sum(body) % 251 != data[end - 1]:
            return payloads, [(position, len(data))]
        payloads.append(body[2:])
        position = end
    return payloads, []
