import json
import subprocess

import pytest
import redis


@pytest.fixture
def server():
    server = redis.Redis()
    server.flushall()
    yield server
    server.flushall()


def work():
    subprocess.run(["python3", "/app/worker.py"], check=True, timeout=30)


def test_sums(server):
    for number in range(20):
        server.lpush("jobs", json.dumps({"id": f"job{number}", "numbers": list(range(number))}))
    work()
    assert server.llen("jobs") == 0
    assert {int(value) for value in server.hvals("results")} == {sum(range(n)) for n in range(20)}


def test_what_is_no_job(server):
    for text in ("{", '{"id": "a"}', '{"id": "a", "numbers": ["x"]}', '{"id": "b", "numbers": [5]}'):
        server.lpush("jobs", text)
    work()
    assert server.lrange("rejected", 0, -1) == [b'{"id": "a", "numbers": ["x"]}', b'{"id": "a"}', b"{"]
    assert server.hgetall("results") == {b"b": b"5"}
