"""A report as other programs and pages take it: a leaderboard in Markdown and CSV, model cards of Hugging Face.

All of it is `honestly report` in another form: the same figures, under the policy that is declared with it.
"""

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Literal

from honestly.formats import safe_name
from honestly.leaderboards._board import AgentRow, Leaderboard
from honestly.leaderboards._leaderboard import leaderboard
from honestly.leaderboards._table import leaderboard_columns, leaderboard_title
from honestly.leaderboards._words import board_notes
from honestly.show import as_json, columns_of, level_text, markdown_text, printable_text_line
from honestly.stats import Policy
from honestly.store import Store
from honestly.work import new_folder

Counted = Literal["fail", "drop"]
Unknown = Literal["fail", "drop", "pass"]


def export_markdown(
    study: Store, place: str, *, limit: Counted = "fail", void: Unknown = "fail", missing: Unknown = "drop"
) -> Iterator[str]:
    """Writes `leaderboard.md` and `leaderboard.csv`."""
    board = leaderboard(study, Policy(limit=limit, void=void, missing=missing))
    with new_folder(Path(place)) as folder:
        folder.mkdir(parents=True)
        (folder / "leaderboard.md").write_text(leaderboard_markdown(board), "utf-8")
        (folder / "leaderboard.csv").write_text(leaderboard_csv(board), "utf-8", newline="")
    yield from ("leaderboard.md", "leaderboard.csv")


def leaderboard_markdown(board: Leaderboard) -> str:
    """The leaderboard as a page in Markdown: table, how to read it, warnings."""
    columns = [
        each for each in leaderboard_columns(board.agents, board.level, narrow=False) if set(each.cells) != {"–"}
    ]
    lines = [f"# {markdown_text(leaderboard_title(board))}", "", f"**{markdown_text(board.sentence)}**", ""]
    lines.append(f"| # | agent | {' | '.join(each.title for each in columns)} | tasks |")
    lines.append(f"|---:|---|{'---:|' * (len(columns) + 1)}")
    for at, row in enumerate(board.agents):
        cells = (
            "–" if row.rank is None else str(row.rank),
            row.name,
            *(each.cells[at] for each in columns),
            str(row.n),
        )
        lines.append(f"| {' | '.join(map(markdown_text, cells))} |")
    lines += ["", *(f"- {markdown_text(line)}" for line in board_notes(board))]
    lines += [f"- **Warning.** {markdown_text(warning)}" for warning in board.warnings]
    return "\n".join(lines) + "\n"


def leaderboard_csv(board: Leaderboard) -> str:
    """The rows of the leaderboard with every number that `--json` has, one column each; shares are fractions of 1."""
    columns = columns_of(as_json(board.to_plain())["agents"])
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow([*columns, "level", "policy"])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([*row, board.level, board.policy.text])
    return written.getvalue()


def export_model_index(
    study: Store, place: str, *, limit: Counted = "fail", void: Unknown = "fail", missing: Unknown = "drop"
) -> Iterator[str]:
    """Writes `AGENT/README.md`, a model card, for each agent that has a score."""
    board = leaderboard(study, Policy(limit=limit, void=void, missing=missing))
    with new_folder(Path(place)) as folder:
        for row in board.agents:
            if row.honest is None:
                yield f"left out: {printable_text_line(row.name)} has no honest score"
                continue
            card = folder / safe_name(row.name) / "README.md"
            card.parent.mkdir(parents=True)
            card.write_text(model_card(board, row), "utf-8")
            yield f"{card.parent.name}/README.md"


def model_card(board: Leaderboard, row: AgentRow) -> str:
    """A model card whose `model-index` holds the score of an agent; of one model, since a card is of one.

    The index has no place for intervals, so that their ends are metrics of their own.
    """
    suite = printable_text_line(str(board.study.get("suite") or board.study.get("imported_from") or "study"))
    found = f"{level_text(board.level)} interval"
    metrics: list[tuple[str, str, float | int | None]] = [
        ("accuracy", "honest score", row.honest),
        ("accuracy_low", f"honest score, lower end of its {found}", row.interval and row.interval[0]),
        ("accuracy_high", f"honest score, upper end of its {found}", row.interval and row.interval[1]),
        ("accuracy_stderr", "honest score, standard error", row.se),
        ("tasks", "tasks", row.n),
        ("trials", "trials", row.trials),
        ("void", "void trials", row.void),
        ("visible_accuracy", "score by the visible tests", row.visible),
        ("hack_rate", "hacks among passes of the visible tests", row.hack_rate),
    ]
    lines = ["---", "model-index:", f"- name: {_yaml_quoted(printable_text_line(row.name))}", "  results:", "  - task:"]
    lines += ["      type: text-generation", "      name: Coding agent", "    dataset:"]
    lines += [f"      name: {_yaml_quoted(suite)}", f"      type: {_yaml_quoted(safe_name(suite))}"]
    lines += ["      args:", f"        policy: {_yaml_quoted(board.policy.text)}", "    metrics:"]
    for kind, name, value in metrics:
        if value is not None:
            lines += [f"    - type: {kind}", f"      name: {_yaml_quoted(name)}", f"      value: {_yaml_number(value)}"]
    lines += [
        "---",
        "",
        f"# {markdown_text(row.name)}",
        "",
        markdown_text(board.sentence),
        "",
        markdown_text(board.policy.text),
    ]
    return "\n".join(lines) + "\n"


def _yaml_quoted(text: str) -> str:
    """A text in quotes, as YAML and JSON both have it."""
    return json.dumps(text, ensure_ascii=False)


def _yaml_number(value: float) -> str:
    """A number with a point: YAML 1.1 takes `1e-05` for a text."""
    plain = format(Decimal(repr(value)), "f")
    return plain if "." in plain or isinstance(value, int) else f"{plain}.0"
