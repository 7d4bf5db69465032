"""The artifacts of a trial: files as text, images, downloads, and pages of an agent's making behind glass.

Names come from the study, never from an address: one that a trial does not have is not found. No file is ever given
with the rights of the viewer's own pages: text is escaped, an image is one of four kinds by its first bytes, anything
else is a download, and HTML is shown, after a click, in a frame without scripts, of no origin, that loads nothing.
"""

from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from honestly.show import printable_line
from honestly.store import Store
from honestly.web._pages import Pages

_MOST_TEXT, _MOST_SHOWN = 256 << 10, 5 << 20
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
_SEALED = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""

    def artifacts(request: Request) -> Response:
        study, trial = pages.study(request), request.path_params["trial"]
        store = study.store
        return pages.page(
            "artifacts/list.html", request, study=study, trial=store.trial(trial), artifacts=store.artifacts(trial)
        )

    def artifact(request: Request) -> Response:
        study = pages.study(request)
        trial, name, size = _asked_artifact(study.store, request)
        data = _file_start(study.store, trial, name, _MOST_TEXT)
        page_like = name.lower().endswith((".html", ".htm")) and size <= _MOST_SHOWN
        return pages.page(
            "artifacts/one.html",
            request,
            study=study,
            trial=study.store.trial(trial),
            name=name,
            size=size,
            text=_readable_text(data),
            left=size - len(data),
            picture=_picture_kind(data) if size <= _MOST_SHOWN else "",
            page_like=page_like,
            sealed=page_like and request.query_params.get("sealed") == "1",
        )

    def download(request: Request) -> Response:
        store = pages.study(request).store
        trial, name, _ = _asked_artifact(store, request)
        last = quote(name.rpartition("/")[2] or "artifact", safe="")
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{last}", "content-security-policy": _SEALED}
        return StreamingResponse(store.artifact_pieces(trial, name), 200, headers, "application/octet-stream")

    def sandboxed_picture(request: Request, kind: str) -> Response:
        store = pages.study(request).store
        trial, name, size = _asked_artifact(store, request)
        if size > _MOST_SHOWN:
            raise HTTPException(413, "It is too large to be shown; download it.")
        data = store.artifact(trial, name)
        kind = kind or _picture_kind(data)
        if not kind:
            raise HTTPException(404, "This is not an image of a known kind.")
        return Response(data, media_type=kind, headers={"content-security-policy": _SEALED})

    return [
        Route("/s/{key}/t/{trial}/artifacts", artifacts),
        Route("/s/{key}/t/{trial}/artifact", artifact),
        Route("/s/{key}/t/{trial}/download", download),
        Route("/s/{key}/t/{trial}/picture", lambda request: sandboxed_picture(request, "")),
        Route("/s/{key}/t/{trial}/sealed", lambda request: sandboxed_picture(request, "text/html")),
    ]


def _asked_artifact(store: Store, request: Request) -> tuple[str, str, int]:
    """Trial, name and size of the artifact that an address means."""
    trial, name = request.path_params["trial"], request.query_params.get("name", "")
    if (size := store.artifacts(trial).get(name)) is None:
        raise HTTPException(404, "This trial left nothing of that name.")
    return trial, name, size


def _file_start(store: Store, trial: str, name: str, most: int) -> bytes:
    data, pieces = b"", store.artifact_pieces(trial, name)
    while len(data) < most and (piece := next(pieces, None)) is not None:
        data += piece
    return data[:most]


def _readable_text(data: bytes) -> str | None:
    """Bytes as text that can be looked at; None where they are no text."""
    if b"\0" in data:
        return None
    return "\n".join(printable_line(line) for line in data.decode("utf-8", "replace").split("\n"))


def _picture_kind(data: bytes) -> str:
    found = next((kind for start, kind in _PICTURES.items() if data.startswith(start)), "")
    return "" if found == "image/webp" and data[8:12] != b"WEBP" else found
