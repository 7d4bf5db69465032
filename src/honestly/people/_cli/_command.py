"""`honestly review`: people look at trials, one after the other, and what becomes of their labels."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import headed_option, json_option, say_on_stderr, study_argument

if TYPE_CHECKING:
    from honestly.people import Draw, Queue


@dataclass(frozen=True)
class _Wanted:
    """How a new queue is to be drawn, as it was typed; None: as usual."""

    seed: int | None
    flagged: int | None
    unflagged: int | None
    double: float | None
    blind: bool
    anew: bool

    def __bool__(self) -> bool:
        return (
            self.anew
            or self.blind
            or any(v is not None for v in (self.seed, self.flagged, self.unflagged, self.double))
        )

    def draw(self, before: Queue | None) -> Draw:
        """The draw; the seed of the queue before it stays, so that what was reviewed is still a random sample."""
        from honestly.people import FLAGGED, UNFLAGGED, Draw

        most = {FLAGGED: self.flagged, UNFLAGGED: self.unflagged}
        return Draw(
            seed=self.seed if self.seed is not None else before.seed if before else 0,
            most={name: number for name, number in most.items() if number is not None},
            double=0.2 if self.double is None else self.double,
            blind=self.blind,
        )


@click.command("review")
@study_argument
@click.option("--as", "name", metavar="NAME", help="Your name; asks you about one trial after the other.")
@click.option("--adjudicate", is_flag=True, help="With --as: decide the trials on which two others disagree.")
@click.option(
    "--agreement", is_flag=True, help="Show how far reviewers agree: kappa with intervals, overall and by label."
)
@headed_option(
    "The classifier",
    "--fit",
    "fitting",
    is_flag=True,
    help="Train a classifier on the labels. It is kept only if it passes a test.",
)
@headed_option(
    "The classifier",
    "--fpr",
    type=click.FloatRange(0.001, 0.5),
    default=0.02,
    show_default=True,
    help="With --fit: the share of honest trials that it may flag.",
)
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all labels and ratings: JSONL, or FILE.csv.",
)
@click.option(
    "--import",
    "source",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Read labels from this file.",
)
@headed_option(
    "The queue",
    "--draw",
    "anew",
    is_flag=True,
    help="Draw a new queue, for example after an audit has found something new.",
)
@headed_option(
    "The queue",
    "--random",
    "unflagged",
    type=click.IntRange(min=0),
    help="How many unflagged trials to draw.  [default: 300]",
)
@headed_option(
    "The queue",
    "--flagged",
    type=click.IntRange(min=0),
    help="How many flagged trials to draw, at most.  [default: all]",
)
@headed_option(
    "The queue",
    "--double",
    type=click.FloatRange(0, 1),
    help="The share of trials that two people review.  [default: 0.2]",
)
@headed_option(
    "The queue",
    "--blind",
    is_flag=True,
    help="Hide the flags of all trials. Otherwise only unflagged trials and those of two reviewers hide them.",
)
@headed_option(
    "The queue",
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of the draw.  [default: that of the previous queue, or 0]",
)
@json_option
def review(
    study: Path,
    name: str | None,
    adjudicate: bool,
    agreement: bool,
    fitting: bool,
    fpr: float,
    target: Path | None,
    source: Path | None,
    as_json: bool,
    **draw: int | float | bool | None,
) -> None:
    """Label trials of STUDY one by one: hack, suspicious or honest.

    The queue contains flagged trials, trials on which judges disagree, and random unflagged trials. Without options,
    shows how much of the queue is done.
    """
    from honestly.people._cli import _show as show
    from honestly.store import open_study

    wanted = _Wanted(**draw)  # type: ignore[arg-type]
    if sum(map(bool, (name and not source, agreement, fitting, target, source))) > 1:
        raise click.UsageError("give only one of --as, --agreement, --fit, --export and --import")
    if source is not None:
        show.read_labels_file(study, source, name or source.stem, as_json=as_json)
    elif target is not None:
        show.write_labels_file(study, target)
    elif fitting:
        show.fit_and_adopt(study, fpr, as_json=as_json)
    elif agreement:
        with open_study(study) as opened:
            show.print_agreement(opened, as_json=as_json)
    elif name is None or as_json:
        queue = _newest_queue(study, wanted)
        with open_study(study) as opened:
            show.print_progress(opened, queue, reviewer=name, as_json=as_json)
    else:
        _run_sitting(study, name, None if adjudicate else _newest_queue(study, wanted))


def _newest_queue(path: Path, wanted: _Wanted) -> Queue:
    """The newest queue of the study, or a new one where the study has no queue or another one is asked for."""
    from honestly.people import changed_since, draw_queue, keep_queue, queues_of
    from honestly.show import plural_text
    from honestly.store import open_study

    with open_study(path) as opened:
        queues = queues_of(opened)
        newest = queues[-1] if queues else None
        if newest is not None and not wanted:
            if changed := changed_since(newest, opened):
                names = ", ".join(changed[:4])
                say_on_stderr(
                    f"findings have changed since queue {newest.name} was drawn ({names}); --draw draws a new one"
                )
            return newest
    with open_study(path, "write") as opened:
        queue = draw_queue(opened, wanted.draw(newest))
        keep_queue(opened, queue)
    say_on_stderr(f"queue {queue.name} is drawn: {plural_text(len(queue.items), 'trial')}, seed {queue.seed}")
    return queue


def _run_sitting(path: Path, name: str, queue: Queue | None) -> None:
    """One sitting of one person."""
    from honestly.people import reviewer_name
    from honestly.people._cli._session import ReviewSession
    from honestly.show import plural_text
    from honestly.store import open_study

    reviewer = reviewer_name(name)
    with open_study(path) as opened:
        session = ReviewSession(opened, path, queue, reviewer)
        if session.current_question is None:
            say_on_stderr(
                "nothing is disputed that you can settle" if queue is None else "nothing is left for you to review"
            )
            return
        if sys.stdin.isatty() and sys.stdout.isatty():
            from rich.console import Console

            from honestly.people._cli._screen import review_on_screen

            review_on_screen(session, Console(emoji=False, markup=False))
        else:
            from honestly.people._cli._lines import review_by_lines

            review_by_lines(session)
        say_on_stderr(f"{plural_text(session.given, 'label')} given, {plural_text(session.left, 'trial')} left")
