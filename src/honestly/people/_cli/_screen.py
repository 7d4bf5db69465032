"""The review of trials on a whole screen: a trial to page through, and a key for each label.

A window over the sections of a trial (`_text.py`); where it stands is a section and a line of it, so that a huge
trajectory is never drawn as a whole. What is typed for a note stays until a label is given. Each label is saved at
once; one that could not be saved is said so, and asked for again.
"""

from rich.cells import set_cell_size
from rich.console import Console, Group
from rich.screen import Screen
from rich.text import Text

from honestly.command import INTERRUPT, RESIZED, Typed, keys_listening, quiet_keys
from honestly.errors import StoreError
from honestly.people import CODEBOOK, RATINGS
from honestly.people._cli._session import ReviewQuestion, ReviewSession
from honestly.trials import MARK, TrialText, terminal_text

_LABELS = {entry.key: entry.label for entry in CODEBOOK}
_KEYS = (
    "   ".join(f"{entry.key} {entry.label}" for entry in CODEBOOK),
    "j k line · space b page · [ ] step · n p evidence · f full · d change · i start",
    "1 to 5 rate · 0 no rating · m note · u undo · x skip · ? labels · q quit, all is saved",
)
_RATINGS = {"0": None, **{str(rating): rating for rating in RATINGS}}
_AROUND = len(_KEYS) + 2
"""Rows that are not the trial's: the head, what is said, the keys."""
_STEPS = {"down": 1, "j": 1, "up": -1, "k": -1}
_PAGES = {" ": 1, "page down": 1, "b": -1, "page up": -1}


def review_on_screen(session: ReviewSession, console: Console) -> None:
    """Shows trials and takes labels until the person leaves or nothing is left.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed twice.
    """
    with keys_listening() as keys, quiet_keys(), console.screen(hide_cursor=True):
        screen = ReviewScreen(session)
        while screen.there and session.current_question is not None:
            width, height = console.size
            console.print(Screen(screen.rendered(width, height)), end="")
            screen.press(keys.next(), height)


