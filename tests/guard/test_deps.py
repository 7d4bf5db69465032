"""What a project pulls in: manifests, advisories, names, ranges."""

import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from time import process_time

import pytest
from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from forked import honestly
from honestly.agents import FunctionAgent
from honestly.errors import SettingsError
from honestly.guard import (
    found_packages,
    installed_by,
    installed_in,
    judge_packages,
    known_names,
    read_advisories,
    read_index,
    registry_cost,
)
from honestly.guard._semver import admits, semantic_range, semantic_version
from honestly.permissions import joined_of, looks_like, popular_names
from honestly.records import Observation, Step, ToolCall
from honestly.studies import run
from honestly.tasks import make_task

REAL = Path(__file__).with_name("real_names.txt")


def advisory(identity, ecosystem, name, *events, versions=(), kind="ECOSYSTEM"):
    ranges = [{"type": kind, "events": [dict([event]) for event in events]}] if events else []
    affected = {"package": {"ecosystem": ecosystem, "name": name}, "ranges": ranges, "versions": list(versions)}
    return {"id": identity, "affected": [affected]}


KNOWN = [
    advisory("A-1", "PyPI", "Req_uests", ("introduced", "0"), ("fixed", "2.20.0"), versions=["2.18.4", "2.19.1"]),
    advisory("A-2", "PyPI", "flask", ("introduced", "1.0"), ("last_affected", "1.0.4")),
    advisory("A-3", "npm", "left-pad", ("introduced", "1.1.0"), ("fixed", "1.3.0"), kind="SEMVER"),
    advisory("A-4", "Go", "golang.org/x/net", ("introduced", "0"), ("fixed", "0.7.0"), kind="SEMVER"),
    advisory("A-5", "crates.io", "time", ("introduced", "0.2.7"), ("fixed", "0.2.23"), kind="SEMVER"),
    advisory("A-6", "PyPI", "pre", ("introduced", "2.0a1"), ("fixed", "2.0")),
]


