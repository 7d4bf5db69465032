"""What sessions that people already have cost them, and how often messages are told apart as people labelled them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from honestly.effect import effort_effect
from honestly.errors import StatisticsError
from honestly.people import effort_of_trials, effort_report, message_kind
from honestly.people._effort_figure import pareto_front
from honestly.store import open_study
from honestly.studies import import_all

PEOPLE = Path(__file__).parents[3] / "shared" / "data" / "people" / "swe-together"


def claude_session(path: Path, said: list[str], month: str) -> None:
    lines = []
    for minute, text in enumerate(said):
        at = f"2026-{month}-01T10:{minute:02}"
        lines.append({"type": "user", "uuid": f"{path.stem}-u{minute}", "sessionId": path.stem, "timestamp": f"{at}:00Z",
                      "message": {"role": "user", "content": text}})  # fmt: skip
        call = {"type": "tool_use", "id": f"t{minute}", "name": "Bash", "input": {"command": "git checkout -- a.py"}}
        content = [{"type": "text", "text": "one two three"}, *([call] if minute == 1 else [])]
        lines.append({"type": "assistant", "uuid": f"{path.stem}-a{minute}", "sessionId": path.stem, "timestamp": f"{at}:30Z",
                      "message": {"id": f"m{minute}", "role": "assistant", "model": "claude-x", "content": content}})  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_messages_are_told_apart() -> None:
    kinds = {
        "no, that's not what I meant": "correction",
        "You forgot the tests. Revert that.": "correction",
        "still broken": "correction",
        "yes please": "nudge",
        "continue": "nudge",
        "Why is this needed?": "question",
        "add a flag for that": "request",
        "[Request interrupted by user]": "interruption",
        "<command-name>/exit</command-name>": "machine",
        "\n\n": "machine",
        "<bash-stdout>no, wrong</bash-stdout><bash-stderr></bash-stderr>": "machine",
        "<ide_selection>wrong</ide_selection>\nadd a docstring": "request",
        "lgtm, commit it": "nudge",
        "\N{THUMBS UP SIGN}": "nudge",
        "no, that's fine": "request",
        "nothing wrong with that, thanks": "request",
        "Translate 'no, that's not what I asked' into French in i18n.json": "request",
        "> The build is broken\n\nPlease answer this comment": "request",
        "review this diff:\n```\n- return wrong\n```": "request",
        "not working": "correction",
        "same error": "correction",
        "tests still red": "correction",
        "I never asked for a README": "correction",
        "> looks good\n\nNow this error when I run it": "correction",
    }
    assert {text: message_kind(text) for text in kinds} == kinds


def test_imported_sessions_have_an_effort_by_agent_and_by_month(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for n, (month, said) in enumerate(
        [
            ("01", ["do it", "no, that's wrong", "still broken", "continue"]),
            ("01", ["do it", "stop, not what I asked for", "why?", "go on"]),
            ("02", ["do it", "thanks"]),
            ("02", ["do it"]),
        ]
    ):
        claude_session(tmp_path / "logs" / f"s{n}.jsonl", said, month)
    import_all([tmp_path / "logs"], tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as store:
        (row,) = effort_report(effort_of_trials(store)).agents
        rows = {each.agent: each for each in effort_report(effort_of_trials(store, "month")).agents}
        values = [(each.agent, each.user_correction) for each in effort_of_trials(store, "month") if each is not None]
        with pytest.raises(StatisticsError, match="grouped by"):
            list(effort_of_trials(store, "language"))
    assert (row.success, row.beyond, row.forgotten, row.ask_precision) == (None, None, None, None)
    assert (row.corrections, row.nudges, row.questions, row.take_backs, row.waiting) == (0.75, 0.75, 0.25, 0.75, 82.5)
    assert (rows["2026-01"].corrections, rows["2026-02"].corrections) == (1.5, 0.0)
    found = effort_effect(values, ("2026-01", "2026-02"), "user_correction")
    assert found.difference == pytest.approx((2.2 + 1.2) / 2 - 0.1)
    assert found.labelled == (2, 2)
    with pytest.raises(StatisticsError, match="2026-01, 2026-02"):
        effort_effect(values, ("2026-01", "2026-03"), "user_correction")


def test_what_programs_wrote_is_not_the_users(tmp_path: Path) -> None:
    said = [{"type": "user", "uuid": f"u{n}", "sessionId": "s", "timestamp": f"2026-01-01T10:0{n}:00Z", "isMeta": n == 1,
             "message": {"role": "user", "content": text}} for n, text in enumerate(["do it", "no, meta is wrong"])]  # fmt: skip
    done = {"type": "assistant", "uuid": "a", "sessionId": "s", "timestamp": "2026-01-01T10:05:00Z",
            "message": {"id": "m", "role": "assistant", "model": "x", "content": [{"type": "text", "text": "Done."}]}}  # fmt: skip
    aborted = {"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}}
    text = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do it"}]}
    item = {"type": "response_item", "payload": text}
    meta = {"type": "session_meta", "payload": {"id": "c"}}
    (tmp_path / "logs").mkdir()
    rows = ([*said, done], [{"timestamp": "2026-01-01T10:00:00Z", **row} for row in (meta, item, aborted)])
    for n, lines in enumerate(rows):
        (tmp_path / "logs" / f"{n}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_all([tmp_path / "logs"], tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as store:
        found = {each.agent.split()[0]: each for each in effort_of_trials(store) if each is not None}
    assert (found["claude-code"].corrections, found["codex"].interruptions) == (0, 1)


def test_the_front_holds_who_nobody_beats_in_both() -> None:
    assert pareto_front([(0.9, 2.0), (0.9, 1.0), (0.5, 0.5), (0.4, 0.6)]) == [1, 2]


@pytest.mark.published
@pytest.mark.skipif(not PEOPLE.is_dir(), reason="needs people/swe-together in ../shared/data, beside the checkout")
def test_corrections_of_sessions_that_the_rules_have_not_seen() -> None:
    """The figures of docs/effect.md: the half of the labelled sessions that seed 50 keeps aside."""
    names = sorted(path.name for path in PEOPLE.glob("*.json") if path.name != "expected.json")
    random.Random(50).shuffle(names)
    right = wrong = missed = 0
    for name in names[15:]:
        session = json.loads((PEOPLE / name).read_text())
        labelled = {each["source_turn"] for each in session["intents"] if each["intent_kind"] == "correction"}
        for turn in session["turns"][1:]:
            found, is_one = message_kind(turn["user_message"]) == "correction", turn["turn"] in labelled
            right, wrong, missed = right + (found and is_one), wrong + (found and not is_one), missed + (is_one > found)
    assert (right, wrong, missed) == (7, 11, 9)
