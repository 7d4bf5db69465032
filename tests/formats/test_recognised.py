"""Which importer reads a place is found by looking at the content, never at names alone."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

import pytest
from foreign_runs import write_json, write_kernels, write_mini
from seeds import WRITERS
from tb_trees import DATASET, write_run

from honestly.errors import FormatError
from honestly.formats import IMPORTERS, importers_for
from honestly.store import open_study
from honestly.studies import count_files, import_results

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.mark.parametrize("name", [name for name in IMPORTERS.known_names() if name != "no-results"])
def test_each_format_is_known_by_its_content(name, tmp_path):
    place = tmp_path / "strange name"
    place.mkdir()
    WRITERS[name](place)
    assert name in importers_for(place).split(", ")
    import_results(place, tmp_path / "s.honestly")
    for path in sorted(path for path in place.rglob("*") if path.is_file()):
        path.write_bytes(b"{}")
    with pytest.raises(
        FormatError, match=r"no format that is known by its content(: it looks like JSON.*)?; name it with --from"
    ):
        importers_for(place)


def test_runs_of_terminal_bench_beside_results_of_another_format_are_not_taken_for_all(tmp_path):
    write_run(tmp_path / "runs" / "one")
    write_run(tmp_path / "runs" / "another", metadata=False)
    bare = tmp_path / "runs" / "another" / "results.json"
    bare.write_text(bare.read_text().replace("{", '{"resolved_ids": [], ', 1))
    for number in range(5001):
        (tmp_path / "runs" / "one" / f"{number}.json").touch()
    (tmp_path / "notes.csv").write_text("model,task,score\na,t,1\n")
    assert importers_for(tmp_path) == "terminal-bench"
    said = {"trial_name": "t__abcdefg", "task_name": "t", "verifier_result": {"rewards": {"reward": 1.0}}}
    write_json(tmp_path / "jobs" / "t__abcdefg" / "result.json", said)
    with pytest.raises(FormatError, match="contains runs of terminal-bench, such as runs/one, and files of harbor"):
        importers_for(tmp_path)


@pytest.mark.parametrize(
    ("content", "likeness"),
    [
        (b"<!DOCTYPE html><p>404", "it is a page of HTML, perhaps an error in place of a download"),
        (b"<runs><run/></runs>", "it looks like XML with the root runs"),
        (b'[{"a": 1}]', "it looks like JSON with the keys a"),
        (b"[[[1]]]", "it looks like JSON without an object at its top"),
        (b"a\0b", "it looks binary"),
        (b"once upon a time", "it looks like text"),
    ],
)
def test_a_file_of_no_known_format_is_described(tmp_path, content, likeness):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FormatError, match=f"{likeness}; name it with --from"):
        importers_for(tmp_path / "file")


def test_bytes_are_no_text_of_another_encoding_and_no_archive(tmp_path):
    for name, said in (("x.eval", "it is no zip archive, which a .eval is"), ("x.bin", "it looks binary")):
        (tmp_path / name).write_bytes(bytes([200, 7, 255, 254, 1, 129] * 50))
        with pytest.raises(FormatError, match=said):
            importers_for(tmp_path / name)
    (tmp_path / "latin").write_bytes("task,né\n".encode("latin-1"))
    with pytest.raises(FormatError, match="iconv"):
        importers_for(tmp_path / "latin")


def test_a_format_that_is_named_wrongly_is_refused_with_the_one_that_it_looks_like(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,score\na,t,1\n")
    with pytest.raises(FormatError, match="no result of inspect; it looks like table: leave --from out"):
        import_results(tmp_path / "t.csv", tmp_path / "s.honestly", "inspect")
    assert not (tmp_path / "s.honestly").exists()


def test_several_formats_in_one_directory_are_all_read(tmp_path):
    write_mini(tmp_path / "in")
    WRITERS["atif"](tmp_path / "in")
    (tmp_path / "in" / "notes.txt").write_text("nothing")
    assert set(importers_for(tmp_path / "in").split(", ")) >= {"mini-swe-agent", "atif"}
    defects = import_results(tmp_path / "in", tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as study:
        files = count_files(study)
        assert {agent.program for agent in study.agents()} >= {"mini-swe-agent"}
    assert [(each.kind, each.where) for each in defects if each.effect == "refused"] == [
        ("unknown format", "notes.txt")
    ]
    assert all(each.found == each.kept + each.refused for each in files)
    assert [each.file for each in files if each.refused] == ["notes.txt"]


def test_of_several_that_want_the_whole_directory_none_is_chosen(tmp_path):
    write_kernels(tmp_path)
    write_run(tmp_path / DATASET / "agent" / "run")
    with pytest.raises(FormatError, match="looks like terminal-bench and kernelbench; name it with --from"):
        importers_for(tmp_path)
    with pytest.raises(FormatError, match="there is nothing at"):
        import_results(tmp_path / "nowhere", tmp_path / "s.honestly")


def test_looking_opens_no_link_and_waits_for_no_pipe(tmp_path):
    write_mini(tmp_path / "real")
    place = tmp_path / "in"
    place.mkdir()
    (place / "x.json").symlink_to(tmp_path / "real" / "logs" / "owner__repo-1" / "report.json")
    (place / "y.json").symlink_to("y.json")
    (place / "real").symlink_to(tmp_path / "real")
    os.mkfifo(place / "labels.jsonl")
    os.mkfifo(place / "z.json")
    write_json(place / "deep.json", "[" * 10)
    (place / "rundetail").mkdir()
    (place / "rundetail" / "a.json").write_text("[" * 100_000)
    with pytest.raises(FormatError, match="is in no format"):
        importers_for(place)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("terminal-bench", "terminal-bench"),
        ("kernelbench", "hacks/kernelbench_audits"),
        ("atif", "formats/harbor/jobs/GPT-5.5/sample1"),
        ("mini-swe-agent", "trajectories/gemini-3-pro-swe-bench-verified/dev.tar.xz"),
    ],
)
def test_published_results_are_known(name, place, tmp_path):
    source = SHARED / place
    if not source.exists():
        pytest.skip(f"needs {place} in ../shared/data, beside the checkout")
    if source.is_file():
        with tarfile.open(source) as archive:
            archive.extractall(tmp_path, filter="data")
        shutil.rmtree(tmp_path / "logs")
        source = tmp_path
    assert name in importers_for(source).split(", ")