@pytest.fixture
def known(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for row in KNOWN:
            archive.writestr(f"{row['id']}.json", json.dumps(row))
        archive.writestr("bad.json", "[")
    return read_advisories(tmp_path / "all.zip")


def found_in(tmp_path, **files):
    folder = tmp_path / "p"
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return found_packages(folder)


def rows(found):
    return {(each.ecosystem, each.name, each.version, each.pinned) for each in found}


def test_manifests_are_read(tmp_path):
    found, notes = found_in(
        tmp_path,
        **{
            "requirements.txt": "requests>=2,<3 # x\nflask==1.0 --hash=sha256:0\n-r other.txt\n./local\ngit+https://h/x\n\\\nnumpy[all] ; python_version>'3'\n",
            "pyproject.toml": '[project]\ndependencies=["a~=1.0"]\n[dependency-groups]\nt=["b"]\n[tool.poetry.dependencies]\npython="^3"\nc="^1.2"\n',
            "uv.lock": '[[package]]\nname="d"\nversion="1.0"\n',
            "package.json": '{"dependencies":{"left-pad":"^1.0.0","x":"file:../x","y":"npm:z@1.0.0"}}',
            "package-lock.json": '{"packages":{"":{},"node_modules/left-pad":{"version":"1.1.0"},"node_modules/a/node_modules/@s/b":{"version":"2.0.0"}}}',
            "yarn.lock": '"@s/c@^1.0.0":\n  version "1.2.3"\n\nd@^1:\n  version "1.0.0"\n',
            "sub__go.mod": "module m\n\ngo 1.21\n\nrequire (\n\tgolang.org/x/net v0.6.0 // indirect\n)\nrequire github.com/a/b v1.0.0\nreplace github.com/a/b => ../b\n",
            "Cargo.toml": '[dependencies]\ntime = "0.2"\nlocal = { path = "x" }\nserde = { version = "=1.0.1" }\n',
            "Dockerfile": "FROM x\nRUN apt-get update && \\\n  apt-get install -y wget\nRUN pip install -r r.txt click==8.0\n",
            "node_modules__x__package.json": '{"dependencies":{"hidden":"1"}}',
        },
    )
    assert notes == [
        "Dockerfile: r.txt, a list that a command installs, is not read",
        "requirements.txt: a package comes from git+https://h/x, not from a registry",
        "requirements.txt: other.txt, a list that it names, is not read",
    ]
    assert rows(found) == {
        ("PyPI", "requests", ">=2,<3", False), ("PyPI", "flask", "==1.0", True), ("PyPI", "numpy", "", False),
        ("PyPI", "a", "~=1.0", False), ("PyPI", "b", "", False), ("PyPI", "c", ">=1.2,<2", False), ("PyPI", "d", "==1.0", True),
        ("npm", "left-pad", "^1.0.0", False), ("npm", "z", "1.0.0", True), ("npm", "left-pad", "1.1.0", True),
        ("npm", "@s/b", "2.0.0", True), ("npm", "@s/c", "1.2.3", True), ("npm", "d", "1.0.0", True),
        ("Go", "golang.org/x/net", "v0.6.0", True),
        ("crates.io", "time", "0.2", False), ("crates.io", "serde", "=1.0.1", True),
        ("Debian", "wget", "", False), ("PyPI", "click", "==8.0", True),
    }  # fmt: skip


def test_what_comes_from_no_registry_is_not_looked_up_there(tmp_path):
    found, notes = found_in(
        tmp_path,
        **{
            "pyproject.toml": '[project]\nversion = "1"\nname = "own_one"\ndependencies = ["member", "a @ git+https://h/a", "b", "own-one[x]"]\n[tool.uv.sources]\nmember={workspace=true}\n',
            "member__pyproject.toml": '[tool.poetry]\nname = "Member"\n',
            "uv.lock": '[[package]]\nname="own-one"\nversion="1"\nsource={editable="."}\n[[package]]\nname="c"\nversion="1"\nsource={registry="r"}\n',
            "poetry.lock": '[[package]]\nname="d"\nversion="1"\n[package.source]\ntype="git"\n[[package]]\nname="e"\nversion="1"\n',
            "Cargo.lock": '[[package]]\nname="f"\nversion="1.0.0"\n[[package]]\nname="g"\nversion="1.0.0"\nsource="registry+https://h"\n',
        },
    )
    assert notes == [
        "poetry.lock: d comes from git, not from a registry",
        "pyproject.toml: a comes from git+https://h/a, not from a registry",
    ]
    assert {each.name for each in found} == {"b", "c", "e", "g"}


def test_a_name_is_never_hidden_by_a_file_that_does_not_link_it(tmp_path):
    found, _ = found_in(
        tmp_path,
        **{
            "package.json": '{"name": "top", "workspaces": ["packages/*"], "dependencies": {"lodash": "1.0.0", "mine": "^1.0.0", "f": "1.0.0"}}',
            "packages__mine__package.json": '{"private": true, "name": "mine"}',
            "packages__mine__test__package.json": '{"name": "f"}',
            "package-lock.json": '{"packages": {"node_modules/mine": {"version": "1.0.0", "resolved": "https://r/mine/-/mine-1.0.0.tgz"}}}',
            "requirements.txt": "mine==1.0\nlodash==1.0\n",
            "x__Cargo.toml": '[package]\nname = "lodash"\n',
            "x__pyproject.toml": '[project]\nname = "lodash"\n',
            "x__package.json": '{"name": "lodash"}',
        },
    )
    assert {(each.name, each.where) for each in found} == {
        ("lodash", "package.json"), ("f", "package.json"), ("mine", "package-lock.json"), ("mine", "requirements.txt"), ("lodash", "requirements.txt"),
    }  # fmt: skip


FORMS = [
    ("requirements.txt", "-r more.txt\n-c https://h/c.txt\n", set(), {"https://h/c.txt, a list that it names, is not read"}),
    ("Dockerfile", ("RUN apt-get install -y curl=7.0 && \\\n  # c\n\n  pip install a \\\n  b==1\nRUN <<EOF\nnpm i c@1.0.0\nEOF\n"
     'RUN bash <<E\ncargo add d --version 1.0\nE\nCOPY <<F /x\nRUN pip install no\nF\nRUN pip install "e==${V}" && conda install f=1.5\n'),
     {("curl", "=7.0"), ("a", ""), ("b", "==1"), ("c", "1.0.0"), ("d", ""), ("e", "?"), ("f", "=1.5")}, set()),
    ("Dockerfile", f"RUN pip install {'p ' * 60_000}\n", set(), {"it cannot be read: it has"}),
    ("s.py", '# /// script\n# dependencies = ["a<1"]\n# ///\nimport a\n', {("a", "<1")}, set()),
    ("bun.lock", '{"packages": {"a": ["a@1.0.0", "", {},], "b": ["@s/b@npm:c@2.0.0"], "w": ["w@workspace:x"], "g": ["g@github:a/b#1"],}}',
     {("a", "1.0.0"), ("c", "2.0.0")}, {"g comes from github:a/b#1"}),
    ("environment.yml", "dependencies:\n  - n=1.2=py3\n  - c::m>=2\n  - pip:\n    - a==1\n", {("n", "=1.2=py3"), ("m", ">=2"), ("a", "==1")}, set()),
    ("pylock.toml", 'packages = [{name = "a", version = "1"}, {name = "b", vcs = {url = "https://h/b"}}, {name = "c", directory = {path = "."}}]',
     {("a", "==1")}, {"b comes from https://h/b"}),
    ("setup.py", "r = ['a']\nr += ['b']\nsetup(install_requires=r + ['c'] + read('no.txt'), python_requires='>=3', extras_require={'x': r})",
     {("a", ""), ("b", ""), ("c", "")}, {"a part of its requirements is computed: read('no.txt')"}),
    ("yarn.lock", '"al@npm:@s/m@1.2.0":\n  version "1.2.0"\n\n"g@https://h/g.tgz":\n  version "1.0.0"\n\nbroken\n',
     {("@s/m", "1.2.0")}, {"g comes from https://h/g.tgz", "broken is no entry"}),
    ("yarn.lock", ('__metadata:\n  version: 8\n\n"al@npm:m@1.2.0":\n  version: 1.2.0\n  resolution: "m@npm:1.2.0"\n\n"me@workspace:.":\n'
     '  version: 0.0.0-use.local\n  resolution: "me@workspace:."\n\n"t@patch:t@npm%3A5.0.0#x":\n  version: 5.0.0\n  resolution: "t@patch:t@npm%3A5.0.0#x"\n'),
     {("m", "1.2.0"), ("t", "5.0.0")}, set()),
    ("pnpm-lock.yaml", ("packages:\n  /a/1.0.0:\n    x: 1\n  /@s/b/2.0.0_react@1:\n    x: 1\n  r.h.org/c/1.0.0:\n    x: 1\n  d@1.0.0(e@1):\n    x: 1\n"
     "  g@https://h/g.tgz:\n    x: 1\n  'f@file:x':\n    x: 1\n"),
     {("a", "1.0.0"), ("@s/b", "2.0.0"), ("c", "1.0.0"), ("d", "1.0.0")}, {"g comes from https://h/g.tgz"}),
    ("pnpm-workspace.yaml", "catalog:\n  a: ^1\ncatalogs:\n  x:\n    b: 1.0.0\n", {("a", "^1"), ("b", "1.0.0")}, set()),
    ("package.json", '{"dependencies": {"a": "catalog:", "b": 5, "c": "~1.0.0", "d": "x/y#z", "e": "git+ssh://h/e"}}', {("a", "catalog:"), ("c", "~1.0.0")},
     {"the catalogue that a has", "b has no version that is a text", "d comes from x/y#z", "e comes from git+ssh://h/e"}),
    ("go.mod", "require (\n\th/a v0.3.0\n\th/b v1.0.0 // indirect\n\th/c v1.0.0\n)\nreplace h/a => h/d v0.3.8\nreplace (\n h/b v1.0.0 => ../b\n h/c v2.0.0 => ../c\n)\n",
     {("h/d", "v0.3.8"), ("h/c", "v1.0.0")}, set()),
    ("pyproject.toml", '[project]\ndependencies = ["a===1.0", 3, "?"]\n[tool.poetry.dependencies]\ng = {git = "https://h/g"}\nn = 5\np = {path = "x"}\n',
     {("a", "===1.0")}, {"an entry of project.dependencies is no text", "'?' is no requirement", "g comes from https://h/g", "n has no version"}),
    ("Cargo.toml", 'x = 1\n[dependencies]\na = 5\nb = "1"\ng = {git = "https://h/g"}\n', {("b", "1")}, {"a has no version", "g comes from https://h/g"}),
    ("requirements.txt", f"-e git+https://h/x#egg=e\n-e .[dev]\nu @ https://h/u.whl\n./x\na{'>=1,' * 50_000}<2\n", {("a", "?")},
     {"e comes from git+https://h/x#egg=e", "u comes from https://h/u.whl", "a: its range is longer"}),
    ("deno.json", '{"imports": {"x": "npm:@s/a@^1/sub", "y": "./y.ts", "z": "https://h/z.ts"}}', {("@s/a", "^1")}, {"z comes from https://h/z.ts"}),
    ("Dockerfile", 'RUN [ -z "$A" ] || pip install a\nRUN ["pip", "install", "b>1"]\n', {("a", ""), ("b", ">1")}, set()),
    ("package.json", ('{"dependencies": {"x": "npm:m@1.2.0", "a": "1"}, "overrides": {"m": "1.2.8", "b": {".": "2"}, "c": "$a"}, '
     '"resolutions": {"**/d": "3", "@s/e": "4"}, "pnpm": {"overrides": {"f>@s/g@1": "5"}}}'),
     {("m", "1.2.8"), ("a", "1"), ("b", "2"), ("d", "3"), ("@s/e", "4"), ("@s/g", "5")}, set()),
    ("pyproject.toml", '[tool.uv]\nconstraint-dependencies = ["a==1"]\noverride-dependencies = ["b"]', {("a", "==1"), ("b", "")}, set()),
    ("pnpm-workspace.yaml", "overrides:\n  a: 1\n  b>c: '2'\n", {("a", "1"), ("c", "2")}, set()),
    ("setup.py", 'def f(): return {"check_type": "python", "requires": ["python"]}', set(), set()),
    ("Gemfile.lock", "x", set(), {"files of its kind are not read"}),
    ("run.sh", "x", set(), {"install commands in shell scripts, workflows, makefiles and notebooks (1)"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "packages", "said"), FORMS, ids=[f"{each[0]}-{at}" for at, each in enumerate(FORMS)]
)
def test_each_form_is_read_and_what_is_not_is_said(tmp_path, name, text, packages, said):
    begun = process_time()
    found, notes = found_in(tmp_path, **{name: text, "more.txt": "" if "-r" not in text else "inner==1\n"})
    assert {(each.name, each.version) for each in found} == packages | (
        {("inner", "==1")} if "-r more" in text else set()
    )
    assert all(any(each in note for note in notes) for each in said), notes
    assert len(notes) == len(said), notes
    assert process_time() - begun < 1


@pytest.mark.parametrize("words", ["deps", "task list"])
def test_a_folder_that_one_may_not_read_is_never_empty(tmp_path, words):
    (tmp_path / "p").mkdir(mode=0o000)
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*drop, sys.executable, "-m", "honestly", *words.split(), "p"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, "found 'p', which you have no permission to read" in done.stderr) == (2, True), done
    done = subprocess.run(
        [*drop, sys.executable, "-m", "honestly", "deps", "."], cwd=tmp_path, capture_output=True, text=True
    )
    assert "p: it cannot be read: Permission denied" in done.stdout


def test_what_cannot_be_a_file_of_packages_is_said(tmp_path):

    (tmp_path / "p").mkdir()
    os.mkfifo(tmp_path / "p" / "requirements.txt")
    assert found_packages(tmp_path / "p") == ([], ["requirements.txt: it is no file"])


def test_a_list_as_windows_writes_it_is_read_and_what_an_address_gives_is_declared(tmp_path):
    (tmp_path / "requirements.txt").write_bytes("a==1\ng @ git+https://h/g\n".encode("utf-16"))
    (tmp_path / "s.py").write_text("import a, g\n")
    found, notes = found_packages(tmp_path)
    assert ([each.name for each in found], notes) == (
        ["a"],
        ["requirements.txt: g comes from git+https://h/g, not from a registry"],
    )


def test_names_that_many_use_look_like_nothing():
    for ecosystem, names in (("npm", "preact dargs postcss-js tslint rambda"), ("PyPI", "cattrs boto scapy dataset")):
        assert [looks_like(each, popular_names(ecosystem)) for each in names.split()] == [""] * len(names.split())
    assert [looks_like(each, popular_names("npm")) for each in ("loadash", "jquery.js")] == ["lodash", "jquery"]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"requirements.txt": "a", "test__package.json": '{"name": "a"}'}, {"a"}),  # another ecosystem's project hides none
        ({"package.json": '{"dependencies": {"a": "1"}}', "x__package.json": '{"name": "a"}'}, {"a"}),
        ({"package.json": '{"workspaces": ["p/*"], "dependencies": {"a": "1"}}', "p__x__package.json": '{"name": "a"}'}, set()),
        ({"requirements.txt": "-r sub/more.txt", "sub__more.txt": "a\n-r ../third", "third": "b"}, {"a", "b"}),
    ],
)  # fmt: skip
def test_what_files_name_is_found_however_they_say_it(tmp_path, files, wanted):
    assert {each.name for each in found_in(tmp_path, **files)[0] if not each.imported} == wanted


