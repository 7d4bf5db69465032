"""What tests of tables share."""

import pytest


@pytest.fixture(params=["imported", "counted"])
def read_both_ways(request, tmp_path, monkeypatch):
    """A small table is imported; and it is only counted, as a long one is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if request.param == "counted":
        monkeypatch.setattr("honestly.studies._open._LONG_BYTES", 1)
    return request.param
