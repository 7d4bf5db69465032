"""Reading Dockerfiles."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from honestly.sandbox._etc import etc_files
from honestly.sandbox.images import ImageError, build_image, user_ids
from honestly.sandbox.images._copy import read_ignore
from honestly.sandbox.images._dockerfile import Heredoc, expand_words, read_dockerfile, replace_variables

TEXT = r"""# syntax=docker/dockerfile:1
# a comment
ARG VERSION=3.12
FROM python:${VERSION} AS Builder

run apt-get update && \
    # between
    apt-get install -y \

      curl
COPY --from=other --chown=me:us a b /c/
CMD ["python", "-m", "x"]
FROM builder
"""


def test_stages_steps_and_lines() -> None:
    file = read_dockerfile(TEXT)
    assert [step.text for step in file.arguments] == ["VERSION=3.12"]
    first, last = file.stages
    assert (first.base, first.name, last.base) == ("python:${VERSION}", "builder", "builder")
    run, copy, cmd = first.steps
    assert (run.line, run.name, run.text.split()) == (
        6,
        "RUN",
        ["apt-get", "update", "&&", "apt-get", "install", "-y", "curl"],
    )
    assert (copy.flags, copy.text) == ((("from", "other"), ("chown", "me:us")), "a b /c/")
    assert cmd.exec_words == ["python", "-m", "x"]
    assert run.exec_words is None


def test_here_documents() -> None:
    text = "FROM x\nRUN <<EOF bash && cat <<-'TWO'\necho $A\nEOF\n\tindented\n\tTWO\nRUN echo $((1 << A)) <<<word\nUSER a\n"
    run, plain, user = read_dockerfile(text).stages[0].steps
    assert run.heredocs == (Heredoc("EOF", "echo $A\n", raw=False), Heredoc("TWO", "indented\n", raw=True))
    assert plain.heredocs == ()
    assert user.line == 8


def test_another_escape() -> None:
    file = read_dockerfile("# escape=`\nFROM x\nRUN a `\n  b\nWORKDIR C:\\d\n")
    assert [step.text for step in file.stages[0].steps] == ["a   b", "C:\\d"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no FROM"),
        ("RUN x", "line 1 .* before any FROM"),
        ("FROM x\n\nONBUILD RUN y", "line 3 .*'ONBUILD' is not an instruction"),
        ("FROM x\nFETCH y", "line 2 .*'FETCH'"),
        ("FROM x\nRUN <<EOF\nx", "line 2 .*EOF has no end"),
        ("FROM x\nCOPY --parents a b", "line 2 .*--parents"),
        ("FROM x as", "line 1 .*AS NAME"),
        ("FROM x\nENV", "line 2 .*says nothing"),
        ("FROM x\nRUN a \\", None),
        ("# escape=x\nFROM y", "escape"),
    ],
)
def test_what_is_refused_and_where(text: str, said: str | None) -> None:
    if said is None:
        assert read_dockerfile(text).stages[0].steps[0].text == "a"
        return
    with pytest.raises(ImageError, match=said):
        read_dockerfile(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$A ${A} $B-${B}", "1 1 -"),
        ("${B:-x} ${E:-x} ${E-x} ${A:+y} ${E:+y} ${E+y}", "x x  y  y"),
        ("${B:-${A}${B:-z}}", "1z"),
        (r"\$A '$A' \\$A", r"$A '$A' \\1"),
        ("$ $1 a$", "$ $1 a$"),
    ],
)
def test_variables(text: str, expected: str) -> None:
    assert replace_variables(text, {"A": "1", "E": ""}) == expected


def test_variables_that_must_be_there() -> None:
    with pytest.raises(ValueError, match="B is not set: say it"):
        replace_variables("${B:?say it}", {})
    with pytest.raises(ValueError, match="not closed"):
        replace_variables("${B:-x", {})
    with pytest.raises(ValueError, match="too long"):
        replace_variables("$A" * 10_000, {"A": "x" * 100})


def test_values_are_not_split() -> None:
    variables = {"A": "two words", "Q": 'a "quote', "E": ""}
    assert expand_words(r"""K=$A L="x $Q" M='$A' N=a\ b ${E:-none}""", variables) == [
        "K=two words",
        'L=x a "quote',
        "M=$A",
        "N=a b",
        "none",
    ]


@pytest.mark.parametrize("name", ["Dockerfile", ".dockerignore"])
def test_pipes_and_links_out_of_the_context_are_refused_and_links_within_are_read(tmp_path: Path, name: str) -> None:
    context, secret = tmp_path / "context", tmp_path / "secret"
    context.mkdir()
    secret.write_text("password")
    os.mkfifo(context / name)

    def read() -> object:
        is_build = name == "Dockerfile"
        return anyio.run(build_image, context) if is_build else read_ignore(context, context / "Dockerfile")

    for path, said in ((context / name, "not a regular file"), (secret, "leads out of")):
        if path is secret:
            (context / name).unlink()
            (context / name).symlink_to(secret)
        with pytest.raises(ImageError, match=said) as error:
            read()
        assert "password" not in str(error.value)
    (context / name).unlink()
    (context / "rules").write_text("secret\n")
    (context / ".dockerignore").symlink_to("rules")
    assert read_ignore(context, context / "Dockerfile")("secret")


def test_an_image_whose_list_of_users_is_a_folder_is_refused_in_our_words(tmp_path: Path) -> None:
    (tmp_path / "etc" / "passwd").mkdir(parents=True)
    assert user_ids(tmp_path, "root") == ((0, 0), "/")
    with pytest.raises(ImageError, match="there is no user 'joe'"):
        user_ids(tmp_path, "joe")
    with pytest.raises(ValueError, match="passwd cannot be read"):
        etc_files("/home", tmp_path)