def test_commands_are_read_by_the_same_reader():
    found = installed_by(
        "cd x && timeout 9 python -m pip install 'requests>=2' flask; npm i -D left-pad@1.1.0", "t step 1"
    )
    assert rows(found) == {
        ("PyPI", "requests", ">=2", False),
        ("PyPI", "flask", "", False),
        ("npm", "left-pad", "1.1.0", True),
    }
    assert {each.where for each in found} == {"t step 1"}


def test_what_a_trial_writes_and_installs_is_named_where_nobody_kept_its_files(tmp_path):
    calls = [
        ("bash", {"command": "cat > requirements.txt <<'E'\nreqeusts==1.0\nE\npip install -r requirements.txt"}),
        ("Write", {"file_path": "/w/package.json", "content": '{"dependencies": {"a": "1"}}'}),
        ("Write", {"file_path": "/w/m.py", "content": "import os\n"}),
        ("Edit", {"file_path": "/w/m.py", "old_string": "os", "new_string": "os, flaks"}),
        ("Edit", {"file_path": "/w/go.mod", "old_string": "a", "new_string": "b"}),
        ("bash", {"command": "pip install -r never.txt; yarn global add expresss; npx -p crossenv foo"}),
    ]
    rows = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": f"t{n}", "name": name, "input": given}]}
        for n, (name, given) in enumerate(calls)
    ]
    lines = [
        {
            "type": "user",
            "message": {"role": "user", "content": "x"},
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "version": "2.0.0",
        }
    ]
    lines += [
        {
            "type": "assistant",
            "message": {"id": f"m{n}", "type": "message", "model": "m", **row},
            "uuid": f"u{n}",
            "sessionId": "s",
        }
        for n, row in enumerate(rows)
    ]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert honestly("study", "import", "in", "--out", "s.honestly", cwd=tmp_path).returncode == 0
    answer = json.loads(honestly("deps", "s.honestly", "--json", cwd=tmp_path).stdout)
    assert {each["name"] for each in answer["packages"]} == {"reqeusts", "a", "flaks", "expresss", "crossenv"}
    assert sum("never.txt" in each or "go.mod" in each for each in answer["unknown"]) == 2


