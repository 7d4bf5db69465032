"""The output of `honestly review`: how far the queue is, how far people agree, what was learned, what came and went."""

import math
from pathlib import Path

import click
from rich.console import Console

from honestly.command import print_json, say_on_stderr, without_controls
from honestly.errors import FormatError, StoreError
from honestly.people import (
    AGREEMENT_COLUMNS,
    STRATA,
    Classifier,
    Queue,
    agreement_words,
    classify_messages,
    export_labels,
    fitted_classifier,
    import_labels,
    keep_classifier,
    keep_split,
    label_reliability,
    labels_of,
    labels_table,
    newest_reviews,
    queue_progress as how_far,
    queues_of,
    to_label,
    to_settle,
)
from honestly.show import numbers_table, plural_text
from honestly.stats import Kappa, wilson_interval
from honestly.store import Store, open_study
from honestly.work import write_file


def print_progress(study: Store, queue: Queue, *, reviewer: str | None, as_json: bool) -> None:
    """How far a queue is worked through."""
    labels = labels_of(study.reviews())
    waiting = {item.trial for item in to_label(queue, labels, reviewer or "")}
    if as_json:
        strata = [
            {
                "name": name,
                "size": queue.size(name),
                "drawn": queue.drawn(name),
                "probability": queue.draw_probability(name),
            }
            for name in STRATA
            if queue.size(name)
        ]
        items = [
            {
                "place": place,
                "trial": item.trial,
                "task": item.task,
                "agent": item.agent,
                "stratum": item.stratum,
                "double": item.double,
                "blind": item.blind,
                "labels": len(labels[item.trial].opinions) if item.trial in labels else 0,
                "waiting": item.trial in waiting,
            }
            for place, item in enumerate(queue.items)
        ]
        about = {name: getattr(queue, name) for name in ("name", "seed", "drawn_at", "codebook", "detectors", "unread")}
        print_json({"queue": about, "strata": strata, "items": items})
        return
    parts = how_far(queue, labels, reviewer or "")
    rows = [(part.stratum, *map(str, (part.size, part.drawn, part.labelled, part.left))) for part in parts]
    widths = {"stratum": 0, "trials": 6, "drawn": 5, "labelled": 8, "left": 5}
    console = Console(emoji=False, markup=False)
    console.print(numbers_table(f"Queue {queue.name}, seed {queue.seed}", widths, rows, console.width))
    if unread := sum(queue.unread.values()):
        click.echo(f"{unread} trials could not be read by the detectors, and are in no stratum")
    if disputes := len(to_settle(labels.values(), reviewer or "")):
        click.echo(f"{disputes} are disputed; --adjudicate --as NAME settles them")


def print_agreement(study: Store, *, as_json: bool) -> None:
    """How far reviewers agree."""
    found = label_reliability(labels_of(study.reviews()), {cell.id: cell.task for cell in study.cells()})
    if as_json:
        print_json(
            {
                "labelled": found.labelled,
                "blind": found.blind,
                "disputed": found.disputed,
                "settled": found.settled,
                "cohen": [{"reviewers": pair, **_kappa_numbers(kappa)} for pair, kappa in found.pairs.items()],
                "krippendorff": _kappa_numbers(found.all),
            }
        )
        return
    words = agreement_words(found)
    for line in words.people:
        click.echo(line)
    widths = dict(zip(AGREEMENT_COLUMNS, (0, 6, 5, 5, 14), strict=True))
    console = Console(emoji=False, markup=False)
    console.print(numbers_table("Agreement, intervals by task", widths, words.rows, console.width))
    for line in words.notes:
        click.echo(line)


def fit_and_adopt(path: Path, false_positive_rate: float, *, as_json: bool) -> None:
    """Learns a classifier, holds it to the gate, keeps it, and uses it if it was adopted."""
    with open_study(path, "write") as study:
        found, split = fitted_classifier(study, false_positive_rate)
        keep_split(study, split)
        keep_classifier(study, found.new)
        judged = classify_messages(study) if found.new.adopted else 0
    if as_json:
        print_json(
            {"classifier": found.new, "version": found.new.version, "left_out": found.left_out, "judged": judged}
        )
        return
    _show_classifier(found.new)
    for reason, count in found.left_out.items():
        click.echo(f"not used: {plural_text(count, 'labelled trial')}: {reason}")
    word = "adopted" if found.new.adopted else "REFUSED"
    click.echo(f"{word}: {found.new.why}")
    if judged:
        say_on_stderr(f"classifier {found.new.version} judged {plural_text(judged, 'trial')}")


