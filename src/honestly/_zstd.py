"""Zstandard: the standard library's from Python 3.14 on, its backport before."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
