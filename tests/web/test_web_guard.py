"""What stands before every page: who may ask, what a change must carry, what an answer may do."""

import hashlib
import re
from importlib.resources import files

import httpx2
import pytest

from honestly.errors import ViewError
from honestly.web import Listening


def asked(viewer, path="/", method="GET", **headers):
    return httpx2.request(method, viewer.url + path, headers=headers, follow_redirects=False)


@pytest.fixture
def view(viewer, demo_study):
    with viewer(demo_study) as opened:
        yield opened


def test_nothing_is_shown_without_the_token(view):
    for path in ("/", f"/s/{next(iter(view.library)).key}/", "/static/viewer.js", "/anything"):
        answer = asked(view, path)
        assert answer.status_code == 401
        assert "split-bill" not in answer.text


def test_a_token_opens_it_once_and_leaves_the_address(view):
    token = view.access.new_token()
    first = asked(view, f"/?token={token}&x=1")
    assert first.status_code == 303
    assert first.headers["location"] == "/?x=1"
    assert "HttpOnly" in first.headers["set-cookie"]
    assert asked(view, f"/?token={token}").status_code == 401


def test_a_guessed_cookie_opens_nothing(view):
    name, value = view.access.cookie
    for guess in (value[:-1], value + "x", "", "%E9", "0" * len(value)):
        assert asked(view, "/", cookie=f"{name}={guess}").status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""])
def test_another_name_for_this_machine_is_refused(view, host):
    name, value = view.access.cookie
    assert asked(view, "/", host=host, cookie=f"{name}={value}").status_code in {400, 421}


def test_every_answer_forbids_scripts_of_others(view):
    for path in ("/", "/nothing", "/static/viewer.js"):
        policy = asked(view, path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_a_change_needs_its_own_page(view):
    name, value = view.access.cookie
    good = {"cookie": f"{name}={value}", "origin": view.url, "x-csrf-token": view.access.csrf}
    reached = asked(view, "/", "POST", **good).status_code
    assert reached in {404, 405}, "the guard lets it through, and there is nothing to change there"
    for wrong in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"x-csrf-token": "0" * 64},
        {"x-csrf-token": ""},
        {"cookie": ""},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
    ):
        assert asked(view, "/", "POST", **(good | wrong)).status_code in {401, 403}


def test_what_is_too_large_is_refused(view):
    with view.client() as client:
        assert client.get("/?" + "x" * 9000).status_code == 414
        assert client.post("/", content=b"x" * (2 << 20)).status_code == 413


def test_elsewhere_needs_a_password():
    with pytest.raises(ViewError, match="password"):
        Listening(host="0.0.0.0")
    for wrong in ("999.1.1.1", "127.0.0.1:80"):
        with pytest.raises(ViewError, match="is no address"):
            Listening(host=wrong)
    Listening(host="0.0.0.0", password="correct horse battery")
    Listening(host="::1")


def test_vendored_files_are_what_they_say():
    static = files("honestly.web").joinpath("static")
    listed = re.findall(r"\| `([^`]+\.js)` \|.*`([0-9a-f]{64})`", static.joinpath("README.md").read_text())
    assert listed
    for name, digest in listed:
        assert hashlib.sha256(static.joinpath(name).read_bytes()).hexdigest() == digest