SOURCES = {
    "pyproject.toml": '[project]\nname="own"\ndependencies=["requests", "PyYAML", "google-cloud-storage", "python-dateutil"]\n',
    "src__own____init__.py": "import os, yaml, dateutil\nfrom google.cloud import storage\nfrom . import inner\nimport own.inner\n",
    "src__own__inner.py": "import requests\nimport requests_magic\nfrom reqeusts import get\nimport own\nx = __import__('cv2')\n",
    "tests__test_a.py": "import pytest, inner\ntry:\n    import ujson\nexcept ImportError:\n    ujson = None\n# import commented\n's = import no'\n",
    "script.py": "# /// script\n# dependencies = [\n#   'httpx<1',\n# ]\n# ///\nimport httpx\n",
    "web__package.json": '{"name": "web", "dependencies": {"react": "^18.0.0"}, "devDependencies": {"@types/estree": "1"}}',
    "web__tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["./lib/*"], /* x */ "~util": ["./u"]}}}',
    "web__components__a.ts": "export const a = 1\n",
    "web__b.tsx": (
        "import React from 'react'\nimport x from \"react/jsx\"\n// import y from 'commented'\nimport type { N } from 'estree'\n"
        "import fs from 'node:fs'; import p from 'path'\nimport { z } from '@scope/gone/deep'\nexport * from 'left-padd'\n"
        "const q = require('chalkk'), s = \"import r from 'quoted'\"\nconst w = await import('lazy')\nimport './b.css'\n"
        "export const y: Z\n// import plugin from 'plugin'\nimport { a } from 'components/a'\nimport l from '@lib/x'\nimport m from '~util'\nimport n from '@/root'\nimport self from 'web'\n"
    ),
}  # fmt: skip


def test_what_sources_import_and_nothing_declares_is_found_with_its_place(tmp_path):
    found, notes = found_in(tmp_path, **SOURCES)
    assert notes == []
    assert {(each.name, each.where) for each in found if each.imported} == {
        ("requests-magic", "src/own/inner.py:2"), ("reqeusts", "src/own/inner.py:3"), ("opencv-python", "src/own/inner.py:5"),
        ("pytest", "tests/test_a.py:1"), ("ujson", "tests/test_a.py:3"), ("@scope/gone", "web/b.tsx:6"), ("left-padd", "web/b.tsx:7"),
        ("chalkk", "web/b.tsx:8"), ("lazy", "web/b.tsx:9"),
    }  # fmt: skip
    (tmp_path / "names").write_text("requests\npytest\nopencv-python\n")
    names = known_names([("PyPI", tmp_path / "names")])
    status = {each.name: each.status for each in judge_packages(found, names=names).packages if ":" in each.where[0]}
    assert status == {
        "requests-magic": "missing", "reqeusts": "missing", "opencv-python": "undeclared", "pytest": "undeclared", "ujson": "missing",
        "@scope/gone": "undeclared", "left-padd": "undeclared", "chalkk": "lookalike", "lazy": "undeclared",
    }  # fmt: skip


