"""What is wrong with a project's set-up, as its files say it."""

import json
import os
import subprocess
import sys
from time import process_time

import pytest

from honestly.errors import SettingsError
from honestly.guard import lint_setup, setup_files

LONG = "Always run the whole list of tests before you say that anything is done, and read what failed, line by line."
FILES = {
    "AGENTS.md": f"Run `tests/run.py` and `tests/gone.py`.\n@docs/there.md @docs/gone.md @../out.md\n\n{LONG}\n",
    "docs/there.md": "x",
    "tests/run.py": "",
    "CLAUDE.md": f"{LONG}\n\nKey: ghp_{'a1' * 20}\n@./CLAUDE.md\n",
    ".claude/skills/a/SKILL.md": "---\nname: a\n---\nx",
    ".claude/skills/b/SKILL.md": "---\ndescription: >-\n  Use it whenever\n  b is to be done.\n---\nx",
    ".claude/agents/c.md": "---\nname: c\ndescription: Does c.\n---\nx",
    ".claude/rules/d.md": "---\npaths: src/**/*.rb\n---\nx",
    ".claude/rules/e.md": "---\npaths: '**/*.py'\n---\nx",
    ".claude/settings.json": '{"permissions": {"deny": ["Bash(git:*)"], "allow": ["Bash(git push:*)", "Read(x)", 3]}}',
}


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_each_kind_is_found_where_it_is_and_nowhere_else(tmp_path):
    found = lint_setup(written(tmp_path, FILES))
    assert sorted((each.kind, each.file) for each in found.findings) == sorted(
        [
            ("dead path", "AGENTS.md"),
            ("import", "AGENTS.md"),
            ("import", "AGENTS.md"),
            ("secret", "CLAUDE.md"),
            ("import", "CLAUDE.md"),
            ("repeated", "CLAUDE.md"),
            ("skill", ".claude/skills/a/SKILL.md"),
            ("agent", ".claude/agents/c.md"),
            ("never applies", ".claude/rules/d.md"),
            ("permissions", ".claude/settings.json"),
            ("permissions", ".claude/settings.json"),
        ]
    )
    assert found.to_plain()["total_tokens"] == sum(found.tokens.values())


