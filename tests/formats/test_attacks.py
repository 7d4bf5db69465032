"""Whatever is done to a file of any format: what is well formed is read, the rest refused with its place, nothing hangs.

Every registered reader has a seed (`seeds.WRITERS`); a reader without one fails here. Each attack changes all files of
the seed; the longer run tries them with bytes changed at random, in a process that may take little memory.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from published import items, of, refusals, trials
from seeds import SEEDS, WRITERS, eval_log

from honestly.errors import FormatError, HonestlyError
from honestly.formats import IMPORTERS, Imported
from honestly.records import Defect, encode
from honestly.store import open_study
from honestly.studies import count_files, import_results
from zstd_module import zstd

READERS = IMPORTERS.known_names()
PATIENCE_S = 10.0
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_VALUE = re.compile(rb"(\"[^\"]*\"|\d+)(?=\s*[,}\]])")


@cache
def spaces(megabytes: int) -> bytes:
    """The end of a gzip stream that unpacks to so many megabytes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return b"".join([packer.compress(b" " * (1 << 20)) for _ in range(megabytes)]) + packer.flush()


def bomb(data: bytes, megabytes: int = 70) -> bytes:
    """Data in a gzip stream, and after it nothing but spaces; packed it is small."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH) + spaces(megabytes)


def every(pattern: re.Pattern[bytes], new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: pattern.sub(lambda _: new, data)


ATTACKS: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda data: b"",
    "first half": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "twice": lambda data: data + data,
    "in gzip": gzip.compress,
    "in two parts of gzip": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
    "in half a gzip": lambda data: gzip.compress(data)[: len(data) // 4],
    "in zstd": zstd.compress,
    "in half a zstd": lambda data: zstd.compress(data)[: len(data) // 4],
    "huge numbers": every(_NUMBER, b"9" * 5000),
    "infinite numbers": every(_NUMBER, b"1e999"),
    "no numbers": every(_NUMBER, b"NaN"),
    "negative numbers": every(_NUMBER, b"-1"),
    "large numbers": every(_NUMBER, b"18446744073709551616"),
    "deep values": every(_VALUE, b"[" * 300 + b"]" * 300),
    "deeper than the stack": lambda data: data.replace(b": ", b": " + b"[" * 100_000, 1),
    "deep objects": lambda data: b'{"a":' * 100_000 + data,
    "UTF-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    "Latin-1": lambda data: data.replace(b"a", b"\xe9"),
    "NUL": lambda data: data.replace(b"a", b"\0"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "half a surrogate": every(_VALUE, b'"\\ud800"'),
    "control characters": every(_VALUE, b'"\\u001b[2J\\u202e\\u0000"'),
    "null": every(_VALUE, b"null"),
    "paths upwards": every(_VALUE, b'"../../../evil"'),
    "paths from the root": every(_VALUE, b'"/etc/passwd"'),
    "lists": every(_VALUE, b"[{}]"),
}


def seed(name: str, folder: Path) -> Path:
    """A sound place of a format."""
    place = folder / "in"
    place.mkdir(parents=True)
    WRITERS[name](place)
    return place


def files(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file())


def attacked(name: str, place: Path) -> list[Imported]:
    """What a reader makes of a place: trials that can be kept, or a clear error; nothing else, and soon."""
    began = time.monotonic()
    try:
        found = items(place, name)
    except FormatError as error:
        found = [Defect(kind="refused", where=str(place), detail=str(error))]
        if len(str(error)) > 3000:
            pytest.fail(f"a message of {len(str(error))} characters")
    for item in found:
        assert encode(item.trial if isinstance(item, Imported) else item)
    assert all(each.count > 0 and each.kind for each in of(Defect, found))
    ids = [(trial.agent, trial.task, trial.sample) for trial in trials(found)]
    assert len(set(ids)) == len(ids)
    assert time.monotonic() - began < PATIENCE_S
    return of(Imported, found)


def test_every_reader_has_a_seed_that_it_reads(tmp_path):
    assert set(WRITERS) == set(READERS)
    for name in READERS:
        if name not in {"no-results", "inspect-scout"}:  # the one refuses, the other needs polars
            assert attacked(name, seed(name, tmp_path / name)), name


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_no_attack_breaks_a_reader(name, tmp_path):
    place = seed(name, tmp_path)
    sound = {path: path.read_bytes() for path in files(place)}
    for attack in ATTACKS.values():
        for path, data in sound.items():
            path.write_bytes(attack(data))
        attacked(name, place)


@pytest.mark.parametrize("name", READERS)
def test_links_are_not_followed_and_pipes_not_waited_for(name, tmp_path):
    place = seed(name, tmp_path)
    for path in files(place):
        path.rename(tmp_path / "secret")
        path.symlink_to(tmp_path / "secret")
        os.mkfifo(path.with_name(f"pipe-{path.name}"))
    (place / "round").symlink_to(place)
    assert attacked(name, place) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_bombs_are_refused_with_the_file(name, tmp_path):
    place = seed(name, tmp_path)
    for path in files(place):
        path.write_bytes(bomb(path.read_bytes()))
    attacked(name, place)


def test_archives_reach_nothing_outside_and_unpack_no_bomb(tmp_path):
    member = json.dumps(json.loads(SEEDS["inspect"])["samples"][0]).encode()
    path = tmp_path / "x.eval"
    path.write_bytes(eval_log(member))
    with zipfile.ZipFile(path, "a") as archive:
        for name in ("samples/../../../evil_epoch_1.json", "/samples/evil.json", "samples/..\\evil.json"):
            archive.writestr(name, member)
        archive.writestr("samples/bomb_epoch_1.json", zlib.compress(b" "), zipfile.ZIP_DEFLATED)
        link = zipfile.ZipInfo("samples/link_epoch_1.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    found = items(path)
    assert {trial.task for trial in trials(found)} == {"t.1"}
    assert any("link_epoch_1" in where for where in refusals(found))
    assert [each.name for each in tmp_path.iterdir()] == ["x.eval"]


@pytest.mark.parametrize("name", ["graded-samples", "inspect", "harbor"])
def test_a_study_that_is_there_stays_as_it_was(name, tmp_path):
    study = tmp_path / "s.honestly"
    import_results(seed("table", tmp_path / "first"), study)
    before = {path: path.read_bytes() for path in [study] if path.is_file()} or sorted(study.rglob("*"))
    place = seed(name, tmp_path)
    for path in files(place):
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(HonestlyError):
        import_results(place, study)
    with pytest.raises(HonestlyError):
        import_results(place, tmp_path / "t.honestly", name)
    assert before == ({path: path.read_bytes() for path in [study] if path.is_file()} or sorted(study.rglob("*")))
    assert not (tmp_path / "t.honestly").exists()


def test_an_unpacked_part_more_is_not_lost(tmp_path):
    line = SEEDS["graded-samples"]
    for pack in (gzip.compress, zstd.compress):
        (tmp_path / "x.jsonl").write_bytes(pack(line) + pack(line.replace(b'"a"', b'"b"')))
        assert {trial.task for trial in trials(items(tmp_path))} == {"a", "b"}


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_thousands_of_changed_bytes_break_no_reader(name, tmp_path):
    place, draw = seed(name, tmp_path), random.Random(name)
    sound = {path: path.read_bytes() for path in files(place)}
    tokens = [
        b"NaN",
        b"[[[[",
        b'"\\ud800"',
        b"1e999",
        b"null",
        b"{}",
        b"\0",
        b"\xff",
        b'"',
        b"\n",
        b"9" * 5000,
        b"<",
        b",",
    ]
    for _ in range(1500):
        for path, data in sound.items():
            changed = bytearray(data)
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(len(changed) + 1)
                changed[at : at + draw.randint(0, 6)] = draw.choice([*tokens, draw.randbytes(draw.randint(0, 4))])
            path.write_bytes(changed[: draw.choice([len(changed), draw.randint(0, len(changed))])])
        attacked(name, place)


_LIMITED = """
import sys
from pathlib import Path
from honestly.errors import HonestlyError
from honestly.studies import import_results
try:
    import_results(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
except HonestlyError as error:
    print(str(error)[:300])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_large_bombs_take_little_memory_and_leave_a_whole_study_or_none(name, tmp_path):
    place, out = seed(name, tmp_path), tmp_path / "s.honestly"
    for path in files(place):
        path.write_bytes(bomb(path.read_bytes(), 2000))
    command = [sys.executable, "-c", _LIMITED, str(place), str(out), name]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    if out.exists():
        with open_study(out) as study:
            assert all(each.found == each.kept + each.refused for each in count_files(study))
    else:
        assert done.stdout.strip()
    assert not [path for path in tmp_path.iterdir() if "part" in path.name]