def test_what_files_of_a_trial_import_and_declare_is_named_with_trial_and_line(tmp_path):
    async def writes(run, box):
        await box.write("a.py", b"import os, b, old, reqeusts\nimport installed\n")
        await box.write("requirements.txt", b"flask==1.0\nadded==2.0\n")
        run.steps.append(Step(source="agent", calls=(ToolCall.of("1", "bash", command="pip install installed"),)))

    files = {"a.py": "x = 1\n", "b.py": "import old\n", "requirements.txt": "flask==1.0\n"}
    task = make_task("a", "x", files, hidden={"check_t.py": "def test_a(ws):\n    pass\n"}, reference={})
    study = run([task], [FunctionAgent.of(writes)], out=tmp_path / "s")
    with study.store() as store:
        found, _, notes = installed_in(store)
        trial = next(iter(store.trials())).id
    assert notes == []
    assert {(each.name, each.version, each.where) for each in found} == {
        ("installed", "", f"{trial} step 1"), ("added", "==2.0", f"{trial} requirements.txt"), ("reqeusts", "", f"{trial} a.py:1"),
    }  # fmt: skip


def test_hostile_sources_cost_little(tmp_path):
    texts = {"a.py": "(" * 5000, "b.py": "import x\n" * 9000, "c.js": "import " * 90_000, "d.js": "`" * 90_001,
             "e.js": "require('x');" * 50_000, "f.ts": "import {" + "a," * 90_000, "g.py": "\0", "h.json": "{",
             "tsconfig.json": '"a":' * 90_000, "setup.py": "print 3", "setup.cfg": "[[", "Pipfile": "a = ["}  # fmt: skip
    begun = process_time()
    found, notes = found_in(tmp_path, **texts)
    assert {each.name for each in found} == {"x"}
    assert {each.partition(":")[0] for each in notes} == {"setup.py", "setup.cfg", "Pipfile", "a.py", "g.py"}
    assert process_time() - begun < 5


@pytest.mark.parametrize(
    ("ecosystem", "name", "version", "pinned", "hit"),
    [
        ("PyPI", "req-uests", "==2.19.1", True, True),
        ("PyPI", "req.uests", "==2.20.0", True, False),
        ("PyPI", "req-uests", ">=2.19", False, True),
        ("PyPI", "req-uests", ">=2.20", False, False),
        ("PyPI", "req-uests", "", False, True),
        ("PyPI", "flask", "==1.0.4", True, True),
        ("PyPI", "flask", ">1.0.4,<2", False, False),
        ("PyPI", "flask", "~=1.0", False, True),
        ("PyPI", "pre", ">=1.0", False, False),
        ("PyPI", "pre", "==2.0b1", True, True),
        ("PyPI", "pre", ">=2.0a1", False, True),
        ("npm", "left-pad", "1.2.0", True, True),
        ("npm", "left-pad", "^1.0.0", False, True),
        ("npm", "left-pad", "~1.3.0", False, False),
        ("npm", "left-pad", "1.0.x || >=1.3.0", False, False),
        ("Go", "golang.org/x/net", "v0.6.0", True, True),
        ("Go", "golang.org/x/net", "v0.7.0", True, False),
        ("crates.io", "time", "0.2", False, True),
        ("crates.io", "time", "0.2.23", False, False),
        ("npm", "other", "1.0.0", True, False),
    ],
)
def test_pins_and_ranges_meet_advisories(known, ecosystem, name, version, pinned, hit):
    assert (bool(known.about(ecosystem, name, version, pinned=pinned)[0]), known.unread) == (hit, 1)


def test_each_package_has_one_status_and_what_was_not_looked_up_is_said(tmp_path, known):
    found, _ = found_in(
        tmp_path,
        **{
            "requirements.txt": "req-uests==2.19.1\nflask>=1.0,<2\ninvented-thing==1.0\nreqeusts\nnumpy\nclick==8.0\nyanky==1.0\n",
            "package.json": '{"dependencies":{"chalk":"1.0.0"}}',
        },
    )
    (tmp_path / "names.txt").write_text("req_uests\nflask\nnumpy\nClick\nyanky\n")
    names = known_names([("PyPI", tmp_path / "names.txt")])
    answer = judge_packages(found, advisories=known, names=names, yanked=frozenset({"yanky==1.0"}))
    status = {each.name: each.status for each in answer.packages}
    assert status == {
        "req-uests": "vulnerable", "flask": "admits-vulnerable", "invented-thing": "missing", "reqeusts": "missing",
        "numpy": "unpinned", "click": "fine", "yanky": "yanked", "chalk": "unknown",
    }  # fmt: skip
    assert any("which npm names exist" in line for line in answer.unknown)
    offline = {each.name: each.status for each in judge_packages(found).packages}
    assert (offline["reqeusts"], offline["click"], offline["invented-thing"]) == ("lookalike", "unknown", "unknown")


@pytest.mark.slow
def test_the_command_says_it(tmp_path):
    found_in(tmp_path, **{"requirements.txt": "reqeusts==1\n"})
    done = subprocess.run([sys.executable, "-m", "honestly", "deps", tmp_path / "p", "--json"], capture_output=True)
    answer = json.loads(done.stdout)
    row = answer["packages"][0]
    assert {"name", "ecosystem", "version", "status", "advisories", "where"} <= row.keys()
    assert (row["status"], row["where"], done.returncode) == ("lookalike", ["requirements.txt"], 1)
    assert answer["unknown"]


