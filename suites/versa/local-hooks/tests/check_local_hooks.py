"""Hidden checks of local-hooks: the programs by hand on random files, and pre-commit in repositories that are made for it."""

import json

KEEP = {"PRE_COMMIT_HOME": "/tmp/pre-commit-home", "GIT_CONFIG_GLOBAL": "/dev/null", "PYTHONPATH": "/opt/packages"}
PIECES = [b"word", b" ", b"\t", b"\n", b"\n", b"  ", b"\xc3\xa9", b"\xff", b"x y", b"\x0c"]


def expected(data, end):
    """What trailing makes of content that has one kind of line ends."""
    lines = [line.rstrip(b" \t") for line in data.split(end)]
    while lines and not lines[-1]:
        lines.pop()
    return end.join(lines) + end if lines else b""


def repository(ws, files, untracked=()):
    """A git repository in `repo/` with the solution's hooks, where all files but some are staged."""
    ws.run(["rm", "-rf", "repo"])
    for path in ws.files():
        if path.startswith("hooks/") or path == ".pre-commit-config.yaml":
            ws.write(f"repo/{path}", ws.read_bytes(path))
    for path, content in files.items():
        ws.write(f"repo/{path}", content)
    done = ws.run(["sh", "-c", "cd repo && git init -q . && git add -A"], env=KEEP)
    assert done.code == 0, done
    for path in untracked:
        ws.write(f"repo/{path}", "x\n")


def pre_commit(ws, *words):
    """What came of each hook that was shown, and the exit status."""
    command = f"cd repo && python3 -m pre_commit run {' '.join(words)}"
    done = ws.run(["sh", "-c", command], env=KEEP, timeout=60)
    lines = [line for line in done.stdout.splitlines() if "..." in line]
    shown = [(line.partition(".")[0], line.rpartition(".")[2].rpartition(")")[2]) for line in lines]
    return [each for each in shown if each[0] in ("trailing", "no-debug", "migrations", "commit-message")], done


def test_trailing_on_random_content(ws):
    """Any bytes, both kinds of line ends."""
    for number in range(14):
        end = b"\r\n" if number % 2 else b"\n"
        names, wanted = [], []
        for index in range(6):
            data = b"".join(ws.rng.choice(PIECES) for _ in range(ws.rng.randrange(14))).replace(b"\n", end)
            names.append(f"data/{number}-{index}.txt")
            ws.write(names[-1], data)
            wanted.append((data, expected(data, end) if end in data else expected(data, b"\n")))
        done = ws.run(["python3", "hooks/trailing.py", *names])
        changed = [name for name, (data, made) in zip(names, wanted) if data != made]
        assert done.stdout.splitlines() == changed, (wanted, done)
        assert done.code == (1 if changed else 0), done
        for name, (data, made) in zip(names, wanted):
            assert ws.read_bytes(name) == made, (data, made)


def test_trailing_on_mixed_line_ends(ws):
    """Each stays what it is; what has to be added is like the first."""
    for data, made in (
        (b"a \r\nb\t\nc", b"a\r\nb\nc\r\n"),
        (b"a\nb \r\nc  ", b"a\nb\r\nc\n"),
        (b"a  \nb\r\n", b"a\nb\r\n"),
        (b"a\r\n\r\n \r\n", b"a\r\n"),
        (b" \t\n\n", b""),
        (b"", b""),
        (b"a\rb \n", b"a\rb\n"),
        (b"   ", b""),
    ):
        ws.write("one.txt", data)
        done = ws.run(["python3", "hooks/trailing.py", "one.txt"])
        assert (ws.read_bytes("one.txt"), done.code) == (made, int(data != made)), data


def test_a_file_that_is_right_is_not_written(ws):
    """One that may not be written passes."""
    ws.write("right.txt", "a\nb\n")
    program = "import os; os.utime('right.txt', (1000, 1000))"
    ws.run(["python3", "-c", program])
    done = ws.run(["python3", "hooks/trailing.py", "right.txt"])
    seen = ws.run(["python3", "-c", "import os; print(int(os.stat('right.txt').st_mtime))"])
    assert (done.code, done.stdout, seen.stdout) == (0, "", "1000\n")


