"""Applies unified diffs to texts."""

from patcher.apply import apply_patch
from patcher.hunks import Hunk, PatchError, parse_patch

__all__ = ["Hunk", "PatchError", "apply_patch", "parse_patch"]
