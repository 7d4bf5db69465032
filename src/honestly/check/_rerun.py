"""A check or a study as a bundle, and what comes out the same when it is run again.

A check's bundle holds both states of the files, what was said of the change, what was done and what came of it; a
study's holds the study and its leaderboard. Run again, a check is done anew and each part of its answer compared; of a
study the leaderboard is computed anew, and each kept final workspace judged anew. Not in it: the packages around a
project, which are named with their versions, and models.
"""

import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from honestly._version import program_version
from honestly.check._bundle import Bundle, write_bundle
from honestly.check._change import Change
from honestly.check._outputs import check_page
from honestly.check._verdict import CheckResult
from honestly.errors import FormatError, HonestlyError, SandboxUnavailableError
from honestly.records import Record, Trajectory, Tree, decode, encode
from honestly.sandbox import open_sandbox
from honestly.show import Shown, plural_text, printable_text_line
from honestly.store import Store, copy_study, open_study
from honestly.trials import final_change
from honestly.verify import verify
from honestly.work import write_file

_PARTS = ("verdict", "claims", "tests", "uncovered", "mutants", "differences", "honesty", "safety")
_LOOSE = ("messages", "seconds", "runs", "notes")
"""What is not compared: messages hold addresses and times."""


class Said(Record, frozen=True, kw_only=True):
    """What a bundle says of a change, beside its files."""

    name: str
    base: str
    head: str
    messages: tuple[str, ...]
    last_words: str
    asked: str
    version: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A part of an answer, as it was and as it is."""

    name: str
    was: object
    now: object

    @property
    def same(self) -> bool:
        """Whether it came out the same."""
        return self.was == self.now


@dataclass(frozen=True)
class RerunResult(Shown):
    """What came out the same when a bundle was run again."""

    kind: str
    signed_by: tuple[str, ...]
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether all of it did."""
        return all(part.same for part in self.parts)

    def to_plain(self) -> dict[str, Any]:
        """The keys of `--json`."""
        return {
            "kind": self.kind, "signed_by": list(self.signed_by), "same": self.same, "notes": list(self.notes),
            "parts": [{"part": part.name, "same": part.same, "was": part.was, "now": part.now} for part in self.parts],
        }  # fmt: skip

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        signed = f"signed by {', '.join(self.signed_by)}" if self.signed_by else "not signed"
        yield Text(f"No byte of this {self.kind} was changed since it was written; it is {signed}.")
        for part in self.parts:
            was, now = part.was, part.now
            if isinstance(was, dict) and isinstance(now, dict):
                was, now = (
                    {key: one.get(key) for key in was | now if was.get(key) != now.get(key)} for one in (was, now)
                )
            said = "the same" if part.same else f"was {str(was)[:100]}, is {str(now)[:100]}"
            mark, colour = ("✓", "green") if part.same else ("✗", "bold red")
            yield Text.assemble((f"{mark} ", colour), printable_text_line(f"{part.name}: {said}"))
        for note in self.notes:
            yield Text(f"· {printable_text_line(note)}", style="dim")


def bundle_predicate(command: str, more: Mapping[str, object]) -> dict[str, object]:
    """What a bundle says of how it was made, and more."""
    packages = sorted(f"{each.name}=={each.version}" for each in distributions() if each.name)
    return {
        "command": command, "honestly": program_version(), "python": sys.version.split()[0],
        "platform": platform.platform(), "packages": packages, "again": "honestly rerun BUNDLE", **more,
    }  # fmt: skip


def write_check_bundle(place: Path, found: CheckResult, options: Mapping[str, Any], journal: bytes) -> None:
    """Writes a check as a bundle."""
    change = found.change
    said = Said(name=change.name, base=change.base, head=change.head, messages=change.messages, asked=change.asked,
                last_words=change.last_words, version=change.version, options=dict(options))  # fmt: skip
    members = {
        "before.json": encode(change.before), "after.json": encode(change.after), "change.json": encode(said),
        "answer.json": encode(found.to_plain()), "journal.jsonl": journal, "page.html": check_page(found).encode(),
    }  # fmt: skip
    if change.session is not None:
        members["session.json"] = encode(change.session)
    write_bundle(
        place, "check", members, bundle_predicate(found.again, {"verdict": found.verdict, "options": dict(options)})
    )


def change_of(bundle: Bundle) -> tuple[Change, dict[str, Any]]:
    """The change of a bundle, and the options with which it was checked."""
    said = decode(bundle.member("change.json"), Said)
    session = decode(bundle.member("session.json"), Trajectory) if "session.json.gz" in bundle.members else None
    before, after = (decode(bundle.member(name), Tree) for name in ("before.json", "after.json"))
    return Change(said.name, said.base, said.head, before, after, said.messages, said.last_words, said.asked, session,
                  said.version), said.options  # fmt: skip