def test_no_debug(ws):
    """Faults and what only looks like them, in one file after the other."""
    parts = [
        ("breakpoint()", True),
        ("x = [breakpoint(header=1), breakpoint()]", True),
        ("import pdb", True),
        ("import os, pdb as p", True),
        ("from pdb import set_trace", True),
        ("def f():\n    import pdb", 1),
        ("# breakpoint()", False),
        ("x = 'import pdb'", False),
        ("self.breakpoint()", False),
        ("import pdbutils", False),
        ("from pdbutils import pdb", False),
        ("from .pdb import x", False),
        ("from . import pdb", False),
        ("y = breakpoint", False),
        ("x = (\n    1,\n    breakpoint(),\n)", 2),
        ("try:\n    pass\nfinally:\n    breakpoint(1)", 3),
    ]
    for _ in range(6):
        names, wanted = [], []
        for index in range(3):
            chosen = [ws.rng.choice(parts) for _ in range(ws.rng.randrange(6))]
            line, name = 1, f"src/f{ws.rng.randrange(1000)}-{index}.py"
            for text, fault in chosen:
                if fault is not False:
                    wanted.append(f"{name}:{line + (0 if fault is True else fault)}")
                line += text.count("\n") + 1
            ws.write(name, "".join(f"{text}\n" for text, _ in chosen))
            names.append(name)
        done = ws.run(["python3", "hooks/no_debug.py", *names])
        assert (done.stdout.splitlines(), done.code) == (wanted, int(bool(wanted))), names


def test_no_debug_and_what_is_not_python(ws):
    """A syntax error is a fault at its line, and the next file is looked at."""
    ws.write("src/a.py", "x = 1\ny = = 2\n")
    ws.write("src/b.py", "# -*- coding: latin-1 -*-\nname = '\u00e9'\nbreakpoint()\n".encode("latin-1"))
    done = ws.run(["python3", "hooks/no_debug.py", "src/a.py", "src/b.py"])
    assert (done.stdout, done.code) == ("src/a.py:2\nsrc/b.py:3\n", 1), done
    done = ws.run(["python3", "hooks/no_debug.py"])
    assert (done.stdout, done.code) == ("", 0)


def test_messages(ws):
    """Right and wrong ones."""
    words = "w" * 60
    good = [
        "AB-1: a",
        f"ABCDE-120: {words}",
        "AB-0: two words",
        "Merge branch 'x'\n\nmore",
        'Revert "AB-1: a."',
        "AB-1: a\n",
    ]
    good += [
        "# note\n\n  \nAB-1: a\n\nbody\n# x",
        "AB-1: a\n#second\n\nbody",
        "AB-1: a.b",
        "AB-1: a\n   \nbody",
        "ABC-10: \u00e9",
    ]
    bad = [
        "",
        "# only\n",
        "\n\n",
        "A-1: a",
        "ABCDEF-1: a",
        "ab-1: a",
        "AB-01: a",
        "AB-1 : a",
        "AB-1:a",
        "AB-1:  a",
        "AB-1: ",
    ]
    bad += ["AB-1: a.", "AB-1: a ", f"AB-1: {words}w", "AB-1: a\nbody", "Merge", "Revert x", "AB-: a", " AB-1: a"]
    bad += ["Merge x\nbody", "merge x", "AB-1: a\n#note\nbody", "AB1: a", "see AB-1: a", "AB-1: .", "A1-1: a"]
    cases = [(text, 0) for text in good] + [(text, 1) for text in bad]
    ws.write("cases.json", json.dumps([text for text, _ in cases]))
    program = "import json, subprocess, sys\nfor text in json.load(open('cases.json')):\n"
    program += " open('message', 'w', encoding='utf-8').write(text)\n"
    program += " print(subprocess.run([sys.executable, 'hooks/commit_message.py', 'message'], stdout=-3).returncode)\n"
    done = ws.run(["python3", "-c", program], timeout=60)
    seen = list(zip((text for text, _ in cases), map(int, done.stdout.split())))
    assert seen == cases, [one for one, two in zip(seen, cases) if one != two]


