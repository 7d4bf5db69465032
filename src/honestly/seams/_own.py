"""Objects of somebody's own modules: found, known by the hash of their source, and bound to their settings.

A module is looked for where Python looks, and after that in the current directory, so that nothing there stands in for
an installed package. It is imported only when somebody names it. Its code then runs here, outside of any sandbox, as
whatever a person starts.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from honestly.errors import HonestlyError
from honestly.seams._spec import Readers, did_you_mean, read_settings


def imported(place: str) -> object:
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
            raise HonestlyError(f"there is no module {error.name!r} on Python's path or in {here}") from error
        raise HonestlyError(f"{module} cannot be imported: {error}; install what it needs") from error
    except Exception as error:  # whatever somebody's module raises is theirs to read
        raise HonestlyError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise HonestlyError(f"{module} has no {path!r}{did_you_mean(name, vars(found))}")
        found = getattr(found, name)
    return found


def own_hash(place: str, found: object) -> str:
    """The hash of the source in which an object stands, and of the module that names it; empty if there is no source.

    What these modules import in turn is not in it.
    """
    modules = {place.partition(":")[0], str(getattr(found, "__module__", ""))}
    files = [getattr(sys.modules.get(name), "__file__", None) for name in sorted(modules)]
    state = blake2b(digest_size=8)
    for file in filter(None, files):
        state.update(Path(file).read_bytes() if Path(file).is_file() else b"")
    return state.hexdigest() if any(files) else ""


def bound(
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
    types, needed = _parameters(found, call=call)
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
    """Whether calling an object gives something to await."""
    return inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(type(found).__call__)


def _parameters(found: Callable[..., Any], *, call: bool) -> tuple[dict[str, Any], list[str]]:
    """The types of the arguments that may be set, and which of them must be."""
    is_record = hasattr(found, "__struct_fields__") or hasattr(found, "__dataclass_fields__")
    described = found if is_record or not inspect.isclass(found) else found.__init__
    hints = get_type_hints(described, include_extras=True)
    usable = (inspect.Parameter.KEYWORD_ONLY, *((inspect.Parameter.POSITIONAL_OR_KEYWORD,) if call else ()))
    listed = [each for each in inspect.signature(found).parameters.values() if each.kind in usable]
    return {each.name: hints.get(each.name, str) for each in listed}, [
        each.name for each in listed if each.default is each.empty
    ]
