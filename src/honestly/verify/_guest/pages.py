"""A page of the workspace as a check sees it, in a browser that no process of the solution's can reach.

All that is told here comes from the browser, never from the page's scripts (`tools/_guest/page.py`), and is plain data.
What cannot be done as a user would (a click on what is covered, an element that is not there) fails the check.
"""

from __future__ import annotations

import time

from honestly.verify._guest.asking import CheckTimeout

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

    from honestly.verify._guest.asking import Wire

_WAIT_S, _LOOK_S = 5.0, 0.05


class Page:
    """A page in a fresh profile. One is shown at a time."""

    def __init__(self, wire: Wire, path: str, width: int, height: int, accept: bool) -> None:  # noqa: FBT001, RUF100
        self._wire = wire
        self.ask("open", path, width, height, accept)

    def ask(self, name: str, *given: Any) -> Any:
        """The browser's answer to a question; an AssertionError where the page does not bear it."""
        how, told = self._wire.ask_host("page", name, list(given), self._wire.limit * self._wire.patience)
        if how == "late":
            raise CheckTimeout(told)
        if how == "no":
            raise AssertionError(f"{name}: {told}")
        return told

    # finding

    def get(self, role: str, name: str | re.Pattern[str] | None = None, *, within: Element | None = None) -> Element:
        """The one element with this role and accessible name; waits until there is exactly one."""
        found: list[Element] = []

        def one() -> bool:
            found[:] = self.all(role, name, within=within)
            return len(found) == 1

        self.wait(one, lambda: f"{len(found)} elements are {role!r} with the name {name!r}; expected one")
        return found[0]

    def all(
        self, role: str, name: str | re.Pattern[str] | None = None, *, within: Element | None = None
    ) -> list[Element]:
        """Elements with this role and accessible name that assistive technology is told of, in order, as of now."""
        told = self.ask("find", role, within.number if within else 0)
        if isinstance(name, str):
            told = [pair for pair in told if pair[1] == name]
        elif name is not None:
            told = [pair for pair in told if name.search(pair[1])]
        return [Element(self, number) for number, _ in told]

    def css(self, selector: str, *, within: Element | None = None) -> list[Element]:
        """Elements that a selector finds, in the order of the document, as they are now."""
        return [Element(self, number) for number in self.ask("css", selector, within.number if within else 0)]

    @property
    def focused(self) -> Element | None:
        """The element that has the focus."""
        number = self.ask("focused")
        return Element(self, number) if number else None

    # doing

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other: `Tab`, `Shift+Tab`, `ArrowDown`, `Escape`, `Control+a`, `x`."""
        for key in keys:
            self.ask("press", key)

    def type(self, text: str) -> None:
        """Types where the focus is."""
        self.ask("type", text, 0)

    def click(self, x: float, y: float) -> None:
        """Clicks at a point of the window, whatever lies there."""
        self.ask("point", x, y)

    def resize(self, width: int, height: int) -> None:
        """Gives the window another size."""
        self.ask("resize", width, height)

    def reload(self) -> None:
        """Loads the page anew; what it has stored stays."""
        self.ask("reload")

    def goto(self, path: str) -> None:
        """Goes to another file of the workspace."""
        self.ask("goto", path)

    def wait(
        self, condition: Callable[[], object], message: str | Callable[[], str] = "", *, seconds: float = _WAIT_S
    ) -> None:
        """Waits until a condition holds; an AssertionError if it does not within so many seconds."""
        due = time.monotonic() + seconds * self._wire.patience
        while not condition():
            if time.monotonic() > due:
                self._wire.ask_host("page", "slow", [], 1.0)
                text = message() if callable(message) else message
                raise AssertionError(text or f"what the check waits for did not come within {seconds:g} s")
            time.sleep(_LOOK_S)

    # reading

    @property
    def path(self) -> str:
        """The file that is shown, with query and fragment; the whole address if it is none of the workspace."""
        return str(self.ask("told")["path"])

    @property
    def title(self) -> str:
        """The document's title."""
        return str(self.ask("told")["title"])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of all that can be scrolled to."""
        width, height = self.ask("told")["size"]
        return width, height

    @property
    def errors(self) -> list[str]:
        """Uncaught exceptions, `console.error`, and files that could not be loaded, since the page was opened."""
        return list(self.ask("told")["errors"])

    @property
    def dialogs(self) -> list[list[str]]:
        """Dialogs so far: kind and message. They were answered at once: with yes only if the page was opened so."""
        return list(self.ask("told")["dialogs"])

    @property
    def opened(self) -> int:
        """How many windows the page has opened; each was closed at once."""
        return int(self.ask("told")["opened"])


class Element:
    """An element of a page, by the browser's number for it: the same element is equal, whatever became of it."""

    def __init__(self, page: Page, number: int) -> None:
        self._page, self.number = page, number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        told = self._page.ask("accessible", self.number)
        return f"<{told['role']} {told['name']!r}>"

    def click(self) -> None:
        """Clicks in its middle; an AssertionError if something else lies there."""
        self._page.ask("click", self.number)

    def hover(self) -> None:
        """Moves the pointer there."""
        self._page.ask("hover", self.number)

    def focus(self) -> None:
        """Gives it the focus; an AssertionError if it takes none."""
        self._page.ask("focus", self.number)

    def type(self, text: str) -> None:
        """Clicks on it and types, in place of what is there."""
        self._page.ask("type", text, self.number)

    def choose(self, label: str) -> None:
        """Chooses an option of a `select`, with keys."""
        self._page.ask("choose", self.number, label)

    def drag(self, target: Element) -> None:
        """Drags it to the middle of another element, with the pointer."""
        self._page.ask("drag", self.number, target.number)

    @property
    def role(self) -> str:
        """Its role, as assistive technology is told; "none" or "" if it is told of nothing."""
        return str(self._page.ask("accessible", self.number)["role"])

    @property
    def name(self) -> str:
        """Its accessible name."""
        return str(self._page.ask("accessible", self.number)["name"])

    @property
    def description(self) -> str:
        """Its accessible description."""
        return str(self._page.ask("accessible", self.number)["description"])

    def state(self, state: str) -> Any:
        """What assistive technology is told of a state: expanded, checked ("true"), disabled, selected, invalid, level.

        Of `controls`, `activedescendant`, `describedby`, `errormessage` and their like: the list of elements. None
        where it is told nothing.
        """
        told = self._page.ask("accessible", self.number).get(state)
        return [Element(self._page, number) for number in told] if type(told) is list else told

    @property
    def text(self) -> str:
        """Its text as it is rendered."""
        return str(self._page.ask("read", "text", self.number, None)).strip()

    @property
    def value(self) -> str | None:
        """What a field holds; None for what is no field."""
        told = self._page.ask("read", "value", self.number, None)
        return None if told is None else str(told)

    def attribute(self, name: str) -> str | None:
        """An attribute, None if it is not there."""
        told = self._page.ask("read", "attribute", self.number, name)
        return None if told is None else str(told)

    def style(self, name: str) -> str:
        """The computed value of a property of CSS."""
        return str(self._page.ask("read", "style", self.number, name))

    @property
    def box(self) -> tuple[float, float, float, float] | None:
        """Left, top, width and height in the window; None if the page has no place for it."""
        told = self._page.ask("box", self.number)
        return tuple(told) if told else None

    @property
    def visible(self) -> bool:
        """Whether it is drawn, and can be scrolled to so that nothing lies over it; scrolls there."""
        return bool(self._page.ask("visible", self.number))

    @property
    def contrast(self) -> float:
        """The ratio of contrast between its own text and what is behind it, 1 to 21, as WCAG has it."""
        return float(self._page.ask("contrast", self.number))
