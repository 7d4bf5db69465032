"""A real Debian as a base: packages installed by a Dockerfile, and images that other programs have packed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from debian_base import debian_base
from honestly.records import Tree
from honestly.sandbox import Egress, Layout, Limits, open_sandbox
from honestly.sandbox.images import add_image, build_image, user_ids

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

DOCKERFILE = """
FROM debian:test AS builder
RUN apt-get update && apt-get install -y --no-install-recommends cron jq && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home joe && chown -R joe:joe /opt && echo '[1, 2]' | jq add > /opt/sum
FROM builder
COPY --from=builder --chown=joe /opt/sum /home/joe/sum
USER joe
WORKDIR /home/joe
RUN test "$(id -un)" = joe && test "$(stat -c %U sum)" = joe && touch mine
"""


def mirror(root: Path) -> tuple[str, ...]:
    """The addresses of the hosts that packages come from, which need not be public ones."""
    sources = [root / "etc/apt/sources.list", *(root / "etc/apt/sources.list.d").glob("*")]
    text = "".join(path.read_text() for path in sources if path.is_file())
    hosts = set(re.findall(r"https?://([^/\s:]+)", text))
    try:
        found = {str(entry[4][0]) for host in hosts for entry in socket.getaddrinfo(host, 80)}
        with socket.create_connection((min(found), 80), timeout=5):
            return tuple(f"[{address}]:80" if ":" in address else address for address in found)
    except (OSError, ValueError) as error:
        pytest.skip(f"the mirror of packages cannot be reached: {error}")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_packages_are_installed_once_and_used_offline(store: Path, tmp_path: Path) -> None:
    base = debian_base()
    addresses = mirror(base)
    add_image(base, "debian:test")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    requests: list[object] = []
    network = Egress(allow=("*", *addresses), log=requests.append)
    image = await build_image(tmp_path, name="jq", network=network)
    assert requests
    said: list[str] = []
    assert (await build_image(tmp_path, name="again", progress=said.append)).id == image.id
    assert all(line.endswith("(cached)") or "USER" in line for line in said)
    ids, home = user_ids(image.root, image.user)
    layout = Layout(root=image.root, open_root=True, user=ids)
    async with open_sandbox(Tree(), Limits(processes=200), layout=layout) as box:
        done = await box.exec("cat sum; ls; jq -n 6*7", cwd=image.workdir, env={"HOME": home})
        assert done.stdout.split() == [b"3", b"mine", b"sum", b"42"]
        assert (await box.exec("apt-get download jq")).code != 0


def test_images_of_other_programs(store: Path, tmp_path: Path) -> None:
    for program in ("umoci", "skopeo"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} on this machine")
    base = debian_base()

    def run(*words: str) -> None:
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)

    run("umoci", "init", "--layout", "oci")
    run("umoci", "new", "--image", "oci:base")
    for change in (("cp", "-a", f"{base}/.", "bundle/rootfs/"), ("rm", "bundle/rootfs/etc/debian_version")):
        run("umoci", "unpack", "--image", "oci:base", "bundle")
        run(*change)
        run("umoci", "repack", "--image", "oci:base", "bundle")
        run("rm", "-rf", "bundle")
    run("umoci", "config", "--image", "oci:base", "--config.env", "A=b", "--config.workingdir", "/srv")
    run("skopeo", "copy", "oci:oci:base", "oci-archive:oci.tar")
    run("skopeo", "copy", "oci:oci:base", "docker-archive:saved.tar:base:latest")
    run("tar", "-C", str(base), "-cf", "root.tar", ".")
    image = add_image(tmp_path / "oci", "base")
    assert add_image(tmp_path / "oci.tar", "base").id == image.id
    assert add_image(tmp_path / "saved.tar", "base").id == image.id
    assert (image.env["A"], image.workdir, len(image.layers)) == ("b", "/srv", 2)
    assert not (image.root / "etc/debian_version").exists()
    plain = add_image(tmp_path / "root.tar", "plain")
    gone = {path.relative_to(plain.root) for path in plain.root.rglob("*")}
    gone -= {path.relative_to(image.root) for path in image.root.rglob("*")}
    assert gone == {Path("etc/debian_version")}
