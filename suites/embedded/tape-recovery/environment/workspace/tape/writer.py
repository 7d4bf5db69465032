"""Writes records."""


def record(payload: bytes) -> bytes:
    """One record with this payload (65535 bytes at most)."""
    body = len(payload).to_bytes(2, "big") + payload
    return b"\xa5\x5a" + body + bytes((sum(body) % 251,))
