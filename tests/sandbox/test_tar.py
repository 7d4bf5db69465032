"""Archives that come out of containers: what goes in comes out, others' archives are understood, hostile ones refused."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from honestly.errors import SandboxLimitError
from honestly.records import File, Tree
from honestly.sandbox._tar import ArchiveError, pack_tree, unpack_tree

LIMIT = 1 << 20
parts = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=70)
paths = st.lists(parts.filter(lambda part: part not in {".", ".."}), min_size=1, max_size=4).map("/".join)
targets = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1, max_size=150)
files = st.one_of(
    st.builds(File, data=st.binary(max_size=1500), mode=st.sampled_from(["file", "exec"])),
    st.builds(File, data=targets.map(str.encode), mode=st.just("link")),
)
trees = st.dictionaries(paths, files, max_size=6).map(lambda found: Tree(files=found))


def archive(kind: int, *members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=kind) as out:
        for entry, data in members:
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def member(name: str, data: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    for key, value in fields.items():
        setattr(entry, key, value)
    return entry, data


def one(name: str, data: bytes = b"x", kind: int = tarfile.GNU_FORMAT, **fields: object) -> bytes:
    return archive(kind, member(name, data, **fields))


@given(trees)
def test_a_tree_survives(tree: Tree) -> None:
    assert unpack_tree(pack_tree(tree), LIMIT).files == tree.files


@given(trees, st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]))
def test_every_format_is_read(tree: Tree, kind: int) -> None:
    members = []
    for path, file in tree.files.items():
        if file.mode == "link":
            members.append(member("./" + path, type=tarfile.SYMTYPE, linkname=file.data.decode()))
        else:
            members.append(member("./" + path, file.data, mode=0o755 if file.mode == "exec" else 0o644))
    assert unpack_tree(archive(kind, *members), LIMIT).files == tree.files


def test_what_is_no_file_is_left_out_and_hard_links_are_copies() -> None:
    data = archive(
        tarfile.GNU_FORMAT,
        member("./", type=tarfile.DIRTYPE),
        member("./d/", type=tarfile.DIRTYPE),
        member("d/a", b"1", mode=0o755),
        member("b", type=tarfile.LNKTYPE, linkname="./d/a"),
        member("lost", type=tarfile.LNKTYPE, linkname="elsewhere"),
        member("disk", type=tarfile.BLKTYPE),
        member("null", type=tarfile.CHRTYPE),
        member("pipe", type=tarfile.FIFOTYPE),
        member("bad\udcff", b"2"),
    )
    assert unpack_tree(data, LIMIT).files == {"b": File(data=b"1", mode="exec"), "d/a": File(data=b"1", mode="exec")}


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "./../x", "a//b", "."])
@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_no_path_leads_out(name: str, kind: int) -> None:
    with pytest.raises(ArchiveError):
        unpack_tree(one(name, kind=kind), LIMIT)


@pytest.mark.slow
def test_the_limits_hold() -> None:
    with pytest.raises(SandboxLimitError, match="more than 100 bytes"):
        unpack_tree(one("a", bytes(100)), 100)
    with pytest.raises(SandboxLimitError, match="4000 bytes"):
        unpack_tree(one("a/" * 1999 + "bb"), LIMIT)
    with pytest.raises(SandboxLimitError, match="nested"):
        unpack_tree(one("a/" * 300 + "b"), LIMIT)
    with pytest.raises(SandboxLimitError, match="100000 files"):
        unpack_tree(one("a", b"")[:512] * 100_001, LIMIT)
    bomb = [member("a", bytes(60_000)), *(member(f"l{n}", type=tarfile.LNKTYPE, linkname="a") for n in range(20))]
    with pytest.raises(SandboxLimitError, match="bytes"):
        unpack_tree(archive(tarfile.GNU_FORMAT, *bomb), LIMIT)


def resealed(header: bytearray) -> bytes:
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 256 + sum(header[156:512]))
    return bytes(header)


@pytest.mark.parametrize(
    "size", [b"77777777777\0", b"\x80" + b"\0" * 3 + b"\x7f" * 8, b"\xff" * 12, b"-0000000001\0", b"0000000001z\0"]
)
@pytest.mark.parametrize("kind", [b"0", b"L", b"x", b"g", b"Z"])
def test_sizes_are_not_believed(size: bytes, kind: bytes) -> None:
    header = bytearray(one("a", b""))
    header[124:136], header[156:157] = size, kind
    with pytest.raises(ArchiveError):
        unpack_tree(resealed(header), LIMIT)


@pytest.mark.parametrize(
    "text",
    [
        b"99999999999999999999 path=a\n",
        b"5",
        b"0 path=a\n",
        b"-9 path=a\n",
        b" =\n",
        b"9 path=ab",
        b"11 size=-1\n",
        b"\xff 1=2\n",
    ],
)
def test_pax_headers_are_not_believed(text: bytes) -> None:
    header = bytearray(one("a", text, kind=tarfile.USTAR_FORMAT))
    header[156:157] = b"x"
    follows = one("b", b"y")
    with pytest.raises(ArchiveError):
        unpack_tree(resealed(header[:512]) + bytes(header[512:1024]) + follows, LIMIT)


def test_a_changed_header_is_noticed() -> None:
    data = bytearray(one("a"))
    data[0] ^= 1
    with pytest.raises(ArchiveError, match="checksum"):
        unpack_tree(bytes(data), LIMIT)


@given(trees, st.data())
@settings(max_examples=300)
def test_damaged_archives_are_trees_or_errors(tree: Tree, data: st.DataObject) -> None:
    damaged = bytearray(pack_tree(tree))[: data.draw(st.integers(0, 6000))]
    for _ in range(data.draw(st.integers(0, 4))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    start = len(damaged) // 512 * 512
    for at in range(0, start, 512) if data.draw(st.booleans()) else ():
        damaged[at : at + 512] = resealed(damaged[at : at + 512])
    try:
        found = unpack_tree(bytes(damaged), 10_000)
    except (ArchiveError, SandboxLimitError):
        return
    assert sum(len(path) + len(file.data) for path, file in found.files.items()) <= 10_000


@pytest.mark.skipif(not shutil.which("tar"), reason="there is no tar on this machine")
@pytest.mark.parametrize("options", [[], ["--format=posix"], ["--format=ustar"], ["--format=v7"]])
def test_the_archives_of_a_tar_program_are_read(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/ü").write_bytes(b"1" * 600)
    (tmp_path / "tool").write_bytes(b"2")
    (tmp_path / "tool").chmod(0o755)
    (tmp_path / "copy").hardlink_to(tmp_path / "d/ü")
    (tmp_path / "link").symlink_to("../../etc")
    long = "long" * 24
    expected = {"d/ü": File(data=b"1" * 600), "copy": File(data=b"1" * 600), "tool": File(data=b"2", mode="exec")}
    expected["link"] = File(data=b"../../etc", mode="link")
    if "--format=v7" not in options:
        (tmp_path / long).mkdir()
        (tmp_path / long / "file").write_bytes(b"3")
        expected[f"{long}/file"] = File(data=b"3")
    done = subprocess.run(["tar", *options, "-C", tmp_path, "-cf", "-", "."], capture_output=True, check=True)
    assert unpack_tree(done.stdout, LIMIT).files == expected
