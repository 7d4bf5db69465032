"""The store: what comes in whole, is found by name, shares layers, and goes again."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from image_archives import config_of, docker_save, layer

from honestly.sandbox.images import ImageError, ImageStore, RootImage, add_image, find_image, list_images, remove_image


def test_an_image_is_found_by_its_names_and_its_id(base: RootImage, small_root: Path) -> None:
    assert base.name == "small:latest"
    for name in ("small", "small:latest", "library/small", base.id, base.id[:12]):
        found = find_image(name)
        assert found is not None
        assert found.id == base.id
    assert find_image("other") is None
    assert find_image("small:1") is None
    assert add_image(small_root, "me/other:2") == find_image("me/other:2")
    assert [image.id for image in list_images()] == [base.id]
    assert (base.root / "etc/release").read_text() == "small\n"
    assert base.workdir == "/"
    with pytest.raises(ImageError, match="not a name of an image"):
        find_image("No Name")


def test_layers_are_shared_and_freed_with_their_last_image(base: RootImage, small_root: Path, tmp_path: Path) -> None:
    low, high = layer(("usr/bin/x", b"x" * 1000)), layer(("app/y", b"y" * 10))
    one = add_image(docker_save(tmp_path / "1.tar", [low], config_of([low])), "one")
    two = add_image(docker_save(tmp_path / "2.tar", [low, high], config_of([low, high])), "two")
    assert one.layers == two.layers[:1]
    assert (one.root / "usr/bin/x").samefile(two.root / "usr/bin/x")
    sizes = ImageStore().image_sizes()
    assert (sizes[one.id].own, sizes[one.id].shared) == (0, 1000)
    assert (sizes[two.id].own, sizes[two.id].shared) == (10, 1000)
    assert remove_image("two")
    assert not two.root.exists()
    assert not two.layers[1].exists()
    assert (one.root / "usr/bin/x").read_bytes() == b"x" * 1000
    assert not remove_image("two")
    assert remove_image(one.id)
    assert [path.name for path in (ImageStore().home / "layers").iterdir()] == [base.layers[0].parent.name]
    assert list((ImageStore().home / "work").iterdir()) == []


def test_a_second_name_keeps_an_image(base: RootImage, small_root: Path) -> None:
    add_image(small_root, "again")
    assert remove_image("small")
    found = find_image("again")
    assert found is not None
    assert found.root.is_dir()


def test_a_directory_may_be_named_by_a_link(base: RootImage, small_root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(small_root)
    assert add_image(tmp_path / "link", "linked").id == base.id


def test_a_name_passes_on(base: RootImage, tmp_path: Path) -> None:
    data = layer(("bin/x", b"x"))
    new = add_image(docker_save(tmp_path / "a.tar", [data], config_of([data])), "small")
    assert find_image("small") == new
    assert {image.id for image in list_images()} == {base.id, new.id}


def test_what_a_killed_program_left_is_removed(base: RootImage, small_root: Path) -> None:
    home = ImageStore().home

    def die() -> None:
        with ImageStore().build_folder() as work:
            (work / "half").mkdir()
            (work / "half/file").write_text("x")
            os._exit(9)

    child = multiprocessing.get_context("fork").Process(target=die)
    child.start()
    child.join()
    assert len(list((home / "work").iterdir())) == 1
    add_image(small_root, "other")
    assert list((home / "work").iterdir()) == []


def test_many_at_once_come_to_the_same(store: Path, small_root: Path) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=add_image, args=(small_root, f"n{number}")) for number in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert len(list_images()) == 1
    assert ImageStore().image_names(list_images()[0].id) == [f"n{number}:latest" for number in range(4)]


def test_nothing_is_freed_while_something_is_built(base: RootImage) -> None:
    with ImageStore().keeping_layers():
        assert remove_image("small")
        assert base.layers[0].exists()
    assert not remove_image("small")


def test_the_store_is_the_users_alone(base: RootImage) -> None:
    assert ImageStore().home.stat().st_mode & 0o777 == 0o700


def test_a_damaged_image_is_named(base: RootImage) -> None:
    (ImageStore().home / "images" / f"{base.id}.json").write_text("{")
    with pytest.raises(ImageError, match=f"{base.id[:12]}.* cannot be read"):
        find_image("small")
