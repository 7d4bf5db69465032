"""A policy from a file that a person wrote, TOML or JSON, or from the settings of a project.

```toml
principles = ["Migrations are never edited once they are merged."]
default = "allow"           # or "ask": whatever no rule allows
deny = ["Bash(git push:*)", "Edit(migrations/**)", "Read(.env)", "Secret"]
ask = ["Package(*)", "Host(*)"]
allow = ["Bash(npm test:*)"]
```

YAML is not read. A file is bounded, and an error says what in it is wrong: a key that stands twice, too.
"""

import json
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from honestly._toml import toml_table
from honestly.errors import SettingsError
from honestly.permissions._packages import ECOSYSTEMS
from honestly.permissions._policy import WORDS, PolicyJudgeTerms, Rule, ToolPolicy, parse_rules

_LARGEST, _MOST_BRACES = 256_000, 5
_OURS = ("bash", "secret", "host", "package", "size", "webfetch")
"""Tools of rules that nobody else has, so that one like them is a slip."""
_KEYS = ("principles", "default", "judge", *WORDS)


def read_policy(path: Path) -> ToolPolicy:
    """The policy in a file: `.toml`, `.json` with the same keys, or a `settings.json` with `permissions`.

    Raises:
        SettingsError: It cannot be read, or says something that is no policy.
    """
    if path.suffix not in {".toml", ".json"}:
        raise SettingsError(f"expected a policy, which is a .toml or .json file; found {path}")
    try:
        if not path.is_file():
            why = "it is no file" if path.exists() or path.is_symlink() else "there is no such file"
            raise SettingsError(f"{path}: {why}; expected a policy, a .toml or .json file")
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{path}: it cannot be read: {error.strerror or error}") from error
    if len(raw) > _LARGEST:
        raise SettingsError(f"{path}: it has more than {_LARGEST:,} bytes; a policy has fewer")
    try:
        text = raw.decode("utf-8-sig")
        found = toml_table(text) if path.suffix == ".toml" else json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        raise SettingsError(f"{path}: it is not {kind}: {str(error)[:200]}") from error
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: it contains a {type(found).__name__}; expected a table of rules")
    return policy_of(found, str(path))


def policy_of(data: dict[str, Any], path: str = "the policy") -> ToolPolicy:
    """The policy that a table of rules is, as `ToolPolicy.text` writes one; its project lies in `root`, `/workspace`.

    Raises:
        SettingsError: It says something that is no policy.
    """
    given = data.get("permissions", data)
    if not isinstance(given, dict):
        raise SettingsError(
            f"{path}: `permissions` is not a table of rules; "
            "expected [permissions] with lists such as deny = [...] (docs/guard.md)"
        )
    if beside := [] if given is data else [key for key in data if key in _KEYS]:
        raise SettingsError(
            f"{path}: {beside[0]!r} is next to `permissions`, where it would be ignored; move it into `permissions`"
        )
    unknown = [key for key in given if key not in _KEYS and given is data]
    if unknown:
        raise SettingsError(
            f"{path}: {unknown[0]!r} is not known; a policy contains `permissions`, or {', '.join(_KEYS)}"
        )
    default = given.get("default", "ask" if given.get("defaultMode") == "dontAsk" else "allow")
    if default not in {"allow", "ask"}:
        raise SettingsError(f"{path}: default is {str(default)[:80]!r}; expected 'allow' or 'ask'")
    principles = given.get("principles", [])
    if not isinstance(principles, list) or not all(isinstance(each, str) for each in principles):
        raise SettingsError(f'{path}: `principles` is not a list of texts; expected principles = ["..."]')
    rules = []
    for word in WORDS:
        texts = given.get(word, [])
        if not isinstance(texts, list):
            raise SettingsError(f"{path}: {word} is {str(texts)[:80]!r}; expected a list of rules such as 'Bash(rm:*)'")
        found, wrong = parse_rules(word, texts)
        if wrong:
            raise SettingsError(
                f"{path}: {word} contains {wrong[0]!r}; expected a rule such as 'Bash(rm:*)' with fewer than 1,000 "
                "characters, and at most 5,000 of them"
            )
        if empty := [rule for rule in found if not _means_something(rule)]:
            raise SettingsError(
                f"{path}: {word} contains {empty[0].written!r}, which matches nothing; expected Size(NUMBER), Secret, "
                "Host(NAME) without https:// and port, at most 5 braces, a path in the project or //ABSOLUTE without "
                "blanks at / and *, "
                f"or Package(ECOSYSTEM:NAME) with one of {', '.join(sorted(ECOSYSTEMS))}"
            )
        near = [
            (rule, kind) for rule in found for kind in get_close_matches(rule.tool, _OURS, 1, 0.84) if kind != rule.tool
        ]
        if near:
            rule, kind = near[0]
            raise SettingsError(f"{path}: {word} contains {rule.written!r}; did you mean {kind.capitalize()}?")
        rules += found
    if not rules and default == "allow" and not principles:
        raise SettingsError(f"{path}: it contains no rule; write one, such as deny = ['Bash(git push:*)']")
    return ToolPolicy(
        tuple(rules), default, tuple(principles), _judge(given["judge"], path) if given.get("judge") else None
    )


def _means_something(rule: Rule) -> bool:
    if rule.tool == "size":
        return rule.pattern.isdigit()
    if rule.tool in {"host", "webfetch"}:
        return re.search(r"/|:\d+$", rule.pattern) is None
    if rule.pattern.count("{") > _MOST_BRACES:
        return False
    if rule.tool in {"read", "edit", "write", "multiedit"}:
        return not rule.pattern.startswith("../") and not re.search(r"\s[/.*]|[/*]\s", rule.pattern)
    ecosystem, colon, _ = rule.pattern.partition(":")
    is_known = not colon or "*" in ecosystem or ecosystem.lower() in {each.lower() for each in ECOSYSTEMS}
    return is_known if rule.tool == "package" else not (rule.tool == "secret" and rule.pattern not in {"", "*"})


def _judge(given: object, path: str) -> PolicyJudgeTerms:
    wanted = {"model": str, "categories": list, "calls": int, "usd": int | float | None}
    if not isinstance(given, dict) or not all(isinstance(value, wanted.get(key, ())) for key, value in given.items()):
        raise SettingsError(f"{path}: judge is {str(given)[:80]!r}; expected model = '...', categories, calls, usd")
    categories = tuple(map(str, given.get("categories", ())))
    terms = PolicyJudgeTerms(given.get("model", ""), categories, given.get("calls", 300), given.get("usd"))
    if not terms.model or terms.calls < 1 or len(categories) > 100:
        raise SettingsError(
            f"{path}: [judge] names no model, no calls, or too many categories; docs/guard.md has an example"
        )
    return terms


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table whose keys each stand once; JSON would keep the last, and a rule would be gone."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key stands twice among {', '.join(key for key, _ in pairs)[:120]}")
    return found
