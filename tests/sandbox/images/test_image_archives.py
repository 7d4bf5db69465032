"""Archives of images: those of other programs, and hostile ones."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from image_archives import archive_of, config_of, digest, docker_save, layer, member, oci_layout

from honestly.errors import SandboxError
from honestly.sandbox.images import ImageError, RootImage, add_image, list_images
from zstd_module import zstd

LOW = layer(("bin/", None), ("bin/sh", b"#!"), ("etc/a", b"a"), ("etc/b", b"b"), ("opt/x/old", b"1"), ("lnk", "etc"))
HIGH = layer(("etc/.wh.a", b""), ("opt/x/.wh..wh..opq", b""), ("opt/x/new", b"2"), ("lnk", b"a file now"))
CONFIG = config_of(
    [LOW, HIGH], Env=["A=1", "PATH=/x"], WorkingDir="/srv", User="joe", Cmd=["run"], Entrypoint=["/bin/sh", "-c"]
)


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() or path.is_symlink()}


def check(image: RootImage) -> None:
    assert names(image.root) == {"bin/sh", "etc/b", "opt/x/new", "lnk"}
    assert (image.root / "lnk").read_text() == "a file now"
    assert (dict(image.env), image.workdir, image.user) == ({"A": "1", "PATH": "/x"}, "/srv", "joe")
    assert (image.cmd, image.entrypoint) == (("run",), ("/bin/sh", "-c"))


def test_all_ways_of_packing_are_the_same_image(store: Path, tmp_path: Path) -> None:
    folder = oci_layout(tmp_path / "oci", [LOW, HIGH], CONFIG)
    one = add_image(folder, "one")
    check(one)
    assert add_image(archive_of(folder, tmp_path / "oci.tar"), "two").id == one.id
    assert add_image(docker_save(tmp_path / "save.tar", [LOW, HIGH], CONFIG), "three").id == one.id
    (tmp_path / "save.tar.gz").write_bytes(gzip.compress((tmp_path / "save.tar").read_bytes()))
    assert add_image(tmp_path / "save.tar.gz", "four").id == one.id
    assert add_image(oci_layout(tmp_path / "plain", [LOW, HIGH], CONFIG, packed=False), "five").id == one.id


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_a_root_file_system_in_an_archive(store: Path, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "root.tar"
    path.write_bytes(pack(layer(("./", None), ("./bin/sh", b"#!"), ("./etc/.wh.a", b"no mark here"))))
    assert names(add_image(path, "root").root) == {"bin/sh", "etc/.wh.a"}


def test_one_of_several_images_by_its_name(store: Path, tmp_path: Path) -> None:
    folder = oci_layout(tmp_path / "oci", [LOW, HIGH], CONFIG, "me/two:1")
    index = json.loads((folder / "index.json").read_text())
    other = dict(index["manifests"][0], annotations={"org.opencontainers.image.ref.name": "me/one:1"})
    foreign = dict(other, platform={"os": "linux", "architecture": "m68k"}, annotations={})
    (folder / "index.json").write_text(json.dumps({"manifests": [other, foreign, *index["manifests"]]}))
    check(add_image(folder, "me/two:1"))
    with pytest.raises(ImageError, match=r"contains 2 images .* not one called me/three:1"):
        add_image(folder, "me/three:1")


def test_another_architecture_is_refused(store: Path, tmp_path: Path) -> None:
    config = CONFIG.replace(json.loads(CONFIG)["architecture"].encode(), b"m68k")
    with pytest.raises(ImageError, match="the image is for linux/m68k; expected"):
        add_image(docker_save(tmp_path / "save.tar", [LOW, HIGH], config), "x")


def test_a_changed_blob_is_refused(store: Path, tmp_path: Path) -> None:
    folder = oci_layout(tmp_path / "oci", [LOW, HIGH], CONFIG, packed=False)
    blob = folder / "blobs/sha256" / digest(HIGH)[7:]
    blob.write_bytes(HIGH[:-1] + b"\1")
    with pytest.raises(ImageError, match=r"a blob has the digest .* expected sha256:"):
        add_image(folder, "x")
    with pytest.raises(ImageError, match=r"unpacks to sha256:.* expected sha256:"):
        add_image(docker_save(tmp_path / "x.tar", [LOW, HIGH], config_of([LOW, LOW[:-1] + b"\1"])), "x")
    config = folder / "blobs/sha256" / digest(CONFIG)[7:]
    config.write_bytes(CONFIG + b" ")
    with pytest.raises(ImageError, match="does not have the digest"):
        add_image(folder, "x")
    assert list_images() == []


HOSTILE = {
    "a path that climbs": [("../../outside", b"x")],
    "a path in the middle that climbs": [("a/../../outside", b"x")],
    "a file through a link": [("a", "/tmp"), ("a/outside", b"x")],
    "a file through a link beside it": [("b/", None), ("b/a", "../.."), ("b/a/outside", b"x")],
    "a hard link out": [member("a", tarfile.LNKTYPE, "../../../etc/passwd")],
    "a hard link to a place outside": [member("a", tarfile.LNKTYPE, "/etc/passwd")],
    "a hard link through a link": [("l", "/etc"), member("a", tarfile.LNKTYPE, "l/passwd")],
    "a path with a null": [member("a\0b/../../..", tarfile.REGTYPE)],
    "a path too long": [("a/" * 3000, b"x")],
    "a root that is a file": [("bin/", None), (".", b"x")],
    "a whiteout that climbs": [("a/.wh...", b"")],
}


@pytest.mark.parametrize("entries", HOSTILE.values(), ids=HOSTILE)
def test_hostile_entries_touch_nothing_outside(store: Path, tmp_path: Path, entries: list[object]) -> None:
    data = layer(("bin/sh", b"x"), *entries)  # type: ignore[arg-type]
    try:
        image = add_image(docker_save(tmp_path / "x.tar", [data], config_of([data])), "x")
    except SandboxError:
        assert list_images() == []
    else:
        assert all(not path.is_symlink() or path.name in {"a", "l"} for path in image.root.rglob("*"))
    assert not (tmp_path / "outside").exists()
    assert not Path("/tmp/outside").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"store", "x.tar"}
    assert list((store / "work").iterdir()) == []


def test_kinds_and_rights_that_stay_out(store: Path, tmp_path: Path) -> None:
    entries = [
        member("dev2", tarfile.BLKTYPE, devmajor=8),
        member("null", tarfile.CHRTYPE, devmajor=1, devminor=3),
        member("pipe", tarfile.FIFOTYPE),
        member("bin/su", tarfile.REGTYPE, mode=0o6755, size=3, pax_headers={"SCHILY.xattr.user.x": "1"}),
        member("foreign", tarfile.REGTYPE, uid=1 << 20, gid=1 << 20, size=1),
        ("dev/sda", b"x"),
    ]
    data = layer(*entries)
    root = add_image(docker_save(tmp_path / "x.tar", [data], config_of([data])), "x").root
    assert names(root) == {"bin/su", "foreign"}
    assert (root / "bin/su").stat().st_mode & 0o7777 == 0o755
    assert os.listxattr(root / "bin/su") == []
    if os.geteuid() == 0:
        assert (root / "foreign").stat().st_uid == 65534


def test_links_in_the_layers_below_are_not_followed(store: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("1")
    low = layer(("bin/sh", b"x"), ("a", str(outside)), ("b", str(outside)))
    high = layer(("a/new", b"x"), ("b/.wh.kept", b""))
    root = add_image(docker_save(tmp_path / "x.tar", [low, high], config_of([low, high])), "x").root
    assert (root / "a/new").read_bytes() == b"x"
    assert not (root / "a").is_symlink()
    assert [path.name for path in outside.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    "data",
    [b"", b"x" * 600, LOW[:700], gzip.compress(LOW)[:80], b"\x1f\x8b" + b"x" * 50, layer(("etc/a", b"x"))],
    ids=["empty", "noise", "cut", "cut in its packing", "no gzip", "no root"],
)
def test_what_is_no_image_is_refused(store: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.tar").write_bytes(data)
    with pytest.raises(ImageError, match=r"x\.tar"):
        add_image(tmp_path / "x.tar", "x")
    assert list_images() == []
    assert list((store / "work").iterdir()) == []


def test_a_header_that_announces_gibibytes_is_refused(store: Path, tmp_path: Path) -> None:
    header = member("x", tarfile.XHDTYPE, size=8 << 30).tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "x.tar").write_bytes(gzip.compress(header + bytes(8 << 20)))
    with pytest.raises(ImageError, match="header of"):
        add_image(tmp_path / "x.tar", "x")


def test_what_is_not_there(store: Path, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ImageError, match="there is n"):
            add_image(path, "x")


def test_headers_that_make_no_sense_are_told_in_words(store: Path, tmp_path: Path) -> None:
    huge = tarfile.TarInfo("bin/x")
    huge.size = 1 << 62
    pax = tarfile.TarInfo("bin/x")
    pax.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9"}
    broken = pax.tobuf(tarfile.PAX_FORMAT)
    for data, said in ((huge.tobuf(tarfile.GNU_FORMAT), "a file beyond 256 GiB"), (broken, "makes no sense; expected")):
        (tmp_path / "bad.tar").write_bytes(data + b"\0" * 1024)
        with pytest.raises(ImageError, match=said):
            add_image(tmp_path / "bad.tar", "bad")