WORDS = {
    "AGENTS.md": (
        "Use pnpm. Keep lines to 100 characters. Always squash your commits before a merge.\n\n"
        "```bash\nmake test\nmake tset  # a slip\npnpm run build && pnpm run biuld\npython scripts/gone.py\nuv run scripts/there.py\n"
        "just deploy\n./run.sh\nmake -C sub all\npytest tests/<your test>.py\ngit push --force\n```\n"
        "Never run `make gone`. See `npm run lint` and `node dist/out.js`.\n"
        "```\n.\n├── scripts\n│   ├── there.py\n│   └── other.py\n├── web\n│   └── package.json\n├── Makefile\n```\n"
    ),
    "CLAUDE.md": "Use npm for all. Quotes: single quotes.\nNever squash your commits before a merge.\nIndent with tabs.\n",
    "GEMINI.md": f"Line length: 120.\n\n{LONG}\n",
    "README.md": f"# Readme\n\n{LONG}\n",
    "sub/AGENTS.md": "Use yarn here. Never squash your commits before a merge.\n",
    ".claude/skills/d/SKILL.md": "---\nname: e\ndescription: d\n---\nUse bun.\n",
    ".claude/agents/f.md": "---\nname: f\ndescription: It does f.\ntools: Read, Bash(git:*), Wriet\n---\n",
    ".claude/rules/g.md": "---\npaths:\n  - 'web/**/*.{css,tsx}'\n  - docs/**\n---\nIndent with 2 spaces.\n",
    ".claude/rules/k.md": "---\npaths:\n  - 'web/**/*.{json,tsx}'\n  - docs/**\n---\nx\n",
    ".cursor/rules/h.mdc": "---\nalwaysApply: false\nglobs:\ndescription:\n---\nx\n",
    ".claude/settings.json": json.dumps(
        {
            "permissions": {"deny": ["Bash(git push:*)"], "allow": ["Bash(make:*)"]},
            "hooks": {"PreToolUse": [
                {"matcher": "Bash|Edti", "hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/scripts/gone.sh x'}]},
                {"hooks": [{"type": "command", "command": "./run.sh"}]},
            ]},
        }
    ),
    "Makefile": "test: x\n\techo\n%.o: x\nall:\n",
    "justfile": "build:\n    x\n",
    "web/package.json": '{"scripts": {"build": "x", "lint": "y"}}',
    "package.json": '{"packageManager": "pnpm@9.0.0"}',
    "pyproject.toml": "[tool.ruff]\nline-length = 120\n",
    "scripts/there.py": "", "scripts/other.py": "", "run.sh": "", ".gitignore": "dist/\n",
}  # fmt: skip


def test_what_texts_say_is_held_against_each_other_and_the_project(tmp_path):
    found = {(each.kind, each.file, each.text) for each in lint_setup(written(tmp_path, WORDS)).findings}
    wanted = [
        ("says the code", "AGENTS.md", "package manager pnpm"), ("contradiction", "AGENTS.md", "line length 100, and pyproject.toml says 120"),
        ("dead command", "AGENTS.md", "no makefile has a target 'tset'"), ("dead command", "AGENTS.md", "no package.json has a script 'biuld'"),
        ("dead command", "AGENTS.md", "scripts/gone.py is not there"), ("dead command", "AGENTS.md", "no justfile has a recipe 'deploy'"),
        ("contradiction", "AGENTS.md", "git push --force: deny: Bash(git push:*) forbids it"),
        ("says the code", "AGENTS.md", "a drawing of 6 files"),
        ("contradiction", "CLAUDE.md", "package manager npm, and package.json says pnpm"),
        ("contradiction", "CLAUDE.md", "package manager npm, and AGENTS.md says pnpm"), ("contradiction", "CLAUDE.md", "'Never squash your commits"),
        ("says the code", "GEMINI.md", "line length 120"), ("contradiction", "GEMINI.md", "line length 120, and AGENTS.md says 100"),
        ("repeated", "GEMINI.md", "in README.md"),
        ("skill", ".claude/skills/d/SKILL.md", "'d' does not say when"), ("skill", ".claude/skills/d/SKILL.md", "its name is 'e'"),
        ("agent", ".claude/agents/f.md", "no tool 'Wriet'"), ("never applies", ".claude/rules/g.md", "no file fits 'web/**/*.{css,tsx}, docs/**'"),
        ("dead command", ".claude/settings.json", "scripts/gone.sh is not there"),
        ("dead command", ".claude/settings.json", "run.sh may not be run"), ("never applies", ".claude/settings.json", "no tool 'Edti'"),
    ]  # fmt: skip
    for kind, file, text in wanted:
        hits = {each for each in found if each[:2] == (kind, file) and text in each[2]}
        assert len(hits) == 1, (kind, file, text)
        found -= hits
    assert found == set()


def test_slips_in_settings_skills_and_agents_are_found_and_their_like_are_not(tmp_path):
    rules = ["Bash(npm test)", "Bash(npm:*)", "Raed(x)", "Bash(ls)", "Bash(ls)", "Bash(npmx:*)", "Edit"]
    found = lint_setup(written(tmp_path, {
        ".claude/settings.json": json.dumps({"permissions": {"deny": rules}, "hooks": {"PreToolUses": [{"hooks": [{"command": "ls"}]}]}}),
        ".claude/skills/a/SKILL.md": "---\nname: a\ndescription: Use when deploying.\n---\nx",
        ".claude/skills/b/SKILL.md": f"---\nname: b\ndescription: Use it when {'x' * 1100}\n---\nx",
        ".claude/skills/e/SKILL.md": "---\nname: e_E\ndescription: Use when asked.\n---\nx",
        ".claude/agents/c.md": "Does c.", ".claude/agents/f.md": "---\nname: f\ndescription: Does f.\ntools: []\n---\n",
        ".cursor/rules/g.mdc": "---\nalwaysApply: true\nglobs: '*.zig'\n---\nx", ".mcp.json": '{"Authorization": "Bearer 2a9f8e7d6c"}',
        "AGENTS.md": "- Run tests with jest.\n- Use uv; never pip.\n\n[a](scripts/b.md#c)\n`pnpm add -g x` `./gradlew test`\n\nSee `.gone/x/y.json` and `./scripts/deploy.sh`.\n", "CLAUDE.md": "- Tests run with vitest.\n- Install with `pip install -r x`.\n",
        ".gitignore": ".gone\n", ".gone/a": "", "scripts/a": "",
    }))  # fmt: skip
    said = sorted((each.kind, each.file, each.text[:40]) for each in found.findings)
    assert said == [
        ("agent", ".claude/agents/c.md", "it begins with no keys (name, descriptio"),
        ("agent", ".claude/agents/f.md", "it names no tools, so it has all of them"),
        ("contradiction", "CLAUDE.md", "it says installer pip, and AGENTS.md say"),
        ("contradiction", "CLAUDE.md", "it says test runner vitest, and AGENTS.m"),
        ("dead command", "AGENTS.md", "line 5: ./gradlew test: gradlew is not t"),
        ("dead path", "AGENTS.md", "./scripts/deploy.sh is not there"),
        ("dead path", "AGENTS.md", "scripts/b.md is not there"),
        ("never applies", ".claude/settings.json", "there is no event 'PreToolUses' of hooks"),
        ("permissions", ".claude/settings.json", "deny: Bash(ls) adds nothing to deny: Bas"),
        ("permissions", ".claude/settings.json", "deny: Bash(npm test) adds nothing to den"),
        ("permissions", ".claude/settings.json", "deny: Raed(x): there is no such tool"),
        ("secret", ".mcp.json", "it holds what looks like a password or a"),
        ("skill", ".claude/skills/b/SKILL.md", "its description has more than 1024 chara"),
        ("skill", ".claude/skills/e/SKILL.md", "its name 'e_E' is not of a-z, 0-9 and hy"),
    ]


def test_what_the_home_folder_adds_is_counted_and_compared(tmp_path):
    project = written(tmp_path / "p", {"CLAUDE.md": f"Always squash your commits before a merge.\n\n{LONG}\n",
        ".claude/settings.json": '{"permissions": {"allow": ["Bash(git push:*)"]}}',
        ".claude/agents/a.md": "---\nname: a\ndescription: Does a.\ntools: Read\n---\n"})  # fmt: skip
    home = written(tmp_path / "home", {".claude/CLAUDE.md": f"Never squash your commits before a merge.\n\n{LONG}\n",
        ".claude/settings.json": '{"permissions": {"deny": ["Bash(git push:*)"]}}', ".claude/projects/x.md": "not read",
        ".claude/agents/a.md": "---\nname: a\n---\n", ".codex/AGENTS.md": "x"})  # fmt: skip
    assert lint_setup(project).added == {}
    found = lint_setup(project, home)
    assert found.added.keys() == {
        f"~/{name}"
        for name in (".claude/CLAUDE.md", ".claude/settings.json", ".claude/agents/a.md", ".codex/AGENTS.md")
    }
    assert sorted((each.kind, each.file) for each in found.findings) == [
        ("contradiction", "CLAUDE.md"), ("global", ".claude/agents/a.md"), ("global", ".claude/settings.json"), ("global", "CLAUDE.md"),
    ]  # fmt: skip
    assert found.to_plain()["added"]["~/.codex/AGENTS.md"] == 1


def test_a_hostile_set_up_is_bounded_and_stays_inside(tmp_path):
    (tmp_path / "secret.md").write_text("ghp_" + "a1" * 20)
    project = written(
        tmp_path / "p",
        {"CLAUDE.md": "x" * 300_000, ".claude/settings.json": "[" * 9000, ".claude/rules/a.md": "---\n" * 50_000},
    )
    (project / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    (project / ".claude" / "loop").symlink_to(project)
    (project / ".claude" / "agents").mkdir()
    (project / ".claude" / "agents" / "b.md").write_bytes(b"\xff\xfe")
    kinds = {(each.kind, each.file) for each in lint_setup(project).findings}
    assert {("too large", "CLAUDE.md"), ("link", "AGENTS.md"), ("unreadable", ".claude/agents/b.md")} <= kinds
    assert ("permissions", ".claude/settings.json") in kinds
    assert not any(kind == "secret" for kind, _ in kinds)


@pytest.mark.parametrize("text", ["`" * 250_000, "[a](" * 60_000, "```\n" * 60_000, "".join("`" * n + "\n" for n in range(3, 700)),
                                  "```a\n" * 60_000, f"`{'npm ' * 60_000}`", "```sh\n" + "a" * 200_000 + "\n```", "`a/" * 80_000])  # fmt: skip
def test_a_text_of_marks_costs_little(tmp_path, text):
    begun = process_time()
    lint_setup(written(tmp_path, {"AGENTS.md": text}))
    assert process_time() - begun < 5


def test_thousands_of_rules_cost_little(tmp_path):
    rules = {word: [f"Bash({word}{number}:*)" for number in range(3000)] for word in ("deny", "allow")}
    begun = process_time()
    found = lint_setup(written(tmp_path, {".claude/settings.json": json.dumps({"permissions": rules})})).findings
    assert [each.kind for each in found] == ["too large"]
    assert process_time() - begun < 15


def test_a_project_without_a_set_up_is_an_error(tmp_path):
    with pytest.raises(SettingsError, match="no set-up"):
        lint_setup(tmp_path)


@pytest.mark.slow
def test_the_command_says_it(tmp_path):
    written(tmp_path, FILES)
    done = subprocess.run(
        [sys.executable, "-m", "honestly", "setup", "lint", "--no-home", tmp_path, "--json"], capture_output=True
    )
    answer = json.loads(done.stdout)
    assert (done.returncode, len(answer["findings"]), answer["tokens"].keys() >= {"AGENTS.md"}) == (1, 11, True)


def test_what_is_no_file_is_a_finding(tmp_path):
    (tmp_path / ".claude" / "rules").mkdir(parents=True)
    (tmp_path / ".claude" / "rules" / "root").symlink_to("/")
    (tmp_path / ".claude" / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "CLAUDE.md")
    for number in range(400):
        (tmp_path / ".claude" / "rules" / f"{number}.md").write_text("---\npaths: " + "**/" * 20 + "*a*b*c\n---\n")
    begun = process_time()
    found = {(each.kind, each.file) for each in lint_setup(tmp_path).findings}
    assert {("link", ".claude/loop"), ("link", ".claude/rules/root"), ("unreadable", "CLAUDE.md")} < found
    assert "too large" in {kind for kind, _ in found}
    assert process_time() - begun < 5


def test_settings_that_mean_nothing_are_said(tmp_path):
    settings = {
        "permission": {}, "outputStyle": "x", "ownKey": 1, "env": {"DB_PASSWORD": "correct horse", "API_KEY": "${KEY}"},
        "permissions": {"defaultMode": "yolo", "allowed": [], "deny": "x", "allow": ["Bash(chmod:777:*)", "Bash(ls:*)"],
                        "additionalDirectories": ["../gone", "~/x"]},
        "hooks": {"Stop": [{"matcher": "[", "hooks": [{"type": "cmd", "command": "x"}, {"type": "prompt"}]}, 3]},
    }  # fmt: skip
    found = lint_setup(written(tmp_path, {
        ".claude/settings.json": json.dumps(settings),
        ".mcp.json": '{"a": ["postgres://u:hunter2secret@h/d", "http://u:$P@h"], "token": "YOUR_TOKEN"}',
    })).findings  # fmt: skip
    said = sorted(each.text for each in found if each.kind in {"settings", "permissions"} and "rule" not in each.text)
    assert [each.partition(":")[0] for each in said if "tool" not in each] == [
        "Bash(chmod", "deny is no list", "hook of Stop", "hook of Stop", "permissions has no key 'allowed'",
        "the folder '../gone' is not there", "there is no key 'permission'", "there is no mode 'yolo'",
    ]  # fmt: skip
    assert sorted(each.file for each in found if each.kind == "secret") == [".claude/settings.json", ".mcp.json"]
    (tmp_path / ".claude" / "settings.json").write_text('{"permissions": [], "hooks": [1]}')
    assert {"permissions is no table", "hooks is no table"} <= {each.text for each in lint_setup(tmp_path).findings}


def test_what_is_made_ignored_or_absent_is_not_dead_and_what_is_gone_is(tmp_path):
    found = lint_setup(written(tmp_path, {
        "AGENTS.md": (
            "Look at `.out/local/a.json`, `sub/made/b.txt` and `sub/gone.txt`.\n`sub/c.json` is absent at first.\n\n"
            "Edit `.env` and run `git push` when all is done. Run tests with jest.\n@../../etc/passwd\n\n"
            "```bash\ncd web && npm run build\nnpm --prefix web run build\ncd web && npm run dev\n```\n"
        ),
        "CLAUDE.md": "Tests run with vitest.\n",
        ".out/x": "", ".gitignore": "/.out/local/*\n", "sub/.gitignore": "made\n", "sub/x": "",
        "web/package.json": '{"scripts": {"dev": "x"}}', "package.json": '{"scripts": {"build": "x"}}',
        ".claude/settings.json": '{"permissions": {"deny": ["Bash(git push:*)"]}}',
        ".claude/skills/a/SKILL.md": "---\nname: a\ndescription: Use when x.\n---\n",
        ".claude/skills/b/other.md": "x",
        ".claude/agents/c.md": "---\nname: c\ndescription: Does c.\ntools: Read\n---\n",
        ".claude/agents/d.md": "---\nname: c\ndescription: Does d.\ntools: Read\n---\n",
        ".github/instructions/t.instructions.md": "---\napplyTo: '**/*.ts'\n---\nx\n",
    })).findings  # fmt: skip
    assert sorted((each.kind, each.file, each.text[:34]) for each in found) == [
        ("agent", ".claude/agents/d.md", ".claude/agents/c.md has the name '"),
        ("contradiction", "AGENTS.md", "line 4: git push: deny: Bash(git p"),
        ("contradiction", "CLAUDE.md", "it says test runner vitest, and AG"),
        ("dead command", "AGENTS.md", "line 8: cd web && npm run build: w"),
        ("dead command", "AGENTS.md", "line 9: npm --prefix web run build"),
        ("dead path", "AGENTS.md", "sub/gone.txt is not there"),
        ("import", "AGENTS.md", "@../../etc/passwd leads out of the"),
        ("never applies", ".github/instructions/t.instructions.md", "no file fits '**/*.ts'"),
        ("skill", ".claude/skills/b", "it has no SKILL.md"),
    ]


@pytest.mark.parametrize(
    ("text", "more", "found"),
    [
        ("Run `bun run build.ts`.", {"build.ts": ""}, []),
        ("Run `bun run gone.ts`.", {}, ["dead command"]),
        ("```bash\ncd web && bun run gone\n```", {".gitmodules": '[submodule "web"]\n\tpath = web\n'}, []),
        ("See `sub/ca/x.crt`.", {"sub/.gitignore": "ca/*.crt\n", "sub/a": ""}, []),
        ("Run `make -C sub gone`.", {"sub/Makefile": "all:\n\tx\n"}, ["dead command"]),
        ("Run `make -C sub all`.", {"sub/Makefile": "all:\n\tx\n"}, []),
        ("Run `yarn deploy now`.", {}, ["dead command"]),
        ("Run `yarn tsc --noEmit`.", {}, []),
        ("### Nix\n\nKeep lines to 100 characters.", {"ruff.toml": "line-length = 88\n"}, []),
        ("Keep lines to 100 characters.", {"ruff.toml": "line-length = 88\n"}, ["contradiction"]),
        ("Edit `.env` to change keys.", {}, ["contradiction"]),
        ("Never edit `.env`.", {}, []),
        ("Call it with `printf x` and single quotes.", {".prettierrc": '{"singleQuote": true}'}, []),
        ("AKIA4IONSFODNN7EXAMPLE", {}, []),
        ("Run `npm run typecheck now` (if configured).", {}, []),
        ("Run `deno task gone`.", {"deno.json": '{"tasks": {"dev": "x"}}'}, ["dead command"]),
        ("Run `deno task dev`.", {"deno.json": '{"tasks": {"dev": "x"}}'}, []),
        ("Run `./bin/gone.sh --all`.", {"bin/x": ""}, ["dead command"]),
        ("Run `just run`.", {"justfile": 'run filter="*" runs="3":\n    x\n'}, []),
        ("Run `cd web && npm run gone`.", {"web/x": ""}, ["dead command"]),
        ("Install packages with pnpm, never with npm.", {"package-lock.json": "{}"}, ["contradiction"]),
        ("Install packages with npm.", {"package-lock.json": "{}"}, []),
        ("See `plug/one` and `plug/gone.md`.", {"plug/skills/one/SKILL.md": "", "plug/x": ""}, ["dead path"]),
        (
            "Never commit directly to main.",
            {".claude/rules/s.md": "Commit small fixes directly to main."},
            ["contradiction"],
        ),
        ("No protocol logic;\n", {".claude/rules/s.md": "The app contains no protocol logic."}, []),
        ("Recorded responses live in `src/gone.yaml`.", {"src/x": ""}, ["dead path"]),
        ("The tool writes them to `src/gone.yaml`.", {"src/x": ""}, []),
        (
            f"# A\n\n---\n\n{'A long paragraph. ' * 9}\n\n---\n",
            {".claude/rules/s.md": "A long paragraph. " * 9},
            ["repeated"],
        ),
        ("", {".claude/commands/r.md": "```bash\n./bin/gone.sh $ARGUMENTS\n```\n"}, ["dead command"]),
        ("", {".claude/agents/a.md": "---\nname: a\ndescription: Does a.\ntools: mcp__x-y__z\n---\n"}, []),
        ("", {"GEMINI.md": "Edit `.env` to change keys."}, []),
        ("See `src/a.NAMES` and `src/a.load_all`.", {"src/a.py": ""}, []),
        ("See `src/gone.NAMES` and `src/a.tsx`.", {"src/a.ts": ""}, ["dead path", "dead path"]),
        ("If there is a script (`npm run X`), run it.", {}, []),
        ("Edit `our-blueprint/doc/*`, which is linted (`src/lint.py`).", {"src/a.ts": ""}, []),
        ("Run `pnpm --filter web run gone`.", {"web/package.json": '{"scripts": {"dev": "x"}}'}, ["dead command"]),
        ("Run `pnpm --filter web run dev`.", {"web/package.json": '{"scripts": {"dev": "x"}}'}, []),
        ("A long paragraph. " * 9, {".claude/templates/a/CLAUDE.md": "A long paragraph. " * 9}, []),
        ("", {".claude/agents/a.md": "---\nname: a\ntools: Read\ndescription: [x\n---\n"}, ["unreadable"]),
        ("", {".claude/agents/a.md": "---\nname: a\ntools: Read\ndescription: Use it: [x]\n---\n"}, []),
        ("", {".claude/agents/a\nb.md": "---\nname: a\ntools: Read\n---\n"}, ["agent"]),
        ("Run `bun run vite dev`.", {}, []),
        ("As a last resort, use yarn resolutions.", {"package-lock.json": "{}"}, []),
        ("`m/*` must not import from `c/*` or `b/*`.\n\n`b/*` may import from `c/*` and `m/*`.", {}, []),
        ("Write the answer into `src/a.md`.\n\nSee `src/a.md`.", {"src/x": ""}, []),
        ("", {".claude/commands/a.md": "---\nallowed-tools: Bash(git push:*), Wriet\n---\n"}, ["command"]),
    ],
)
def test_what_strangers_found_is_right(tmp_path, text, more, found):
    settings = json.dumps({"permissions": {"deny": ["Edit(.env)"], "allow": [f"Bash(git commit -m {'a' * 300})"]}})
    files = {"CLAUDE.md": text, "package.json": '{"scripts": {"dev": "x"}}', ".claude/settings.json": settings}
    said = lint_setup(written(tmp_path, files | more)).findings
    assert [each.kind for each in said] == found


def test_what_is_no_file_or_no_folder_is_said(tmp_path):
    (tmp_path / "CLAUDE.md").mkdir()
    (tmp_path / ".claude").write_text("x")
    assert [(each.kind, each.file) for each in lint_setup(tmp_path).findings] == [
        ("unreadable", "CLAUDE.md"), ("unreadable", ".claude"),
    ]  # fmt: skip


def test_a_setup_that_is_tried_may_link_inside_of_its_folder(tmp_path):
    written(tmp_path / "p", {"AGENTS.md": "x", ".agents/skills/a/SKILL.md": "s"})
    (tmp_path / "p" / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "p" / ".claude").mkdir()
    (tmp_path / "p" / ".claude" / "skills").symlink_to("../.agents/skills")
    found = setup_files(tmp_path / "p")
    assert (found["CLAUDE.md"], found[".claude/skills/a/SKILL.md"]) == ("x", "s")
    (tmp_path / "out.md").write_text("y")
    (tmp_path / "p" / "GEMINI.md").symlink_to("../out.md")
    with pytest.raises(SettingsError, match="out of the folder"):
        setup_files(tmp_path / "p")


DOUBTFUL = {
    "AGENTS.md": "Lessons are `docs/SPEC-0NN.html`, `docs/SPEC-<n>.html`; see `docs/mycommand.go` and `kept/a/b.md`.\n"
    'Run `node --test "scripts/**/*.test.mjs"`. It records its state in `docs/state.json`. Read `docs/state.json`.\n'
    "Do not hand-roll a bare `Provider` in tests.\n\n## Files to be deleted\n- `docs/gone.ts`\n\n## Now\n"
    "これは `docs/weg.md` です。\n\n```bash\n[ -f docs/auto.json ] || exit\n```\nCopy `docs/auto.json`.\n@docs/mine.local.md\n\nA table (`x` @127.0.0.1:8484).\nThe brief named a nonexistent `docs/x.py`; paths (`docs/X.py`, `docs/test_Y.py`); the product reads `.claude/x.json`.\n\n## Examples\n\n### One\n`npm run gone`\n",
    ".claude/CLAUDE.md": "@../AGENTS.md\n", ".claude/agents/u.md": "---\nname: u\ntools: Read\ndescription: Does u.\n---\nAsk @docs/gone.md. See http://localhost:3030/orgs/references-bc08/hello-SiWs and `-----BEGIN PRIVATE KEY-----`.\n",
    ".claude/hooks/package.json": "{}", ".claude/commands/v.md": "# Create it\n/docs/made.md\n\nThen read `docs/made.md`.\n",
    ".cursor/rules/w.mdc": "---\nalwaysApply: false\n---\nx",
    "GEMINI.md": "A hand-rolled bare `Provider` in tests drifts.\n",
    ".claude/settings.json": json.dumps({
        "permissions": {"allow": ["PowerShell(go test *)", "CronCreate", "Bash(x lint:*)", "Bash(x lint:fix)"], "denyInsteadOfPrompting": True},
        "hooks": {each: [{"hooks": [{"command": "ls"}]}] for each in ("StopFailure", "PostToolBatch", "CwdChanged")}
        | {"PreToolUse": [{"matcher": "Bash|PowerShell", "hooks": [{"command": "ls"}]}]}}),
    ".claude/agents/a/part.md": "---\nkind: reference\n---\nx", ".claude/docs/old.md": "See `docs/old.md`. Run `npm run old`.\n",
    ".claude/rules/r.md": "---\npaths: docs/**, gone/**\n---\nx",
    "vendor/.agents/skills/s/references/r.md": "```bash\nnpm run typegen\n```\nSECRET\n  : '1x0000000000000000000000000000000AA'\n",
    ".agents/skills/t/SKILL.md": "---\nname: t\ndescription: Use it to make an app.\n---\n```bash\ncd my-app\nnpm run dev\n```\n",
    "package.json": '{"scripts": {"x": "y"}}', "docs/SPEC-001.html": "", "scripts/a.test.mjs": "", "kept/.gitkeep": "",
}  # fmt: skip


def test_nothing_is_said_of_what_cannot_be_known(tmp_path):
    assert lint_setup(written(tmp_path, DOUBTFUL)).findings == ()


HOOKS = [
    '"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', '"$CLAUDE_PROJECT_DIR/.claude/hooks/b.sh" --x',
    'bash "$CLAUDE_PROJECT_DIR/.claude/hooks/c.sh"', '"${CLAUDE_PROJECT_DIR:-.}"/.claude/hooks/d.sh', '"$CLAUDE_PROJECT_DIR/ok.sh"',
]  # fmt: skip


def test_what_quotes_imports_and_folders_hide_is_looked_for(tmp_path):
    hooks = {"hooks": {"Stop": [{"hooks": [{"command": each} for each in HOOKS]}]}}
    found = lint_setup(written(tmp_path, {
        ".claude/settings.json": json.dumps(hooks), "ok.sh": "", "docs/a.md": "@gone.md\n@b.md\n", "docs/b.md": "@a.md\n",
        "CLAUDE.md": "@docs/a.md\n```bash\ncd web && pnpm build\npnpm -C web build\nnpm run build -w web\n(cd web && npm run build)\n"
                     "cd web && pnpm install\npnpm -C web dev\nnpm run build\n```\n",
        "package.json": '{"scripts": {"build": "x"}}', "web/package.json": '{"scripts": {"dev": "x"}}',
    })).findings  # fmt: skip
    said = [(each.file, each.text) for each in found]
    assert sum("hook of Stop: .claude/hooks/" in text for _, text in said) == 4
    assert sum("web/package.json has no script 'build'" in text for _, text in said) == 4
    assert ("docs/a.md", "@gone.md is not there") in said
    assert len(said) == 10  # `ok.sh` may not be run


def test_rules_that_fit_nothing_and_servers_of_a_similar_name_are_said(tmp_path):
    rules = {
        "deny": ["Read( ** /*.pfx )", "Edit(keys/**)"],
        "allow": ["Edit(keys/a.yml)", "mcp__nuegt__search", "mcp__other__x", "mcp__nuget__y"],
    }
    found = lint_setup(written(tmp_path, {
        ".mcp.json": '{"mcpServers": {"nuget": {"command": "x"}}}',
        ".claude/settings.json": json.dumps({"permissions": rules | {"additionalDirectories": ["C:/elsewhere"]}}),
    })).findings  # fmt: skip
    assert sorted(each.text for each in found) == [
        "Read( ** /*.pfx ): with blanks next to / or * it matches no file",
        "allow: Edit(keys/a.yml) has no effect: deny: Edit(keys/**) goes before it",
        "allow: mcp__nuegt__search: .mcp.json has no such server; it has 'nuget'",
    ]


def test_names_of_foreign_files_are_printed_as_they_are(tmp_path, capsys):
    from rich.console import Console

    Console(width=200).print(lint_setup(written(tmp_path, {".claude/agents/[red]:smile:.md": "x"})))
    assert ".claude/agents/[red]:smile:.md" in capsys.readouterr().out