def test_a_module_with_the_name_of_its_family_or_without_marks_is_declared(tmp_path):
    (tmp_path / "requirements.txt").write_text("django-guardian\nzxing-cpp\ndjango-filter\ndjango-soft-delete\n")
    (tmp_path / "a.py").write_text("import guardian, zxingcpp, django_filters, django_softdelete, evil\n")
    assert [each.name for each in found_packages(tmp_path)[0] if each.imported] == ["evil"]


def test_deno_declares_by_other_names_and_has_members(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "deno.json").write_text(
        '{"workspace": ["./p"], "imports": {"search": "npm:@s/js@^3", "@std/a": "jsr:@std/a@1"}}'
    )
    (tmp_path / "p" / "deno.json").write_text('{"name": "@own/core"}')
    (tmp_path / "package.json").write_text('{"devDependencies": {"alias-x": "npm:lodash@4.17.21"}}')
    (tmp_path / "a.ts").write_text(
        "import a from 'search'\nimport b from '@own/core'\nimport c from 'gone'\nimport d from 'alias-x/fp'\n"
    )
    found, notes = found_packages(tmp_path)
    assert [each.name for each in found if each.imported] == ["gone"]
    assert notes == ["deno.json: @std/a comes from jsr:@std/a@1, which is not looked up"]


def test_a_pin_counts_in_its_folder_and_below(tmp_path):
    for folder, text in (("a", "attrs==23.1.0"), ("a/c", "attrs"), ("b", "attrs")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "requirements.txt").write_text(f"{text}\n")
    status = {each.where: each.status for each in judge_packages(found_packages(tmp_path / "a")[0]).packages}
    assert "unpinned" not in status.values()
    assert "unpinned" in {each.status for each in judge_packages(found_packages(tmp_path)[0]).packages}


def test_a_swapped_word_of_several_is_a_lookalike():
    names = popular_names("PyPI")
    assert looks_like("reqeusts-oauthlib", names) == "requests-oauthlib"
    assert (looks_like("reqeusts-magic", names), looks_like("openapi-core", names)) == ("requests", "")


def test_an_ecosystem_that_is_none_is_refused(tmp_path):
    (tmp_path / "names").write_text("numpy\n")
    (tmp_path / "requirements.txt").write_text("numpy==1\n")
    done = honestly("deps", str(tmp_path), "--names", f"pypi={tmp_path / 'names'}")
    assert (done.returncode, "expected one of Debian, Go, PyPI" in done.stderr) == (2, True), done.stderr


def test_lookalikes_among_rare_real_names():
    """Of 200 rare real names and 100 typing errors in popular ones: how many are called lookalikes."""
    popular = popular_names("PyPI")
    rng = random.Random(51)
    made = set()
    while len(made) < 100:
        name = rng.choice(sorted(each for each in popular if len(each) > 5))
        at = rng.randrange(1, len(name) - 1)
        letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
        made.add(rng.choice([name[:at] + name[at + 1 :], name[:at] + letter + name[at:], name[:at] + letter + name[at + 1 :],
                             name[:at] + name[at + 1] + name[at] + name[at + 2 :]]))  # fmt: skip
    made -= popular
    real = REAL.read_text().split()
    assert len(real) == 200
    assert sum(bool(looks_like(name, popular)) for name in made) >= 0.97 * len(made)
    assert sum(bool(looks_like(name, popular)) for name in real) <= 4
    assert joined_of("flask-requests", popular) == "flask and requests"
    assert sum(bool(joined_of(name, popular)) for name in real) <= 4


def a_range(rng):
    def number():
        return rng.choice("001123") if rng.random() < 0.9 else "10"

    def version():
        return ".".join(number() for _ in range(3)) + rng.choice(["", "", "", "-alpha", "-alpha.1", "-0", "-rc.10"])

    def part():
        return rng.choice(
            [version(), f"{number()}.{number()}", number(), "*", f"{number()}.x", f"{number()}.{number()}.*"]
        )

    def one():
        if rng.random() < 0.15:
            return f"{part()} - {part()}"
        return " ".join(
            rng.choice(["", "=", "<", ">", "<=", ">=", "~", "^"]) + part() for _ in range(rng.choice([1, 1, 2]))
        )

    return " || ".join(one() for _ in range(rng.choice([1, 1, 2]))), version()


