"""Merging one layer of settings over another."""

from copy import deepcopy
from typing import Any


def merge(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """The settings of `base` with those of `override` over them, sharing no dict or list with either.

    - Where both hold a dict, the two are merged in the same way.
    - None in `override` removes the key; removing a key that is not there does nothing.
    - Anything else in `override` replaces what `base` holds. Lists are replaced as a whole. A dict that replaces
      something other than a dict, or nothing, is taken over as it is, with any None inside it.
    - Keys keep the order of `base`; new keys follow in the order of `override`.
    """
    merged = deepcopy(base)
    for key, value in override.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = deepcopy(value)
    return merged
