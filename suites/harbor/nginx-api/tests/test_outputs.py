import json
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

open_url = build_opener(ProxyHandler({})).open


def get(path):
    with open_url(f"http://127.0.0.1:8080{path}", timeout=10) as answer:
        return answer.read().decode()


def test_the_service_answers():
    assert json.loads(get("/api/add?a=2&b=3")) == {"sum": 5}
    assert json.loads(get("/api/add?a=40&b=2&c=-7")) == {"sum": 35}


def test_files_are_served():
    assert get("/") == "<h1>Sums</h1>\n"
    try:
        get("/apiary")
    except HTTPError as error:
        assert error.code == 404
    else:
        raise AssertionError("/apiary is no file")