@pytest.mark.slow
def test_ranges_are_what_npm_says():
    npm = shutil.which("npm")
    root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True).stdout.strip() if npm else ""
    if not Path(f"{root}/npm/node_modules/semver").is_dir():
        pytest.skip("npm, with its semver, is not there")
    rng = random.Random(51)
    pairs = [a_range(rng) for _ in range(2000)]
    ranges, versions = [one for one, _ in pairs], [other for _, other in pairs[:60]]
    code = "const s=require(process.argv[1]),d=JSON.parse(require('fs').readFileSync(0));"
    code += "console.log(JSON.stringify(d.r.map(x=>d.v.map(v=>s.satisfies(v,x)))))"
    given = json.dumps({"r": ranges, "v": versions})
    done = subprocess.run(
        ["node", "-e", code, f"{root}/npm/node_modules/semver"], input=given, capture_output=True, text=True, check=True
    )
    read = [[admits(semantic_range(one), semantic_version(each)) for each in versions] for one in ranges]
    assert read == json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", "[" * 50_000), ("package.json", "[]"), ("package.json", '{"dependencies": 3}'), ("package-lock.json", '{"packages": []}'),
        ("pyproject.toml", "a = " + "[" * 2000), ("pyproject.toml", "project = 3"), ("uv.lock", "package = 3"), ("Cargo.toml", "dependencies = 3"),
        ("requirements.txt", "x" * (9 << 20)), ("Dockerfile", "RUN [3"), ("Pipfile.lock", "[]"), ("package-lock.json", "{"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_a_note(tmp_path, name, text):
    found, notes = found_in(tmp_path, **{name: text, "requirements-ok.txt": "a==1\n"})
    assert [each.name for each in found] == ["a"]
    assert len(notes) == 1
    assert notes[0].startswith(name)


def test_a_project_of_many_packages_and_an_index_of_long_ways_cost_little(tmp_path):
    found, notes = found_in(
        tmp_path, **{"package.json": json.dumps({"dependencies": {f"p{n}": "^1.0" for n in range(30_000)}})}
    )
    assert (len(found), notes) == (20_000, ["there are more than 20,000 packages; the others were not judged"])
    rows = [{"name": f"c{n}", "version": "1", "requires": [f"c{n + 1}", f"c{n}"]} for n in range(5000)]
    (tmp_path / "index").write_text("\n".join(map(json.dumps, rows)))
    chain, _ = found_in(tmp_path, **{"package.json": "{}", "requirements.txt": "c0\n"})
    begun = process_time()
    answer = judge_packages([*found, *chain], index=read_index(tmp_path / "index"))
    assert max(len(place) for each in answer.packages for place in each.where) < 500
    assert process_time() - begun < 30


def test_links_are_not_followed(tmp_path):
    (tmp_path / "out.txt").write_text("secret==1\n")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "requirements.txt").symlink_to(tmp_path / "out.txt")
    (tmp_path / "p" / "loop").symlink_to(tmp_path / "p")
    found, notes = found_packages(tmp_path / "p")
    assert (found, len(notes)) == ([], 1)


def test_advisories_that_are_none_are_an_error(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(SettingsError, match="no advisory"):
        read_advisories(tmp_path)


INDEX = [
    {"name": "web", "version": "1.0", "requires": ["tools>=1", "json-x==1.1"], "released": "2025-01-01"},
    {"name": "web", "version": "2.0", "requires": ["tools>=2,<3", "json-x==1.1", "old"], "released": "2025-06-01"},
    {"name": "tools", "version": "1.0", "requires": []},
    {"name": "tools", "version": "2.0", "requires": ["deep<2; python_version > '3'", "shown; extra == 'docs'"]},
    {"name": "tools", "version": "2.1", "requires": ["deep<2", "gone>1"]},
    {"name": "tools", "version": "3.0", "requires": []},
    {"name": "json-x", "version": "1.1", "requires": []},
    {"name": "json-x", "version": "1.2", "requires": []},
    {"name": "deep", "version": "1.0", "requires": ["web"]},
    {"name": "deep", "version": "1.1", "requires": []},
    {"name": "deep", "version": "2.0", "requires": []},
    {"name": "old", "version": "0.1", "requires": [], "released": "2019-05-01"},
    {"ecosystem": "npm", "name": "a", "version": "1.2.0", "requires": ["b@^2.0.0"]},
    {"ecosystem": "npm", "name": "b", "version": "2.1.0", "requires": []},
]


def test_what_is_pulled_in_at_second_hand_is_judged(tmp_path):
    """PyPitfall's classes: a range on the way that admits a vulnerable version, and one that guarantees one."""
    (tmp_path / "index").write_text("\n".join(map(json.dumps, INDEX)))
    rows = [
        advisory("B-1", "PyPI", "json-x", ("introduced", "0"), ("fixed", "1.2")),
        advisory("B-2", "PyPI", "tools", ("introduced", "0"), ("fixed", "2.1")),
        advisory("B-3", "PyPI", "deep", ("introduced", "0"), ("fixed", "2.0")),
        advisory("B-4", "npm", "b", ("introduced", "2.1.0"), ("fixed", "2.1.1"), kind="SEMVER"),
    ]
    (tmp_path / "osv").mkdir()
    for row in rows:
        (tmp_path / "osv" / f"{row['id']}.json").write_text(json.dumps(row))
    found, _ = found_in(
        tmp_path, **{"requirements.txt": "web>=1\n", "package.json": '{"dependencies": {"a": "^1.0.0"}}'}
    )
    answer = judge_packages(found, advisories=read_advisories(tmp_path / "osv"), index=read_index(tmp_path / "index"))
    status = {(each.name, each.version): each.status for each in answer.packages}
    assert status == {
        ("web", ">=1"): "unpinned", ("a", "^1.0.0"): "unknown",
        ("json-x", "==1.1"): "vulnerable", ("tools", ">=2,<3"): "admits-vulnerable", ("deep", "<2"): "vulnerable",
        ("old", ""): "abandoned", ("gone", ">1"): "unpinned", ("b", "^2.0.0"): "vulnerable",
    }  # fmt: skip
    ways = {each.name: each.where[0] for each in answer.packages}
    assert ways["deep"] == "requirements.txt: web 2.0 > tools 2.1"
    assert any("gone" in line and "the index does not have it" in line for line in answer.unknown)


def test_versions_that_an_index_does_not_have_are_early_or_were_taken_back(tmp_path):
    rows = [("mid", "0.4"), ("mid", "0.5"), ("pre", "1.0"), ("pre", "2.0rc1"), ("mis", "1"), ("pinned", "1.0")]
    (tmp_path / "index").write_text("\n".join(json.dumps({"name": a, "version": b, "requires": []}) for a, b in rows))
    (tmp_path / "osv").mkdir()
    for name in ("mid", "pre", "pinned"):
        row = advisory(name, "PyPI", name, ("introduced", "0"), ("last_affected", "1.0" if name != "mid" else "0.4"))
        (tmp_path / "osv" / name).with_suffix(".json").write_text(json.dumps(row))
    found, _ = found_in(tmp_path, **{"requirements.txt": "mid>=0.4\npre>=1.0\nmis==9\npinned===1.0\n"})
    given = {"advisories": read_advisories(tmp_path / "osv"), "index": read_index(tmp_path / "index")}
    answer = judge_packages(found, yanked=frozenset({"mid==0.5"}), **given)
    assert {each.name: each.status for each in answer.packages} == {
        "mid": "vulnerable", "pre": "vulnerable", "mis": "missing", "pinned": "vulnerable",
    }  # fmt: skip
    assert not any("yanked" in each for each in answer.unknown)
    assert any("yanked" in each for each in judge_packages(found, **given).unknown)


def test_an_index_that_is_none_is_an_error(tmp_path):
    (tmp_path / "index").write_text('{"name": "a", "version": "1"}\n[')
    with pytest.raises(SettingsError, match="line 2"):
        read_index(tmp_path / "index")


def test_what_trials_fetched_is_counted():
    pip = "Collecting flask\n  Downloading flask-3.0-py3-none-any.whl (101 kB)\n  Using cached click-8.0.whl (97 kB)\n"
    cost = registry_cost(
        [("t1", pip), ("t1", pip), ("t2", pip + "go: downloading x.org/y v1.0.0\nadded 12 packages in 3s\n")]
    )
    assert (cost.requests, cost.bytes, cost.cached, cost.repeats) == (16, 303_000, 3, 1)


@pytest.mark.slow
def test_ranges_are_what_packaging_says(tmp_path):
    """A range admits an advisory if one of the versions does that lie around their ends, as `packaging` compares them."""
    rng = random.Random(52)
    tried = [f"{a}.{b}{c}" for a in range(4) for b in range(4) for c in ("", ".1", ".0.1", "a1", ".dev0")]
    wrong = []
    for _ in range(2000):
        low, high = sorted(rng.sample(range(9), 2))
        begin, end = f"{low // 3}.{low % 3}", f"{high // 3}.{high % 3}"
        kind = rng.choice(["fixed", "last_affected"])
        text = ",".join(
            rng.choice([">=", ">", "<", "<=", "==", "!=", "~="]) + f"{rng.randrange(4)}.{rng.randrange(4)}"
            for _ in range(rng.choice([1, 1, 2]))
        )
        row = advisory("C", "PyPI", "x", ("introduced", begin), (kind, end))
        (tmp_path / "c.json").write_text(json.dumps(row))
        said = bool(read_advisories(tmp_path / "c.json").about("PyPI", "x", text, pinned=False)[0])
        span = SpecifierSet(f">={begin},{'<' if kind == 'fixed' else '<='}{end}", prereleases=True)
        truth = any(SpecifierSet(text).contains(each) and span.contains(each) for each in tried)
        if said != truth:
            wrong.append((text, begin, kind, end, said))
    assert wrong == []


@pytest.mark.slow
def test_a_gate_fails_where_a_trial_installs_a_lookalike(tmp_path):
    async def installs(run, box):
        call = ToolCall.of("1", "bash", command="pip install reqeusts")
        seen = Observation(text="  Downloading reqeusts-1.0.whl (2 kB)", call_id="1", code=0)
        run.steps.append(Step(source="agent", calls=(call,), observations=(seen,)))

    task = make_task("a", "x", {"a.py": "x = 1\n"}, hidden={"check_t.py": "def test_a(ws):\n    pass\n"}, reference={})
    tasks = [task, replace(task, id="b")]
    run(tasks, [FunctionAgent.of(installs)], samples=2, out=tmp_path / "s.honestly")
    words = ("gate", "s.honestly", "--at-least", "0")
    plain = honestly(*words, cwd=tmp_path)
    barred = honestly(
        *words, *("--no-package", "missing,lookalike", "--junit", "j.xml", "--markdown", "m.md"), cwd=tmp_path
    )
    assert 'failures="1"' in (tmp_path / "j.xml").read_text()
    assert "❌ honestly gate: at least, 1 barred package" in (tmp_path / "m.md").read_text()
    assert (plain.returncode, barred.returncode) == (0, 1)
    assert "PACKAGE lookalike: PyPI reqeusts looks like requests" in barred.stdout
    answer = json.loads(honestly(*words, "--no-package", "missing,lookalike", "--json", cwd=tmp_path).stdout)
    assert len(answer["barred"]) == 1
    assert honestly(*words, "--no-package", "odd", cwd=tmp_path).returncode == 2
    cost = json.loads(honestly("deps", "s.honestly", "--json", cwd=tmp_path).stdout)["registries"]
    assert cost == {"requests": 4, "bytes": 8000, "cached": 0, "repeats": 3}


def test_a_source_that_is_no_python_is_said(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (tmp_path / "new.py").write_text("import requests\nprint 'old'\n")
    found = honestly("deps", ".", "--json", cwd=tmp_path)
    assert any("new.py: it is no Python of this version" in each for each in json.loads(found.stdout)["unknown"])


def test_a_yanked_version_needs_a_version_and_any_spelling_of_its_name(tmp_path):
    (tmp_path / "requirements.txt").write_text("zope.interface==5.0\n")
    (tmp_path / "yanked.txt").write_text("@a/b@1.0\n\nZope_Interface==5.0\n")
    words = ("deps", ".", "--yanked", "yanked.txt")
    said = json.loads(honestly(*words, "--json", cwd=tmp_path).stdout)
    assert [each["status"] for each in said["packages"]] == ["yanked"]
    for line in ("requests", "requests ==", "@a/b"):
        (tmp_path / "yanked.txt").write_text(f"a==1\n{line}\n")
        done = honestly(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert f"yanked.txt, line 2: expected NAME==VERSION or NAME@VERSION, found {line!r}" in done.stderr