class ReviewScreen:
    """Where the person is, and what keys do there."""

    def __init__(self, session: ReviewSession) -> None:
        self.session = session
        self.there = True
        """Whether the person is still here."""
        self._note, self._typing, self._said = "", False, ""
        self._typed = Typed()
        self._trial: TrialText | None = None
        self._asked: ReviewQuestion | None = None
        self._section, self._line = 0, 0
        self._full: set[int] = set()
        self._rated: int | None = None

    def rendered(self, width: int, height: int) -> Group:
        """The whole screen, for this many columns and rows."""
        asked = self.session.current_question
        if self._trial is None or self._asked != asked or self._trial.width != width:
            if self._trial is None or self._asked != asked:
                self._section, self._line, self._full = 0, 0, set()
                self._rated = self.session.rating
            self._trial, self._asked = self.session.trial_text(width), asked
            self._line = 0
        trial = self._trial
        space = max(1, height - _AROUND)
        lines: list[Text] = []
        section, skip = self._section, self._line
        while len(lines) < space and section <= trial.last:
            lines += [line.copy() for line in self._section_lines(trial, section)[skip : skip + space - len(lines)]]
            section, skip = section + 1, 0
        lines += [Text("")] * (space - len(lines))
        agent = "the agent is not shown" if self._is_blind else trial.trial.agent
        at = "start" if not self._section else "end" if self._section > trial.steps else f"step {self._section - 1}"
        words = f" {trial.trial.task} · {agent} · {at}, {trial.steps} steps · {self.session.left} trials left"
        head = Text(set_cell_size(terminal_text(words).replace("\n", " "), width), style="reverse")
        keys = [Text(row, style="bold" if not number else "dim") for number, row in enumerate(_KEYS)]
        whole = [head, *lines, self._foot_line(width), *keys][:height]
        for line in whole:
            line.truncate(width, overflow="ellipsis")
        return Group(*whole)

    def press(self, key: str, height: int) -> None:
        """Handles a key, on a screen of this many rows."""
        if key == INTERRUPT:
            self._typing, self._said = False, "Ctrl-C again leaves; every label that you gave is saved"
        elif key == RESIZED:
            return
        elif self._typing:
            if key in {"\r", "\n"}:
                self._note, self._typing = self._typed.text.strip(), False
            elif key == "\x1b":
                self._typing = False
            elif len(key) == 1:
                self._typed.keys(key.encode())
        elif key in _LABELS:
            self._give_label(_LABELS[key])
        elif key in _RATINGS:
            self._give_rating(_RATINGS[key])
        elif self._trial is not None:
            self._said = ""
            self._go_to(self._trial, key, max(1, height - _AROUND - 2))
            self._do_key(key)

    @property
    def _is_blind(self) -> bool:
        return self._asked is not None and self._asked.blind

    def _foot_line(self, width: int) -> Text:
        if self._typing:
            return Text(f"note › {self._typed.text[-max(10, width - 10) :]}█", style="bold")
        note = f"note: {self._note}" if self._note else ""
        rated = f"rated {self._rated} of {RATINGS[-1]}" if self._rated else ""
        return Text(
            terminal_text(" · ".join(filter(None, (self._said, rated, note)))).replace("\n", " "), style="yellow"
        )

    def _section_lines(self, trial: TrialText, section: int) -> tuple[Text, ...]:
        return trial.section(section, section in self._full)

    def _go_to(self, trial: TrialText, key: str, page: int) -> None:
        if key in _STEPS:
            self._scroll(trial, _STEPS[key])
        elif key in _PAGES:
            self._scroll(trial, _PAGES[key] * page)
        elif key in {"]", "right"}:
            self._show_section(min(self._section + 1, trial.last))
        elif key in {"[", "left"}:
            self._show_section(self._section if self._line else max(0, self._section - 1))
        elif key in {"i", "home"}:
            self._show_section(0)
        elif key in {"d", "end"}:
            self._show_section(trial.last)
        elif key in {"n", "p"}:
            self._next_evidence(trial, onwards=key == "n")
        elif key == "f":
            self._full ^= {self._section}
            self._line = min(self._line, max(0, len(self._section_lines(trial, self._section)) - 1))

    def _do_key(self, key: str) -> None:
        if key == "q":
            self.there = False
        elif key == "m":
            self._typing, self._typed = True, Typed()
            self._typed.text = self._note
        elif key == "u":
            try:
                undone = self.session.undo()
            except StoreError as error:
                self._said = f"NOT taken back: {error}"
            else:
                self._rated = self.session.rating
                self._said = "taken back" if undone else "nothing of this sitting is left to take back"
        elif key == "x":
            self.session.skip()
            self._note = ""
        elif key == "?":
            self._said = "; ".join(f"{entry.label}: {entry.meaning}" for entry in CODEBOOK)

    def _show_section(self, section: int) -> None:
        self._section, self._line = section, 0

    def _scroll(self, trial: TrialText, lines: int) -> None:
        self._line += lines
        while self._line < 0 and self._section > 0:
            self._section -= 1
            self._line += len(self._section_lines(trial, self._section))
        while self._section < trial.last and self._line >= len(self._section_lines(trial, self._section)):
            self._line -= len(self._section_lines(trial, self._section))
            self._section += 1
        most = len(self._section_lines(trial, self._section)) - 1
        self._line = max(0, min(self._line, most) if self._section == trial.last else self._line)

    def _next_evidence(self, trial: TrialText, *, onwards: bool) -> None:
        places = trial.evidence()
        if not places:
            self._said = "shown blind: find it yourself" if self._is_blind else "nobody quotes anything here"
            return
        after = [place for place in places if (place > self._section if onwards else place < self._section)]
        self._show_section((after or places)[0 if onwards else -1])
        marked = [number for number, line in enumerate(self._section_lines(trial, self._section)) if line.style == MARK]
        self._line = max(0, marked[0] - 3) if marked else 0
        self._said = f"evidence {places.index(self._section) + 1} of {len(places)}"

    def _give_label(self, label: str) -> None:
        try:
            self.session.give_label(label, self._note)
        except StoreError as error:
            self._said = f"NOT saved: {error}"
        else:
            self._note, self._said = "", f"saved: {label}"

    def _give_rating(self, rating: int | None) -> None:
        try:
            self.session.rate(rating, self._note)
        except StoreError as error:
            self._said = f"NOT saved: {error}"
        else:
            self._note, self._said, self._rated = "", "saved" if rating else "the rating is taken back", rating
