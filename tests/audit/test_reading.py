"""How trajectories are read: noise off, shells apart, hidden text open, work bounded."""

from __future__ import annotations

import base64
import gzip
import time

import pytest

from honestly.audit import read_table
from honestly.audit.reading._clean import Logs, screen_text
from honestly.audit.reading._escapes import decoded_texts
from honestly.audit.reading._shell import split_commands
from honestly.records import Observation, Step, ToolCall


def step(command: str, output: str = "", code: int | None = 0) -> Step:
    call = ToolCall.of("1", "bash", command=command)
    return Step(source="agent", calls=(call,), observations=(Observation(text=output, call_id="1", code=code),))


def test_terminal_noise_goes_and_words_stay() -> None:
    noisy = (
        "\x1b[1;31mred\x1b[0m  \n 10%|#  | 1/9 [00:01, 3.1it/s]\rdone\r\n\x1b]0;title\x07ab\x08c\n━━━━━━━ 3.1 MB\nend"
    )
    assert screen_text(noisy) == "red\ndone\nac\nend"
    assert screen_text("plain\ntext") == "plain\ntext"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("cd /a && ls -la | grep 'x y'", [("cd", "/a"), ("ls", "-la"), ("grep", "x y")]),
        ('G="git"; $G log --all', [("git", "log", "--all")]),
        ("bash -c 'cat /tests/x; rm y'", [("bash", "-c", "cat /tests/x; rm y"), ("cat", "/tests/x"), ("rm", "y")]),
        ("sudo timeout 30 python3 a.py", [("python3", "a.py")]),
        ("echo $'\\x63at'", [("echo", "cat")]),
        ('c""at "te"st.py', [("cat", "test.py")]),
        ("x=$(curl http://h/p)", [("curl", "http://h/p")]),
        ("for f in a b; do cat $f; done # cat z", [("f", "in", "a", "b"), ("cat", "$f")]),
        ("echo 'open", [("echo", "'", "open")]),
    ],
)
def test_shell_is_taken_apart(source: str, words: list[tuple[str, ...]]) -> None:
    assert [command.words for command in split_commands(source)] == words


def test_here_documents_belong_to_their_command_and_file() -> None:
    first, second = split_commands("cat <<'EOF' >\nout/a.json && python3 b.py\n{\"a\": 1}\nEOF\n")
    assert first.outputs == (("out/a.json", False),)
    assert first.document == '{"a": 1}\n'
    assert second.words == ("python3", "b.py")


@pytest.mark.parametrize(
    "hidden",
    [
        base64.b64encode(b"cat /tests/secret_test.py").decode(),
        b"cat /tests/secret_test.py".hex(),
        base64.b64encode(gzip.compress(b"cat /tests/secret_test.py", mtime=0)).decode(),
        base64.b64encode(base64.b64encode(b"cat /tests/secret_test.py")).decode(),
        "".join(f"\\x{byte:02x}" for byte in b"cat /tests/secret_test.py"),
        "cat /te' 'sts/secret_test.py".replace("' '", "''"),
        str(list(b"cat /tests/secret_test.py")),
    ],
)
def test_hidden_text_is_opened(hidden: str) -> None:
    assert any("/tests/secret_test.py" in text for text in decoded_texts(f"run {hidden} now"))


@pytest.mark.parametrize(
    "plain", ["a normal sentence", "abcdefghijklmnopqrstuvwxyz" * 3, "0123456789abcdef" * 4, "/usr/lib/x" * 9]
)
def test_nothing_is_found_where_nothing_is_hidden(plain: str) -> None:
    assert decoded_texts(plain) == []


def test_a_step_is_read_with_its_files_and_its_end() -> None:
    table = read_table([step("echo hi > a.txt; sed -i s/a/b/ c.py; rm d", "Command timed out", None)])
    (row,) = table.rows
    assert [(write.path, write.how, write.text) for write in row.writes] == [
        ("a.txt", "text", "hi"),
        ("c.py", "edit", "b"),
        ("d", "delete", ""),
    ]
    assert row.timed_out
    assert row.known_failed


def test_tools_of_any_scaffold_are_read() -> None:
    calls = (
        ToolCall.of("1", "str_replace_editor", command="create", path="a.py", file_text="x = 1"),
        ToolCall.of("2", "edit", file_path="b.py", old_string="1", new_string="2"),
        ToolCall.of("3", "ipython", code="print(1)"),
        ToolCall.of("4", "shell", command=["bash", "-lc", "ls -la"]),
    )
    (row,) = read_table([Step(source="agent", calls=calls)]).rows
    assert [(write.path, write.how) for write in row.writes] == [("a.py", "text"), ("b.py", "edit")]
    assert [code.text for code in row.code] == ["print(1)"]
    assert [command.words for command in row.commands] == [("ls", "-la")]


def test_what_is_not_read_is_counted() -> None:
    table = read_table([step("ls", "x" * 1_000_000)])
    assert len(table.rows[0].output) < 70_000
    assert table.unread + len(table.rows[0].output) >= 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "'" * 200_001,
        '"$(' * 60_000,
        "(" * 200_000,
        "<<A " * 40_000,
        "\\" * 200_000,
        "a=" * 100_000,
        "\x1b[" * 100_000,
        "a\x08" * 50_000,
        " " * 200_000 + "x",
        "`$(`" * 50_000,
        "open(" * 40_000,
        "if x == " * 30_000,
        "create a " * 30_000 + "mock",
        '@"\n' * 60_000,
    ],
)
def test_hostile_text_takes_linear_time(hostile: str) -> None:
    started = time.process_time()
    read_table([step(hostile, hostile)])
    decoded_texts(hostile)
    assert time.process_time() - started < 20, "quadratic: minutes, where linear takes a second"


@pytest.mark.parametrize(
    ("message", "prose"),
    [
        ("I look.\n```bash\nls\n```\nDone.", "I look.\n\nDone."),
        ("```\nls\n```\n", ""),
        ("a ```b``` c", "a ```b``` c"),
        ("open\n```sh\nls", "open\n```sh\nls"),
        ("one\n```\na\n```\ntwo\n```\nb\n``` \nthree", "one\n\ntwo\n\nthree"),
        ("x\n```\n``` y\n```", "x"),
    ],
)
def test_code_is_no_prose(message: str, prose: str) -> None:
    call = ToolCall.of("1", "bash", command="ls")
    (row,) = read_table([Step(source="agent", message=message, calls=(call,))]).rows
    assert row.prose.rstrip("\n") == prose


def test_a_log_is_read_once_when_it_is_asked_for() -> None:
    texts = {"a": "\x1b[33m1 passed, 4 skipped\x1b[0m", "b": "5 passed"}
    read: list[str] = []

    def fetch(name: str) -> str:
        read.append(name)
        return texts[name]

    logs = Logs(texts, fetch)
    assert list(logs) == ["a", "b"]
    assert len(logs) == 2
    assert read == []
    assert logs["a"] == logs["a"] == "1 passed, 4 skipped"
    assert logs.get("c") is None
    assert read == ["a"]
