"""The attempts of a loop as a table, as a curve, and as rows."""

import csv
import json

from click.testing import CliRunner

from honestly.cli import cli
from honestly.improve import read_run
from honestly.improve._attempts import attempt_table
from improve.loop_parts import begun, memory_box, project, worked
from improve.test_resume import noisy


def test_every_attempt_is_a_row_and_what_was_kept_a_curve(tmp_path):
    p = project(tmp_path / "p")
    state = worked(begun(p, "searcher", "12 attempts", keep="race"), memory_box, noisy([]))
    said = CliRunner().invoke(cli, ["improve", "attempts", str(p), "--figures", str(tmp_path / "f")])
    assert said.exit_code == 0, said.output
    assert "kept" in said.stdout
    assert "*" in said.stdout
    assert "<path" in (tmp_path / "f" / "attempts.svg").read_text()
    rows = json.loads(CliRunner().invoke(cli, ["improve", "attempts", str(p), "--json"]).stdout)["attempts"]
    assert [row["attempt"] for row in rows] == list(range(13))
    kept = [row for row in rows if row["kept"]]
    assert kept[-1]["best"] == rows[-1]["best"] == state.score
    found = attempt_table(*read_run(p / ".improve"))
    lines = list(csv.DictReader(found.as_tsv().splitlines(), delimiter="\t"))
    assert [line["why"] for line in lines] == [row["why"] for row in rows]


def test_a_run_leaves_its_rows_and_nothing_to_draw_is_said(tmp_path):
    p = project(tmp_path / "p")
    run = ["improve", "run", str(p), "--agent", "nop", "--budget", "1 attempt", "--unsafe-no-sandbox"]
    assert CliRunner().invoke(cli, run).exit_code == 0
    lines = (p / ".improve" / "results.tsv").read_text().splitlines()
    assert len(lines) == 3
    assert "it changes nothing" in lines[2]
    said = CliRunner().invoke(cli, ["improve", "attempts", str(p), "--figures", str(tmp_path / "f")])
    assert said.exit_code == 0, said.output
    assert "a column" not in said.stdout
