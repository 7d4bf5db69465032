"""`report` of few agents, `compare`, `gate` and `plan` answer in twelve lines, whatever there is to say and however narrow the terminal."""

import random
from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from honestly import studies
from honestly.show import Fitted, numbers_table
from sampled import sampled


def lines_of(answer, width):
    console = Console(file=StringIO(), width=width)
    console.print(answer)
    return console.file.getvalue().splitlines()


def table(path, seed):
    """Two agents on tasks of which some only one has; voids, grades, clusters, gaps in numbers, results that agree."""
    rng = random.Random(seed)
    names = [f"agent-{'x' * rng.choice([1, 30])}-{end}" for end in "ab"]
    samples, graded, agree = rng.choice([1, 3, 5]), rng.random() < 0.3, rng.random() < 0.3
    void, gap = rng.choice([0, 0.2]), rng.choice([0, 0.3, 0.8])
    rows = ["agent,task,sample,cluster,category,date,outcome"]
    for task in range(rng.choice([2, 12, 40])):
        level, day = rng.random(), f"2024-{1 + task % 12:02}-01" if rng.random() < 0.9 else ""
        for agent, better in zip(names, (0, gap), strict=True):
            if rng.random() < 0.1:
                continue
            same = rng.random() < min(1, level + better)
            for sample in range(samples):
                value = int(same if agree else rng.random() < min(1, level + better))
                said = "void" if rng.random() < void else f"{rng.random() ** (2 - gap):.2f}" if graded else value
                if rng.random() > 0.05:
                    rows.append(
                        f"{agent},task-{task:03},{sample},c{task // (3 if seed % 3 else 1)},k{task % 3},{day},{said}"
                    )
    path.write_text("\n".join(rows) + "\n")
    return names


@pytest.mark.parametrize("seed", sampled(range(24), quick=4))
def test_answers_have_at_most_twelve_lines(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    a, b = table(tmp_path / "t.csv", seed)
    study = studies.open(tmp_path / "t.csv", allow_refused=True)
    said = [
        study.compare(a, b),
        study.compare(a, b, margin=10),
        studies.gate(study, agent=b, baseline_agent=a, min_gap=5),
        studies.gate(study, agent=b, baseline_agent=a),
        studies.plan(pilot=study, agents=(a, b), gap=5),
        study.report(),
        study.report(by="category"),
        study.report(cutoffs="2024-06-01"),
        study.report(ladder=f"{a},{b}"),
    ]
    alike = studies.plan(pilot=study, agents=(a, b), gap=5, samples=(1, 3, 5), questions=max(2, said[0].n))
    sizes = {size.samples: size.gap for size in alike.at_hand}
    found = said[0].needs.detectable
    if found and said[0].needs.samples in {(k, k) for k in sizes} and said[0].claim.headline != "approximate":
        assert sizes[round(said[0].needs.samples[0])] == (pytest.approx(found) if found <= 1 else None)
    for answer in said:
        for width in (80, 100):
            lines = lines_of(answer.brief(), width)
            assert 3 <= len(lines) <= 12, "\n".join(lines)
            assert "More: --details" in " ".join(lines[-2:])
            assert len(lines) <= len(lines_of(answer, width))


def test_what_matters_least_gives_way_and_is_counted():
    parts = [(0, Text("answer")), (1, Text("first " * 100)), (1, Text("second " * 100)), (2, Text("third\n" * 5))]
    lines = lines_of(Fitted(parts, lambda cut: f"{cut} more"), 80)
    assert (lines[0], lines[-1], len(lines)) == ("answer", "1 more", 12)
    assert not any("third" in line for line in lines)
    assert sum("first" in line for line in lines) == 8
    assert sum("second" in line for line in lines) == 2
    assert lines_of(Fitted(parts[:1], lambda cut: f"{cut} more"), 80) == ["answer", "0 more"]


def test_a_narrow_table_keeps_its_names():
    rows = [(name, *["1,234"] * 8) for name in ("first", "second")]
    lines = lines_of(numbers_table("", {"agent": 5, **{f"number {n}": 5 for n in range(8)}}, rows, 40), 40)
    assert [line.split()[0] for line in lines[:3]] == ["agent", "first", "second"]
    assert " ".join(lines[3:]).startswith("Columns left out: number ")
    assert max(map(len, lines)) <= 40


def test_what_a_narrow_terminal_hides_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,score\na,t1,1\na,t2,0\nb,t1,1\nb,t2,1\n")
    report = studies.open(tmp_path / "t.csv").report()
    narrow, wide = (" ".join(lines_of(report.brief(), width)) for width in (20, 80))
    assert "100.0" in narrow
    assert "Too narrow for: 95% interval." in " ".join(narrow.split())
    assert "Too narrow" not in wide


def test_a_report_of_a_table_says_nothing_of_what_no_table_has(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "t.csv").write_text(
        "task,gpt,claude\n" + "".join(f"t{at},{at % 2},{int(at % 3 == 0)}\n" for at in range(30))
    )
    report = studies.open(tmp_path / "t.csv").report()
    page = report.write_html(tmp_path / "t.html").read_text()
    for said in (str(report), page):
        assert not [words for words in ("without a sandbox", "visible-test", "Cost: ") if words in said]
    answer, _, folded = page.partition('<details class="more">')
    assert "gpt leads with" in answer
    assert [title for title in ("Leaderboard", "Paired differences") if f"<h2>{title}" in answer] == ["Leaderboard"]
    assert "<h2>Paired differences" in folded
    assert '<th scope="col">void</th>' not in answer
