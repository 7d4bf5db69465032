"""Models from what a person types.

- `http://localhost:8000/v1#qwen3-coder`: a server that speaks OpenAI's chat completions, and the model's name there.
- `openai:gpt-5`, `openai-chat:gpt-5`, `anthropic:claude-opus-4-5`, `google:gemini-2.5-pro`: a vendor's service (extra
  `honestly[models]`), with prices from the table.
- `script:FILE`: a script, one turn a line, played anew for each conversation.
- `my_module:MyModel,key=value`: a class of one's own.

Keys come from the environment and from nowhere else, so that none stands in a history, a study or a file of settings. A
server at an address of its own gets `HONESTLY_MODEL_KEY`, never a vendor's key.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from honestly.errors import ModelError
from honestly.models._api import Model
from honestly.models._prices import PricedModel, Prices, default_prices
from honestly.models._rate import RateLimit, RateModel
from honestly.models._retry import RetryModel
from honestly.models._scripted import ScriptedModel, read_script
from honestly.models.chat._client import MODEL_KEY, ChatModel, ChatOptions
from honestly.models.chat._http import printable_line
from honestly.models.vendors._model import VENDORS, VendorModel, vendor_key
from honestly.seams import KnownName, Seam, Spec, did_you_mean, is_async

_VENDOR = "honestly.models.vendors._model:VendorModel"
_CHAT = "honestly.models.chat._client:ChatModel"

MODELS = Seam(
    kind="model",
    group="honestly.models",
    protocol="honestly.models.Model",
    error=ModelError,
    known=(
        KnownName("http", _CHAT, "a server that speaks OpenAI's chat completions", "//HOST:PORT/v1#NAME"),
        KnownName("https", _CHAT, "the same, encrypted", "//HOST/v1#NAME"),
        *(KnownName(name, _VENDOR, f"{vendor.api} (extra `models`)", "NAME") for name, vendor in VENDORS.items()),
        KnownName("script", "honestly.models._scripted:ScriptedModel", "plays a script, one turn a line", "FILE"),
    ),
)
"""The names that `--model` takes."""

_NO_OPTIONS = ChatOptions()


def make_model(
    spec: str,
    *,
    options: ChatOptions = _NO_OPTIONS,
    prices: Prices | None = None,
    environ: Mapping[str, str] | None = None,
) -> Model:
    """Make the model that `spec` describes; nothing is sent yet.

    Args:
        spec: What a person typed.
        options: How a chat server is spoken to; other kinds of models do not need it.
        prices: What answers cost; vendors' models default to our table, others to unknown.
        environ: Where keys are looked up; the process's environment if None.

    Raises:
        ModelError: It describes none, or the key, the file or the extra that it needs is missing.
    """
    environ = os.environ if environ is None else environ
    names = [each.name for each in MODELS.known]
    if ":" not in spec and spec not in names:
        raise ModelError(
            f"{printable_line(spec, 200)!r} does not say whose model; expected VENDOR:MODEL, as openai:gpt-5, or an "
            f"address; vendors: {', '.join(names)}"
        )
    vendor = spec.partition(":")[0]
    # A module of one's own may have nearly a vendor's name.
    own = Path(f"{vendor}.py").is_file()
    if vendor not in names and not own and (near := did_you_mean(vendor, names)):
        raise ModelError(f"there is no vendor {printable_line(vendor, 100)!r}{near}; there are: {', '.join(names)}")
    asked = MODELS.parse(spec)
    model: Model
    if MODELS.is_foreign(asked):
        model = _own_model(asked)
    elif not asked.text:
        known = next(known for known in MODELS.known if known.name == asked.name)
        raise ModelError(f"{spec!r} does not say which model; expected {known.name}:{known.text}")
    elif asked.name in {"http", "https"}:
        url, _, chat_model = spec.partition("#")
        if not url.partition("://")[2]:
            raise ModelError(f"{printable_line(spec, 200)!r} names no server; expected http://HOST:PORT/v1#NAME")
        if not chat_model:
            raise ModelError(
                f"{printable_line(spec, 200)!r} does not say which model; add its name: {printable_line(url, 200)}#NAME"
            )
        model = ChatModel(url, chat_model, key=environ.get(MODEL_KEY, ""), options=options)
    elif asked.name == "script":
        model = ScriptedModel(read_script(Path(asked.text)), name=spec, by_turn=True)
    else:
        model = _vendor(asked.name, asked.text, environ)
        prices = default_prices() if prices is None else prices
    return model if prices is None else PricedModel(model, prices)


class ModelSource:
    """The models of a run, by their spec, with retries and rate limits."""

    def __init__(self, prices: Prices | None = None, rate: RateLimit | None = None) -> None:
        """Prices as in `make_model`; who asks for one model twice shares its limit."""
        self._prices, self._rate = prices, rate
        self._limited: dict[str, RateModel] = {}

    def __call__(self, given: str | Model) -> Model:
        """The model that a text describes, or that it is.

        Raises:
            ModelError: as `make_model`.
        """
        model = make_model(given, prices=self._prices) if isinstance(given, str) else given
        if self._rate is not None:
            key = given if isinstance(given, str) else str(id(given))
            model = self._limited.setdefault(key, RateModel(model, self._rate))
        return RetryModel(model) if isinstance(given, str) else model


def _own_model(asked: Spec) -> Model:
    try:
        model: Model = MODELS.make_object(asked)
    except ModelError as error:
        if "there is no module" not in str(error):
            raise
        vendors = ", ".join(each.name for each in MODELS.known)
        expected = "expected a vendor's model or MODULE:OBJECT of your own"
        raise ModelError(f"{error}; {expected}; vendors: {vendors}") from error
    if not isinstance(getattr(model, "name", None), str) or not is_async(model):
        raise ModelError(f"model {asked.name!r} is of type {type(model).__name__}; expected a name and async __call__")
    return model


def _vendor(kind: str, name: str, environ: Mapping[str, str]) -> VendorModel:
    vendor = VENDORS[kind]
    if not (key := vendor_key(kind, environ)):
        raise ModelError(
            f"{kind}:{printable_line(name, 100)} needs a key; set {' or '.join(vendor.key)} in the environment"
        )
    return VendorModel(kind, name, key=key, url=environ.get(vendor.url_variable, ""))
