"""The contract of sandboxes: commands, streams, files, snapshots, deadlines."""

import anyio

from honestly.records import File, Tree
from honestly.sandbox import open_sandbox


def check_sandbox(provider: str) -> None:
    """Opens two sandboxes of a provider, and uses them as agents and verification do.

    Args:
        provider: What `run --sandbox` would name.

    Raises:
        AssertionError: Something comes back otherwise than it was put in, or what is killed goes on.
    """
    anyio.run(_used, provider)


async def _used(provider: str) -> None:
    tree = Tree(files={"a.txt": File(data=b"hello\n"), "deep/run": File(data=b"#!/bin/sh\nexit 3\n", mode="exec")})
    async with open_sandbox(tree, provider=provider) as box, open_sandbox(Tree(), provider=provider) as other:
        assert box.name, "it has no name; a study records the kind of its sandboxes"
        result = await box.exec("cat a.txt; cat nowhere; deep/run")
        assert (result.code, result.stdout) == (3, b"hello\n"), f"a command gave {result}; expected 3 and 'hello'"
        assert b"nowhere" in result.stderr, "what a command writes to standard error does not come back"
        listed = await box.exec(["printf", "%s|", "$HOME", "a b", "*"])
        assert listed.stdout == b"$HOME|a b|*|", "a list was not run as it is, without a shell"
        given = await box.exec("cat; echo $WORD", stdin=b"in\0put\n", env={"WORD": "x"})
        assert given.stdout == b"in\0put\nx\n", "standard input or variables did not arrive"
        assert (await box.exec(["no-such-program"])).code == 127, "a program that is missing must end with status 127"
        late = await box.exec("echo before; while :; do sleep 1; done", timeout=0.5)
        assert late.timed_out, "the deadline did not end a command"
        assert late.code is None, f"a command that the deadline ended has the status {late.code}; expected None"
        await box.write("new/b.bin", b"\0\xff", executable=True)
        assert await box.read("new/b.bin") == b"\0\xff", "a file comes back otherwise than it was written"
        await box.exec("rm a.txt; echo more > new/c")
        left = await box.snapshot()
        assert set(left.files) == {"deep/run", "new/b.bin", "new/c"}, f"a snapshot holds {sorted(left.files)}"
        assert left.files["new/b.bin"].mode == "exec", "a snapshot lost that a file is executable"
        assert (await other.snapshot()).files == {}, "one sandbox sees the files of another"
