"""The PostgreSQL store keeps the contract, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from store_contract import StoreContract

from honestly.store import SqlStore, create_study, open_study
from postgres_server import Server, running_server

NUMBERS = count()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for all tests of this file."""
    with running_server() as server:
        yield server


class Place:
    """A study in the database."""

    def __init__(self, address: str) -> None:
        self.address = address

    def create(self) -> SqlStore:
        return create_study(self.address)

    def reopen(self) -> SqlStore:
        return open_study(self.address)


class TestPostgresStore(StoreContract):
    """The contract, over a schema."""

    @pytest.fixture
    def fresh(self, server: Server) -> Place:
        return Place(server.address(f"s{next(NUMBERS)}"))
