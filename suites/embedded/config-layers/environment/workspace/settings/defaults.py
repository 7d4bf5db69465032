"""The settings that every service starts with."""

DEFAULTS = {
    "db": {
        "host": "localhost",
        "port": 5432,
        "pool": {"size": 5, "hosts": []},
    },
    "features": ["search"],
    "log": {"level": "info", "file": None},
}
