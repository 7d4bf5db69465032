"""Hidden checks of tree-diff: random lists of files against a comparison in Python."""

import hashlib
import re

LINE = re.compile(r"(\\?)([0-9a-fA-F]{64}) [ *](.+)", re.DOTALL)


def checksum(text):
    """A checksum as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def shown(name):
    """A name as it is printed."""
    return name.replace("\\", "\\\\").replace("\n", "\\n")


def in_order(names):
    """Names in the order in which they are printed."""
    return sorted(names, key=lambda name: shown(name).encode())


def compared(old, new):
    """Oracle: lines for two trees, checksums by name."""
    gone, come = in_order(old.keys() - new.keys()), in_order(new.keys() - old.keys())
    lines = {name: f"M {shown(name)}" for name in old.keys() & new.keys() if old[name] != new[name]}
    for name in come:
        same = [other for other in gone if old[other] == new[name]]
        lines[name] = f"R {shown(same[0])} => {shown(name)}" if same else f"A {shown(name)}"
        gone = [other for other in gone if other not in same[:1]]
    lines |= {name: f"D {shown(name)}" for name in gone}
    kinds = [line[0] for line in lines.values()]
    return [*(lines[name] for name in in_order(lines)), ", ".join(f"{kind} {kinds.count(kind)}" for kind in "ADMR")]


def written(rng, tree):
    """The list of a tree, in one of the ways in which programs write it."""
    out = []
    for name, mark in tree.items():
        escaped = "\n" in name or ("\\" in name and rng.random() < 0.7)
        mark = mark.upper() if rng.random() < 0.1 else mark
        out.append("\\" * escaped + f"{mark} {rng.choice(' *')}{shown(name) if escaped else name}\n")
    rng.shuffle(out)
    for line in rng.sample(out, min(len(out), rng.randrange(2))):  # an older line with the same name
        found = LINE.fullmatch(line[:-1])
        out.insert(0, f"{found[1]}{checksum('older')}  {found[3]}\n")
    return "".join(out)


def answer(ws, old, new, names=("old", "new")):
    """Status and lines."""
    for name, text in zip(names, (old, new), strict=True):
        ws.write(name, text)
    done = ws.run(["sh", "treediff.sh", *names])
    return done.code, done.stdout.splitlines()


def agrees(ws, old, new, names=("old", "new")):
    """Demands the oracle's lines for two trees."""
    lines = compared(old, new)
    texts = written(ws.rng, old), written(ws.rng, new)
    assert answer(ws, *texts, names) == (int(len(lines) > 1), lines), (texts, lines)


NAMES = (
    "a", "b", "A", "10", "9", "1e1", "010", "src/main.c", "a b", "  two  blanks ", "tab\tname", "back\\slash", "new\nline",
    "\\n", "\\\\n", "é", "~", "-", "x=1", "&", "a&b", "*", "$HOME", "%s", "a => b", '"', "'", "#", "\\", "end\\", "0x10", "nan", "=", " ",
    "*star", "old",
)  # fmt: skip


def tree(rng, size, sums):
    """A random tree with few checksums, so that much is the same."""
    return {name: checksum(str(rng.randrange(sums))) for name in rng.sample(NAMES, size)}


def test_random_trees(ws):
    """All kinds of names, in lists in any order."""
    for _ in range(25):
        old = tree(ws.rng, ws.rng.randrange(len(NAMES)), ws.rng.choice((2, 5, 30)))
        new = {name: mark for name, mark in old.items() if ws.rng.random() < 0.6}
        new |= tree(ws.rng, ws.rng.randrange(12), 5)
        agrees(ws, old, new)


def test_renames_in_pairs(ws):
    """Several files with the same content go by pairs, in order; what is over is added or deleted."""
    one, two = checksum("1"), checksum("2")
    agrees(ws, {"b": one, "a": one, "c": two}, {"y": one, "x": one, "z": one})
    agrees(ws, {"b": one, "a": one, "c": one}, {"x": one, "a": two})
    agrees(ws, {"10": one, "9": one, "1e1": one}, {"8": one, "11": one})
    agrees(ws, {"a": one, "b": two}, {"a": two, "b": one})
    agrees(ws, {"a": one}, {"a": one, "b": one})
    near = {"first": "0" + one[1:], "last": one[:-1] + "0", "middle": one[:32] + "00" + one[34:]}
    agrees(ws, {"a": one, "b": one, "c": one}, {"a": near["first"], "b": near["last"], "c": near["middle"]})
    agrees(ws, {"a": one, **near}, {"b": one, **{name + "x": mark for name, mark in near.items()}})


def test_files(ws):
    """Names of the lists themselves, empty lists, the same list twice, many lines."""
    one, two = {"a": checksum("1")}, {"b": checksum("1"), "c": checksum("2")}
    for names in (("x=1", "y=2"), ("my list", "$(list)"), ("a*", "a b"), ("-v", "-f"), ("old=", "-")):
        agrees(ws, one, two, names)
    agrees(ws, {}, two)
    agrees(ws, two, {})
    agrees(ws, {}, {})
    done = ws.run(["sh", "./treediff.sh", "old", "old"])
    assert (done.code, done.stdout) == (0, "A 0, D 0, M 0, R 0\n")
    many = {f"{ws.rng.getrandbits(40):x}": checksum(str(k % 3000)) for k in range(4000)}
    agrees(ws, many, {name + "x" * (k % 2): mark for k, (name, mark) in enumerate(many.items())})
    no_end = f"{checksum('1')}  a", f"{checksum('1')}  b\n{checksum('2')} *a"
    assert answer(ws, *no_end) == (1, compared(one, {"b": checksum("1"), "a": checksum("2")}))


def test_elsewhere(ws):
    """The script finds its parts from any folder."""
    ws.write("deep/old", f"{checksum('1')}  a\n")
    ws.write("deep/new", f"{checksum('1')}  b\n")
    done = ws.run(["sh", "-c", "cd deep && sh ../treediff.sh old new"])
    assert (done.code, done.stdout) == (1, "R a => b\nA 0, D 0, M 0, R 1\n")


def test_errors(ws):
    """Nothing is printed to standard output, something to standard error; the status is 2."""
    mark, good = checksum("1"), f"{checksum('1')}  a\n"
    lines = [
        "", " ", mark, mark + " ", mark + "  ", mark + " *", mark + " a", mark[1:] + "  a", mark + "0  a", "g" + mark[1:] + "  a",
        mark + "\t a", " " + mark + "  a", mark + " -a", "\\\\" + mark + "  a", "\\" + mark + "  ", mark + "\t\ta", mark[:32] + "  a",
        mark[:-1] + "   a", "# x",
    ]  # fmt: skip
    for line in lines:
        for old, new in ((good + line + "\n" + good, good), (good, good + good + line + "\n")):
            assert answer(ws, old, new) == (2, []), (old, new)
    ws.write("good", good)
    for words in (
        ["good", "none"],
        ["none", "good"],
        ["good"],
        [],
        ["good", "good", "good"],
        ["good", ""],
        ["-", "good"],
    ):
        done = ws.run(["sh", "treediff.sh", *words])
        assert (done.code, done.stdout) == (2, "") and done.stderr, (words, done)
