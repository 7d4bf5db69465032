"""Sites of one's own: WSGI and ASGI applications over a folder that each trial finds as it was."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anyio
import anyio.lowlevel
import httpx2
import pytest

from honestly.errors import SiteError
from honestly.sites import FolderSite, SiteRequest, asgi_answers, open_site, wsgi_answers

DOCUMENT = {
    "paths": {
        "/notes": {
            "post": {
                "operationId": "add_note",
                "summary": "Adds a note.",
                "requestBody": {
                    "content": {"application/json": {"schema": {"properties": {"text": {}}, "required": ["text"]}}}
                },
            }
        }
    }
}


def rows(folder: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        return {"notes": [text for (text,) in database.execute("SELECT text FROM notes ORDER BY rowid")]}


def add(folder: Path, body: bytes, kind: str) -> None:
    text = json.loads(body)["text"] if "json" in kind else parse_qs(body.decode())["text"][0]
    with closing(sqlite3.connect(folder / "notes.db")) as database, database:
        database.execute("INSERT INTO notes VALUES (?)", (text,))


def start(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / "notes.db")) as database, database:
        database.execute("CREATE TABLE notes (text TEXT)")
        database.execute("INSERT INTO notes VALUES ('first')")
    return folder


def wsgi(folder: Path) -> Any:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            add(folder, environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])), environ["CONTENT_TYPE"])
            start_response("303 See Other", [("Location", "/notes"), ("Set-Cookie", "a=1")])
            return []
        if environ["PATH_INFO"] == "/broken":
            raise RuntimeError("broken")
        start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "9")])
        return [
            f"{environ['PATH_INFO'].encode('latin-1').decode()}?{environ['QUERY_STRING']} ".encode(),
            json.dumps(rows(folder)).encode(),
        ]

    return wsgi_answers(app)


def asgi(folder: Path) -> Any:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await anyio.lowlevel.checkpoint()
        if scope["method"] == "POST":
            add(folder, (await receive())["body"], dict(scope["headers"])[b"content-type"].decode())
            head = [(b"location", b"/notes"), (b"set-cookie", b"a=1")]
            await send({"type": "http.response.start", "status": 303, "headers": head})
            await send({"type": "http.response.body"})
            return
        if scope["path"] == "/broken":
            raise RuntimeError("broken")
        head = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        said = f"{scope['path']}?{scope['query_string'].decode()} "
        await send({"type": "http.response.body", "body": said.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": json.dumps(rows(folder)).encode()})

    return asgi_answers(app)


@pytest.mark.parametrize("serve", [wsgi, asgi])
def test_each_opening_begins_with_the_folder_as_it_was(
    serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = start(tmp_path)
    module = tmp_path / "notes_site.py"
    module.write_text("site = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    import notes_site

    monkeypatch.setattr(notes_site, "site", lambda: FolderSite(folder, serve, rows, openapi=lambda: DOCUMENT))

    async def work() -> None:
        for _ in range(2):
            async with (
                open_site("notes_site:site") as site,
                httpx2.AsyncClient(base_url=site.url, verify=False) as client,
            ):
                assert site.before == site.state() == {"notes": ["first"]}
                reply = await client.post("/notes", data={"text": "of a form"})
                assert (reply.status_code, reply.headers["location"], reply.cookies["a"]) == (303, "/notes", "1")
                call = {"name": "add_note", "arguments": {"text": "of a tool"}}
                asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
                assert not (await client.post("/mcp", json=asked)).json()["result"]["isError"]
                page = await client.get("/n%C3%B6tes?q=1")
                assert page.text == '/nötes?q=1 {"notes": ["first", "of a form", "of a tool"]}'
                assert (await client.get("/broken")).status_code == 500
                assert site.state() == {"notes": ["first", "of a form", "of a tool"]}
                assert list(site.api("good").pages) == ["POST /notes"]
                assert "text" in site.api("poor").pages["POST /notes"]
            assert rows(folder) == {"notes": ["first"]}

    anyio.run(work)


def test_frameworks_that_people_use_are_served(tmp_path: Path) -> None:
    starlette = pytest.importorskip("starlette.applications", reason="comes with the extra `mcp`")
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def hello(request: Any) -> Any:
        form = await request.form() if request.method == "PUT" else {}
        return PlainTextResponse(f"hello {request.query_params.get('name')} {dict(form)}")

    app = starlette.Starlette(routes=[Route("/hello", hello, methods=["GET", "PUT"])])
    site = FolderSite(tmp_path / "none", lambda _: asgi_answers(app), lambda _: {})
    assert site.answer(SiteRequest("GET", "/hello?name=x")).body == b"hello x {}"
    assert site.answer(SiteRequest("GET", "/other")).status == 404
    (tmp_path / "file").write_text("")
    with pytest.raises(SiteError, match="cannot be copied"):
        FolderSite(tmp_path / "file", wsgi, rows)