def test_migrations_by_hand(ws):
    """Names and numbers, as git knows them."""
    start = {"migrations/0001_a.sql": "x\n", "migrations/0002_b_2.sql": "x\n"}
    for more, untracked, code in (
        ({}, (), 0),
        ({"migrations/README.md": "x\n", "migrations/old/0009_z.txt": "x\n"}, (), 0),
        ({"migrations/0003_c.sql": "x\n"}, ("migrations/0003_d.sql", "migrations/notes"), 0),
        ({"migrations/0004_c.sql": "x\n"}, ("migrations/0003_c.sql",), 1),
        ({"migrations/0002_c.sql": "x\n"}, (), 1),
        ({"migrations/0003_C.sql": "x\n"}, (), 1),
        ({"migrations/3_c.sql": "x\n"}, (), 1),
        ({"migrations/0003_c.sql.bak": "x\n"}, (), 1),
        ({"migrations/0000_c.sql": "x\n"}, (), 1),
        ({"migrations/0003_.sql": "x\n"}, (), 1),
        ({"migrations/notes.txt": "x\n"}, (), 1),
    ):
        repository(ws, {**start, **more}, untracked)
        done = ws.run(["sh", "-c", "cd repo && python3 hooks/migrations.py"], env=KEEP)
        assert done.code == code, (more, untracked, done)
    repository(ws, {"a.txt": "x\n"})
    assert ws.run(["sh", "-c", "cd repo && python3 hooks/migrations.py"], env=KEEP).code == 0


def test_which_files_are_given(ws):
    """Text files outside of vendor/ that are no Markdown; Python below src/; all hooks run, in their order."""
    bad = "x = 1 \n"
    files = {"a.txt": bad, "vendor/b.txt": bad, "c.md": bad, "src/vendor/d.js": bad, "src/e.py": "breakpoint()\n"}
    files |= {"tools/f.py": "breakpoint()\n", "docs/amd": bad, "g.bin": b"\0\1 \n", "migrations/0002_x.sql": "x\n"}
    repository(ws, files)
    ws.write("repo/src/h", "#!/usr/bin/env python3\nimport pdb\n")
    ws.run(["sh", "-c", "cd repo && chmod +x src/h && git add -A"], env=KEEP)
    ws.write("repo/new.txt", bad)
    shown, done = pre_commit(ws)
    assert shown == [("trailing", "Failed"), ("no-debug", "Failed"), ("migrations", "Failed")], done
    changed = ["a.txt", "docs/amd", "src/vendor/d.js"]
    for path in files:
        assert (ws.read_bytes(f"repo/{path}") == b"x = 1\n") is (path in changed), path
    assert ws.read("repo/new.txt") == bad
    assert "src/e.py:1\n" in done.stdout and "src/h:2\n" in done.stdout and "tools/f.py" not in done.stdout, done


def test_a_commit_that_only_deletes(ws):
    """The migrations are looked at, and nothing else has something to do."""
    repository(ws, {"migrations/0001_a.sql": "x\n", "migrations/0002_b.sql": "x\n", "src/a.py": "x = 1\n"})
    commit = "git -c user.name=a -c user.email=b commit -qm start && git rm -q migrations/0001_a.sql"
    assert ws.run(["sh", "-c", f"cd repo && {commit}"], env=KEEP).code == 0
    shown, done = pre_commit(ws)
    assert shown == [("trailing", "Skipped"), ("no-debug", "Skipped"), ("migrations", "Failed")], done


def test_the_stage_of_messages(ws):
    """Only the hook for messages runs there."""
    repository(ws, {"a.txt": "bad \n"})
    for text, word in (("AB-1: good\n", "Passed"), ("bad\n", "Failed")):
        ws.write("repo/.git/MESSAGE", text)
        shown, done = pre_commit(ws, "--hook-stage commit-msg --commit-msg-filename .git/MESSAGE")
        assert shown == [("commit-message", word)], done
    assert ws.read("repo/a.txt") == "bad \n"