def compared_check(bundle: Bundle, found: CheckResult, signed_by: tuple[str, ...]) -> RerunResult:
    """What of a check came out the same."""
    old = msgspec.json.decode(bundle.member("answer.json"))
    new = msgspec.json.decode(encode(found.to_plain()))
    pairs = ((name, _firm(old.get(name)), _firm(new.get(name))) for name in _PARTS)
    parts = tuple(Part(name, was, _known(now, was)) for name, was, now in pairs)
    return RerunResult("check", signed_by, parts, tuple(other_packages(bundle)))


def _firm(value: object) -> object:
    if isinstance(value, dict):
        return {key: _firm(each) for key, each in value.items() if key not in _LOOSE}
    return [_firm(each) for each in value] if isinstance(value, list) else value


def _known(value: object, was: object) -> object:
    """A value without keys that the version that wrote the bundle did not have."""
    if isinstance(value, dict) and isinstance(was, dict):
        return {key: _known(each, was[key]) for key, each in value.items() if key in was}
    if isinstance(value, list) and isinstance(was, list) and len(value) == len(was):
        return [_known(one, other) for one, other in zip(value, was, strict=True)]
    return value


def other_packages(bundle: Bundle) -> Iterator[str]:
    """What is installed otherwise here than where a bundle was made."""
    here = bundle_predicate("", {})
    for name in ("honestly", "python", "platform"):
        if here[name] != bundle.predicate.get(name):
            yield f"{name} was {bundle.predicate.get(name)}, and is {here[name]}"
    packages = here["packages"]
    assert isinstance(packages, list)
    if other := set(packages) ^ set(bundle.predicate.get("packages", ())):
        yield f"{plural_text(len({each.partition('==')[0] for each in other}), 'package')} of honestly's differ"


def export_study_bundle(study: Store, place: str) -> Iterator[str]:
    """Writes a study as a bundle: the study, its leaderboard, and what computed it.

    Raises:
        FormatError: the study lies in a database.
    """
    with TemporaryDirectory() as folder:
        copy_study(study.path, Path(folder, "study.db"))
        members = {
            "study.db": Path(folder, "study.db").read_bytes(),
            "answer.json": encode(_leaderboard(Path(folder, "study.db"))),
        }
    write_bundle(Path(place), "study", members, bundle_predicate(f"honestly report {study.path.name}", {}))
    yield f"{place}: sign it with honestly rerun {place} --sign KEY, run it again with honestly rerun {place}"


def _leaderboard(path: Path) -> dict[str, Any]:
    from honestly.studies import Study

    text = encode(Study(path).report().to_plain()).decode()
    found: dict[str, Any] = msgspec.json.decode(text.replace(str(path), path.name))
    return found


async def rerun_study(bundle: Bundle, signed_by: tuple[str, ...], most: int, *, unsafe: bool) -> RerunResult:
    """The leaderboard of a study computed anew, and the final workspaces of its trials judged anew."""
    was: dict[str, str] = {}
    now: dict[str, str] = {}
    left: dict[str, int] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder, "study.db")
        write_file(path, bundle.member("study.db"))
        answer = _leaderboard(path)
        with open_study(path) as study:
            for trial in study.trials():
                kept = final_change(study, trial)
                why = "more than --most" if len(was) >= most else ""
                why = why if kept is not None else "its final workspace was not kept"
                if not why and kept is not None:
                    try:
                        verdict = await verify(study.task(trial.task), kept[1].apply(kept[0]), seed=trial.sample,
                                               open_box=partial(open_sandbox, unsafe=unsafe))  # fmt: skip
                        for said, each in ((was, trial.verdict), (now, verdict)):
                            said[trial.id] = " ".join(
                                f"{name} {'passed' if run.passed else 'failed'}"
                                for name, run in (("visible", each.visible), ("hidden", each.hidden)) if run is not None
                            )  # fmt: skip
                    except SandboxUnavailableError:
                        raise
                    except HonestlyError as error:
                        why = str(error)[:200]
                if why:
                    left[why] = left.get(why, 0) + 1
    parts = [Part("leaderboard", msgspec.json.decode(bundle.member("answer.json")), answer)]
    if was:
        apart = [{name: one[name] for name in was if was[name] != now[name]} for one in (was, now)]
        parts.append(Part(f"verdicts of {plural_text(len(was), 'trial')}, judged anew", *apart))
    notes = [f"not judged anew: {plural_text(count, 'trial')}: {why}" for why, count in left.items()]
    return RerunResult("study", signed_by, tuple(parts), (*notes, *other_packages(bundle)))


def kind_error(bundle: Bundle) -> FormatError:
    """What is said of a bundle of a kind that is not known."""
    return FormatError(f"this is a bundle of {bundle.kind!r}; expected one of a check, a study or a hunt")
