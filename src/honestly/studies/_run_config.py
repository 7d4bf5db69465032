"""A run as a file: `honestly run -c study.toml`, written by `--save-config`; keys are settings of `honestly.run`.

    suite = "tasks"
    samples = 3
    budget = "20 usd"
    [[agents]]
    use = "claude-code"
    model = "anthropic:claude-sonnet-4-5"

An agent is a text as `--agent` takes it, or a table: `use`, its name, and its settings.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from honestly._settings import settings_of
from honestly._toml import toml_table
from honestly.errors import SettingsError
from honestly.seams import Spec, did_you_mean, format_spec
from honestly.studies._run_settings import RunSettings


def read_run_config(path: str | Path) -> dict[str, Any]:
    """The settings in a file, as arguments of `honestly.run`.

    Raises:
        SettingsError: it cannot be read, is no TOML, or has a key that is no setting or a value of another kind.
    """
    try:
        found = toml_table(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise SettingsError(f"{path} cannot be read as settings of a run, which are TOML: {said}") from error
    settings = {each.name: (each, said) for each, said in settings_of(RunSettings)}
    known = ["suite", *settings]
    for key, value in found.items():
        if key not in known:
            short = {
                name.strip("-").replace("-", "_"): field for field, (_, said) in settings.items() for name in said.names
            }
            near = f" (did you mean {short[key]!r}?)" if key in short else did_you_mean(key, known)
            raise SettingsError(f"{path}: {key!r} is not a setting of a run{near}; there are: {', '.join(known)}")
        if key == "agents":
            listed = value if isinstance(value, list) else [value]
            if not listed:
                raise SettingsError(f"{path}: agents is empty; expected one at least")
            found[key] = [_agent(path, each) for each in listed]
            continue
        kind, many = (str(settings[key][0].type), settings[key][1].many) if key in settings else ("str", False)
        kind = next((each for each in ("bool", "int", "float") if each in kind), "str")
        values = value if many and isinstance(value, list) else [value]
        if not all(isinstance(each, _KINDS[kind][0]) and (kind == "bool") == isinstance(each, bool) for each in values):
            several = ", or a list of texts" if many else ""
            raise SettingsError(f"{path}: {key} is {_shown(value)}; expected {_KINDS[kind][1]}{several}")
        for each in values if key in settings else ():
            if refused := settings[key][1].refusal(key, each):
                raise SettingsError(f"{path}: {refused}")
        found[key] = values if many else value
    return found


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "bool": (bool, "true or false"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "str": (str, "a text in quotes"),
}


def _agent(path: str | Path, given: object) -> str:
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping) or not isinstance(given.get("use"), str):
        raise SettingsError(f'{path}: an agent is {_shown(given)}; expected a text, or a table with `use = "NAME"`')
    for key, value in given.items():
        if not isinstance(value, str | int | float):
            raise SettingsError(
                f"{path}: {key} of an agent is {_shown(value)}; expected a text, a number, true or false"
            )
    settings = {key: _toml_text(value) for key, value in given.items() if key != "use"}
    return format_spec(Spec(str(given["use"]), settings))


def _shown(value: object) -> str:
    """A value as the file has it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return "a table" if isinstance(value, Mapping) else _toml(value) if isinstance(value, _PLAIN) else str(value)


_PLAIN = str | bool | int | float


def _toml_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def run_config_text(settings: RunSettings) -> str:
    """A file of the settings that differ from their defaults, which `read_run_config` reads as the same.

    Raises:
        SettingsError: a setting is an object, which no file can hold.
    """
    lines = [f"suite = {_toml(settings.suite)}"]
    for each, said in settings_of(RunSettings):
        value = getattr(settings, each.name)
        if value == each.default or value is None or (said.many and not value):
            continue
        lines.append(f"{each.name} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    raise SettingsError(f"{value!r} is an object, which a study file cannot hold; expected texts and numbers")
