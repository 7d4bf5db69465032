"""Walking a site as a graph: pages by their links, from the first one on, the nearest first; by GET alone.

Addresses that differ in numbers only are of one shape; of each shape so many pages are read, which is what ends
calendars and lists without end. A link that sounds as if following it did something (log out, delete) is not followed.
"""

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urldefrag, urlsplit

from honestly.taskgen.pages._read import Cell, Form, Read
from honestly.taskgen.pages._visit import Visitor, path_of

_RISKY = re.compile(r"log.?out|sign.?out|delete|remove|destroy|cancel|unsubscribe|(?<!\w)drop(?!\w)", re.IGNORECASE)
_DEPTH = 12
_TOLD = 20


class Way(NamedTuple):
    """How a page was reached: the text of each link, and where it led, from the first page on."""

    steps: tuple[Cell, ...] = ()


class Place(NamedTuple):
    """A page that was reached."""

    page: Read
    way: Way

    @property
    def path(self) -> str:
        """Where it lies on the site."""
        return path_of(self.page.url)


@dataclass(slots=True)
class SiteWalk:
    """The result of a walk."""

    places: dict[str, Place] = field(default_factory=dict)
    """By path, in the order in which they were reached."""
    known: set[str] = field(default_factory=set)
    """Every path on the site that a link leads to."""
    left: Counter[str] = field(default_factory=Counter)
    """Links that were not followed, and pages that could not be read, by reason."""
    acting: str = ""
    """The path whose reading has changed the site's state, at which the walk has ended."""
    forms: dict[str, tuple[Form, str]] = field(default_factory=dict)
    """By shape: the first one, and the path of its page."""

    def title_counts(self) -> Counter[str]:
        """How many pages have each title."""
        return Counter(place.page.title for place in self.places.values())


def path_shape(path: str) -> str:
    """A path without what differs between pages of a kind: segments with digits, and the values of a query."""
    parts = urlsplit(path)
    segments = ["#" if re.search(r"\d", part) else part for part in parts.path.split("/")]
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return "/".join(segments) + (f"?{'&'.join(names)}" if names else "")


def form_shape(form: Form) -> str:
    """The shape that forms of a kind have in common: method, length of the path, fields that are seen,
    button less numbers.
    """
    fields = ",".join(sorted(field.name for field in form.fields if field.type != "hidden"))
    deep = path_of(form.action).partition("?")[0].count("/")
    first = path_shape(path_of(form.action)).partition("?")[0].split("/")[1]
    return f"{form.method.upper()} /{first}{'/#' * (deep - 1)} [{re.sub(r'[0-9]+', '#', form.button)}] {fields}".strip()


async def walk_site(
    visitor: Visitor,
    *,
    pages: int,
    per_shape: int = 12,
    until: float = float("inf"),
    tell: Callable[[str], None] = lambda _: None,
    state: Callable[[], object] | None = None,
    avoid: Collection[str] = (),
) -> SiteWalk:
    """Read the pages of a site."""
    walked, shapes = SiteWalk(), Counter[str]()
    waiting: deque[tuple[str, Way]] = deque()
    first = await visitor.enter_site()
    if first.page is None:
        walked.left[first.why] += 1
        return walked
    _keep_place(walked, Place(first.page, Way()), visitor, waiting)
    before = state() if state else None
    while waiting:
        path, way = waiting.popleft()
        if len(walked.places) >= pages or time.monotonic() > until:
            walked.left["more than --pages, or time was up"] += 1 + len(waiting)
            break
        kind = path_shape(path)
        if path in avoid:
            walked.left["reading it changes the site"] += 1
            continue
        if shapes[kind] >= per_shape:
            walked.left[f"more than {per_shape} pages of a shape"] += 1
            continue
        shapes[kind] += 1
        seen = await visitor.get(path)
        if state and state() != before:
            walked.acting = path
            return walked
        if seen.page is None:
            walked.left[seen.why] += 1
        elif seen.path in walked.places:
            walked.left["the same page by another address"] += 1
        else:
            _keep_place(walked, Place(seen.page, way), visitor, waiting)
            if len(walked.places) % _TOLD == 0:
                tell(f"{len(walked.places)} pages read, {len(waiting)} to go: {seen.path}")
    return walked


def _keep_place(walked: SiteWalk, place: Place, visitor: Visitor, waiting: deque[tuple[str, Way]]) -> None:
    walked.places[place.path] = place
    walked.known.add(place.path)
    for form in place.page.forms:
        walked.forms.setdefault(form_shape(form), (form, place.path))
    for link in place.page.links:
        if not visitor.holds(link.href):
            why = "another host" if link.href.startswith(("http:", "https:")) else "no address of a page"
        elif _RISKY.search(link.text) or _RISKY.search(urlsplit(link.href).path):
            why = "a link that sounds as if it did something"
        else:
            why = "deeper than 12 folders" if urlsplit(link.href).path.count("/") > _DEPTH else ""
        path = path_of(urldefrag(link.href)[0]) if not why else ""
        if why:
            walked.left[why] += 1
        elif path not in walked.known:
            walked.known.add(path)
            waiting.append((path, Way((*place.way.steps, Cell(link.text, path)))))
