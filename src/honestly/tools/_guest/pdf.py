"""PDFs as pages of text, since Chromium's viewer shows nothing that an agent could read.

Addresses that end with `.pdf` are answered here, between the network and the tab: what is a PDF becomes a page with a
part for each of its pages. Not covered: PDFs at other addresses, pictures of text, passwords.
"""

from __future__ import annotations

import asyncio
import html
import io
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.async_api import BrowserContext, Error, Request, Route

ADDRESS = re.compile(r"^[^?#]*\.pdf([?#]|$)", re.IGNORECASE)
_MOST_PAGES, _MOST_CHARACTERS, _MOST_BYTES = 500, 400_000, 64 << 20


class PdfReader:
    """Answers a context's addresses of PDFs; with `saves` they are downloads, as they are."""

    saves = False

    async def watch(self, context: BrowserContext) -> None:
        """Answers from now on."""
        await context.route(ADDRESS, self._serve_page)

    async def _serve_page(self, route: Route, request: Request) -> None:
        with suppress(Error):
            if not request.is_navigation_request() or request.method != "GET":
                await route.continue_()
                return
            place, headers = urlsplit(request.url), dict[str, str]()
            name, response = Path(unquote(place.path)).name, None
            if place.scheme != "file":
                response = await route.fetch()
                data, headers = await response.body(), response.headers
            else:
                try:
                    data = await asyncio.to_thread(Path(unquote(place.path)).read_bytes)
                except OSError:  # the browser says what is wrong
                    data = b""
            if not data[:1024].lstrip().startswith(b"%PDF-"):
                if response is None:
                    await route.continue_()
                else:
                    await route.fulfill(response=response)
            elif self.saves or headers.get("content-disposition", "").lower().startswith("attachment"):
                kept = headers.get("content-disposition") or "attachment"
                types = {"content-type": "application/octet-stream", "content-disposition": kept}
                await route.fulfill(status=200, headers=types, body=data)
            else:
                page = await asyncio.to_thread(page_of_pdf, name, data)
                await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=page)


def page_of_pdf(name: str, data: bytes) -> str:
    """A page of HTML with the text of a PDF, or with the reason why there is none."""
    shown = [f"<!doctype html><title>{html.escape(name)}</title><h1>{html.escape(name)}</h1>"]
    try:
        from pypdf import PdfReader as Reader
    except ImportError:
        return f"{shown[0]}<p>A PDF of {len(data):,} bytes; its text needs pypdf, which is not installed here.</p>"
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES >> 20} MiB")
        pages, left = Reader(io.BytesIO(data)).pages, _MOST_CHARACTERS
        for number, page in enumerate(pages[:_MOST_PAGES], 1):
            text = page.extract_text()[:left]
            left -= len(text)
            lines = "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line.strip())
            shown.append(f"<h2>Page {number} of {len(pages)}</h2>{lines or '<p>(no text on this page)</p>'}")
            if not left:
                shown.append(f"<p>(cut after {_MOST_CHARACTERS:,} characters)</p>")
                break
        if len(pages) > _MOST_PAGES:
            shown.append(f"<p>(cut after {_MOST_PAGES} pages)</p>")
    except Exception as error:  # noqa: BLE001 - a hostile file may break the library anywhere
        shown.append(f"<p>This PDF cannot be read: {html.escape(str(error)[:300])}</p>")
    return "".join(shown)