def read_labels_file(path: Path, source: Path, name: str, *, as_json: bool) -> None:
    """Reads labels from JSONL; lines without a reviewer are this one's."""
    try:
        lines = source.read_bytes().splitlines()
    except OSError as error:
        raise StoreError(f"cannot read {source}: {error}") from error
    with open_study(path, "write") as study:
        try:
            added, known, elsewhere = import_labels(study, lines, name)
        except FormatError as error:
            raise FormatError(f"{source}: {error}") from error
        queues = queues_of(study)
        outside = len(labels_of(study.reviews()).keys() - {item.trial for queue in queues for item in queue.items})
    if elsewhere and not (added or known):
        raise StoreError(
            f"{source} labels no trial of {path}: there is no trial {elsewhere[0]!r}; expected ids, which "
            f"`honestly show {path} --json` lists"
        )
    if as_json:
        print_json({"added": added, "known": known, "elsewhere": elsewhere})
        return
    other = f"; {plural_text(len(elsewhere), 'line')} named no trial of the study" if elsewhere else ""
    click.echo(f"{plural_text(added, 'label')} added, {known} known already{other}")
    if outside and not queues:
        say_on_stderr(f"these labels count in no rate before a queue is drawn; draw it: honestly review {path}")
    elif outside:
        say_on_stderr(f"{plural_text(outside, 'labelled trial')} not in the queue; those labels count in no rate")


def write_labels_file(path: Path, target: Path) -> None:
    """Writes everybody's newest labels and ratings: as CSV where the file is called so, else as JSONL."""
    with open_study(path) as study:
        table = target.suffix.lower() == ".csv"
        content = labels_table(study).encode() if table else b"".join(line + b"\n" for line in export_labels(study))
        count = len(newest_reviews(study.reviews()))
    write_file(target, content)
    say_on_stderr(f"wrote {plural_text(count, 'label or rating', 'labels and ratings')} to {target}")


def _show_classifier(new: Classifier) -> None:
    parts = ", ".join(f"{part} {hacks} hacks and {honest} honest" for part, (hacks, honest) in new.counts.items())
    click.echo(f"classifier {new.version}, from labels {new.labels}, split {new.split} by task: {parts}")
    click.echo(f"probabilities: {new.curve.kind} ({new.curve.why})")
    tested = new.tested
    rows = [
        ("recall", tested.found, tested.hacks),
        ("precision", tested.found, tested.found + tested.false),
        ("false positives", tested.false, tested.honest),
        ("recall of the detectors alone", tested.rules_found, tested.hacks),
        ("their false positives", tested.rules_false, tested.honest),
    ]
    cells = []
    for name, found, of in rows:
        low, high = wilson_interval(found, of)
        share = f"{found / of:.2f}" if of else "unknown"
        cells.append((name, str(found), str(of), share, f"[{low:.2f}, {high:.2f}]" if of else ""))
    widths = {"": 0, "found": 5, "of": 5, "share": 6, "95% interval": 14}
    console = Console(emoji=False, markup=False)
    console.print(numbers_table("On the test's tasks", widths, cells, console.width))
    if tested.brier is not None:
        click.echo(f"Brier score {tested.brier:.3f}; probability said, share of hacks, trials:")
        click.echo("  " + "   ".join(f"{chance:.2f} {share:.2f} {count}" for chance, share, count in tested.bins))
    heavy = sorted(new.weights.items(), key=lambda item: -abs(item[1]))[:8]
    click.echo("weights: " + without_controls(", ".join(f"{name} {weight:+.1f}" for name, weight in heavy)))


def _kappa_numbers(kappa: Kappa) -> dict[str, object]:
    known, sure = not math.isnan(kappa.kappa), not math.isnan(kappa.interval[0])
    return {
        "kappa": kappa.kappa if known else None,
        "interval": kappa.interval if sure else None,
        "interval_method": "95%, jackknife over tasks, with Wilson's shape",
        "agreement": kappa.raw if kappa.units else None,
        "by_chance": kappa.chance if kappa.units else None,
        "trials": kappa.units,
        "labels": [
            {"label": one.label, "given": one.given, "agreement": one.agreement if one.given else None}
            for one in kappa.labels
        ],
        "reason": kappa.reason,
    }
