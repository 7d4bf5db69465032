"""A seam: what may be named at one place, and how a name becomes an object.

Three kinds of names are known, in this order: built-in ones, entry points of installed packages, and `module:object`.
Nothing is loaded before it is named, and a built-in name cannot be taken by a package. A module of one's own is looked
for where Python looks, and after that in the current directory, so that nothing there stands in for an installed
package. Its code then runs here, outside of any sandbox, as whatever a person starts.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from honestly.errors import HonestlyError
from honestly.seams._source import own_hash
from honestly.seams._spec import Readers, Spec, did_you_mean, parse_spec, read_settings

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, slots=True)
class KnownName:
    """A built-in name."""

    name: str
    home: str
    """Where it is defined, as `module:object`."""
    doc: str
    """What it is, in a line, for tables."""
    text: str = ""
    """What stands after the colon, if that is a text and no settings: `COMMAND LINE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seam:
    """One extension point."""

    kind: str
    """What it is called in messages: `agent`."""
    group: str
    """The group of entry points in which packages offer it."""
    protocol: str
    """What an object must be, by its public name."""
    error: type[HonestlyError]
    """What is raised where a name makes no sense."""
    known: tuple[KnownName, ...]

    def offered_names(self) -> dict[str, EntryPoint]:
        """The entry points of installed packages, by name."""
        from importlib.metadata import entry_points  # takes 20 ms to load

        return {point.name: point for point in entry_points(group=self.group)}

    def each_name(self) -> Iterator[str]:
        """The names that are known now: built-in ones, then those of installed packages, which takes a search."""
        built_in = [known.name for known in self.known]
        yield from built_in
        yield from sorted(set(self.offered_names()) - set(built_in))

    def known_names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.each_name())

    def parse(self, text: str) -> Spec:
        """The name and settings in `text`; nothing of it is loaded.

        Raises:
            HonestlyError: The error of this seam: it names nothing that is known.
        """
        built_in = [known.name for known in self.known]
        texts = [known.name for known in self.known if known.text]
        with self.as_own_errors():
            spec = parse_spec(text, built_in, texts)
            if spec is None or spec.is_own:  # only now: packages are searched for on the disk
                spec = parse_spec(text, self.known_names(), texts)
        if spec is None:
            raise self.unknown_error(text.partition(":")[0])
        return spec

    def unknown_error(self, name: str, trouble: str = "") -> HonestlyError:
        """The error that says that there is nothing of this name, what there is, and what to do."""
        names = self.known_names()
        before = f"{trouble}, and " if trouble else ""
        return self.error(
            f"{before}there is no {self.kind} {name!r}{did_you_mean(name, names)}; there are: {', '.join(names)}; "
            "or MODULE:OBJECT for one of your own (docs/extending.md)"
        )

    def object_place(self, spec: Spec) -> str:
        """Where what a spec names is defined, as `module:object`."""
        if spec.is_own:
            return spec.name
        home = next((known.home for known in self.known if known.name == spec.name), None)
        return home if home is not None else self.offered_names()[spec.name].value.replace(" ", "").partition("[")[0]

    def is_foreign(self, spec: Spec) -> bool:
        """Whether somebody else wrote what a spec names."""
        return all(known.name != spec.name for known in self.known)

    def load(self, spec: Spec) -> object:
        """The object that a spec names, as it stands in its module.

        Raises:
            HonestlyError: The error of this seam: it is not there, or cannot be imported.
        """
        try:
            return imported_object(self.object_place(spec))
        except HonestlyError as error:
            name = spec.name.partition(":")[0]
            if spec.is_own and did_you_mean(name, self.known_names()):
                raise self.unknown_error(name, str(error)) from error
            raise self.error(f"{self.kind} {spec.name!r}: {error}") from error

    def make_object(
        self,
        spec: Spec | str,
        given: Mapping[str, object] | None = None,
        readers: Readers | None = None,
        *,
        factory: bool = False,
    ) -> Any:  # noqa: ANN401 - what it is, the seam says
        """The object that a spec names, with its settings: what a class gives that is called with them.

        A function is the thing itself, and gets its settings as keyword arguments when it is called.

        Args:
            spec: What was typed, or the same taken apart.
            given: What it may ask for by the name of an argument.
            readers: How types of settings are read that msgspec does not know.
            factory: Whether a function makes the thing, as a class does.

        Raises:
            HonestlyError: The error of this seam.
        """
        spec = self.parse(spec) if isinstance(spec, str) else spec
        found = self.load(spec)
        call = factory or inspect.isclass(found)
        with self.as_own_errors():
            return bound_object(
                found, spec.settings, f"{self.kind} {spec.name!r}", call=call, given=given, readers=readers
            )

    @contextmanager
    def as_own_errors(self) -> Iterator[None]:
        """Makes errors of the grammar and of settings errors of this seam."""
        try:
            yield
        except HonestlyError as error:
            raise self.error(str(error)) from error

    def source(self, spec: Spec) -> str:
        """The hash of the source of somebody else's object, as `_source` says; empty for a built-in one."""
        return own_hash(self.object_place(spec), self.load(spec)) if self.is_foreign(spec) else ""

    def table(self) -> str:
        """The built-in names as a table for the docs, in Markdown."""
        rows = [f"| `{known.name}{':' * bool(known.text)}{known.text}` | {known.doc} |" for known in self.known]
        return "\n".join((f"| {self.kind} | what it is |", "|---|---|", *rows))


def imported_object(place: str) -> object:
    """The object at `module:object`.

    Raises:
        HonestlyError: There is no such module, it cannot be imported, or it holds no such object.
    """
    module, _, path = place.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        found: object = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module + ".").startswith(error.name + "."):
            raise HonestlyError(
                f"there is no module {error.name!r} on Python's path or in {here}; install it, or change to its folder"
            ) from error
        raise HonestlyError(f"{module} cannot be imported: {error}; install what it needs") from error
    except Exception as error:  # whatever somebody's module raises is theirs to read
        raise HonestlyError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise HonestlyError(f"{module} has no {path!r}{did_you_mean(name, vars(found))}")
        found = getattr(found, name)
    return found


def bound_object(
    found: object,
    settings: Mapping[str, str],
    who: str,
    *,
    call: bool,
    given: Mapping[str, object] | None = None,
    readers: Readers | None = None,
) -> Any:  # noqa: ANN401 - whatever it is
    """The object with its settings: what a call with them gives, or a function to which they are bound.

    Args:
        found: A class, a function, or an object that is ready, which has no settings.
        settings: As they were typed. A class takes them as arguments, a function as arguments that are keyword-only.
        who: What to call it in messages.
        call: Whether it is to be called now; a function that is not called keeps its other arguments.
        given: What else it may ask for by the name of an argument.
        readers: How types are read that msgspec does not know.

    Raises:
        HonestlyError: A setting is unknown, missing, or makes no sense; or it raises an error when it is called.
    """
    if not (inspect.isclass(found) or inspect.isroutine(found)):
        if settings:
            raise HonestlyError(f"{who} is an object that is ready, and takes no settings; name its class instead")
        return found
    offered = given or {}
    try:
        types, needed = _parameters(found, call=call)
    except NameError as error:
        raise HonestlyError(
            f"{who} has an annotation that cannot be read: {error}; import it outside of TYPE_CHECKING, too"
        ) from error
    asked = {key: value for key, value in offered.items() if key in types}
    open_types = {key.replace("_", "-"): kind for key, kind in types.items() if key not in offered}
    values = read_settings({key.replace("_", "-"): text for key, text in settings.items()}, open_types, who, readers)
    arguments = asked | {key.replace("-", "_"): value for key, value in values.items()}
    if missing := [name for name in needed if name not in arguments]:
        raise HonestlyError(f"{who} needs the setting {missing[0].replace('_', '-')!r}; give it as key=value")
    if not call:
        return partial(found, **arguments) if arguments else found
    try:
        return found(**arguments)
    except (TypeError, ValueError) as error:
        raise HonestlyError(f"{who} cannot be made: {error}") from error


def asks_for(found: object, name: str) -> bool:
    """Whether a class or a function has an argument of this name."""
    return callable(found) and name in inspect.signature(found).parameters


def is_async(found: object) -> bool:
    """Whether calling an object returns an awaitable."""
    return inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(type(found).__call__)


def _parameters(found: Callable[..., Any], *, call: bool) -> tuple[dict[str, Any], list[str]]:
    """The types of the arguments that may be set, and which of them must be."""
    is_record = hasattr(found, "__struct_fields__") or hasattr(found, "__dataclass_fields__")
    described = found if is_record or not inspect.isclass(found) else found.__init__
    usable = (inspect.Parameter.KEYWORD_ONLY, *((inspect.Parameter.POSITIONAL_OR_KEYWORD,) if call else ()))
    listed = [each for each in inspect.signature(found).parameters.values() if each.kind in usable]
    hints = get_type_hints(described, include_extras=True) if listed else {}
    return {each.name: hints.get(each.name, str) for each in listed}, [
        each.name for each in listed if each.default is each.empty
    ]
