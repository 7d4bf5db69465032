"""Models of OpenAI, Anthropic and Google, through `pydantic_ai.direct` (extra `honestly[models]`; never its agents).

`openai` speaks the responses API, which keeps a model's reasoning from turn to turn but takes neither seed nor stop
words; `openai-chat` speaks chat completions, which takes both. What of the settings really went out is read from the
request itself and reported with each answer (`Message.sent`), since clients drop silently what their vendor does not
know: a seed for Anthropic, for one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import anyio

from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Message, Settings, ToolSpec
from honestly.models._secrets import Redaction
from honestly.models._sent import read_sent
from honestly.models.chat._http import TRANSIENT, printable_line, retry_after, tls_context

if TYPE_CHECKING:
    from pydantic_ai.exceptions import AgentRunError
    from pydantic_ai.settings import ModelSettings

_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")
_OPENAI = (("OPENAI_API_KEY",), "https://api.openai.com/v1", "OPENAI_BASE_URL")


@dataclass(frozen=True, slots=True)
class Vendor:
    """Where a vendor's service is, and which variables say otherwise."""

    api: str
    """What is spoken with it."""
    key: tuple[str, ...]
    """Variables with the key; the first that is set counts."""
    url: str
    url_variable: str


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor("OpenAI's responses API", *_OPENAI),
    "openai-chat": Vendor("OpenAI's chat completions", *_OPENAI),
    "anthropic": Vendor(
        "Anthropic's messages API", ("ANTHROPIC_API_KEY",), "https://api.anthropic.com", "ANTHROPIC_BASE_URL"
    ),
    "google": Vendor(
        "Google's Gemini API",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://generativelanguage.googleapis.com",
        "GOOGLE_GEMINI_BASE_URL",
    ),
}
"""The known vendors, by the name before the colon."""


class VendorModel:
    """A model at a vendor's service: OpenAI, Anthropic or Google."""

    def __init__(self, kind: str, model: str, *, key: str, url: str = "", max_bytes: int = 64 << 20) -> None:
        """A client; nothing is sent yet.

        Args:
            kind: One of `VENDORS`.
            model: Its name at the vendor.
            key: Sent to the vendor; it appears nowhere else.
            url: Of the service, where it is not the vendor's own.
            max_bytes: Of one reply; one that is longer is an error.

        Raises:
            ModelError: The vendor is unknown, the key is missing or malformed, or the extra is not installed.
        """
        if kind not in VENDORS:
            raise ModelError(f"{kind!r} is not a vendor that is known; there are: {', '.join(VENDORS)}")
        if not key or not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelError(
                f"the key for {kind} is missing, or contains characters that no key has; check {VENDORS[kind].key[0]}"
            )
        # They are looked for, not imported, which takes seconds.
        missing = [name for name in ("pydantic_ai", "openai", "anthropic", "google.genai") if not _is_there(name)]
        if missing:
            raise ModelError(f"{', '.join(missing)} is not installed; pip install 'honestly[models]'")
        self.name = f"{kind}:{model}"
        self._kind, self._model, self._key, self._most = kind, model, key, max_bytes
        self._url = url or VENDORS[kind].url

    def __repr__(self) -> str:
        return f"VendorModel({self.name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled_model, (self._kind, self._model, self._url, self._most)

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message.

        Raises:
            ModelError: The vendor did not answer, or not so that it can be read.
        """
        from pydantic_ai.exceptions import AgentRunError, UserError

        from honestly.models.vendors._ask import Tap, ask_vendor, from_response, to_history, to_parameters

        tap = Tap(self._most, tls_context(self._url))
        vendor = (self._kind, self._url, self._key, self._model)
        wanted = self._model_settings(settings)
        try:
            with anyio.fail_after(settings.timeout_s):
                response = await ask_vendor(
                    vendor, to_history(messages), to_parameters(tools, settings.schema), wanted, tap
                )
        except TimeoutError:
            text = f"{self.name} did not answer within {settings.timeout_s:g} s; ask again, or allow more (timeout_s)"
            raise ModelError(text, transient=True) from None
        except AgentRunError as error:
            raise self._model_error(error) from None
        except Exception as error:  # noqa: BLE001 - over a malformed reply, vendors' clients raise anything
            what = "answered what its client cannot read" if tap.body else "cannot be asked this"
            kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
            raise ModelError(self._clean(f"{self.name} {what}: {kind}{error}")) from None
        return from_response(response, read_sent(tap.body, settings, self._model))

    def _model_settings(self, settings: Settings) -> ModelSettings:
        if settings.effort is not None and settings.effort not in _EFFORTS:
            raise ModelError(f"an effort of {settings.effort!r}; {self.name} takes {', '.join(_EFFORTS)}")
        named: dict[str, Any] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
            "stop_sequences": list(settings.stop) or None,
            "thinking": settings.effort,
            "openai_logprobs": settings.logprobs or settings.top_logprobs is not None or None,
            "openai_top_logprobs": settings.top_logprobs,
            "google_logprobs": settings.logprobs or settings.top_logprobs is not None or None,
            "google_top_logprobs": settings.top_logprobs,
            "cache": True,  # a conversation that grows is read again with every turn; it costs a tenth from the cache
        }
        given: Any = {name: value for name, value in named.items() if value is not None}
        found: ModelSettings = given
        return found

    def _model_error(self, error: AgentRunError) -> ModelError:
        from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError

        text = self._clean(f"{self.name}: {error}")
        if isinstance(error, ModelHTTPError):
            wait = retry_after(error.headers or {})
            status = error.status_code
            return ModelError(text, transient=status in TRANSIENT, status=status, retry_after_s=wait)
        return ModelError(text, transient=isinstance(error, ModelConnectionError))

    def _clean(self, text: str) -> str:
        return printable_line(Redaction([self._key], "[key]").clean_text(text))


def vendor_key(kind: str, environ: Mapping[str, str]) -> str:
    """The key for a vendor that an environment holds; empty where it holds none."""
    return next((found for variable in VENDORS[kind].key if (found := environ.get(variable))), "")


def _unpickled_model(kind: str, model: str, url: str, most: int) -> VendorModel:
    """A client that was pickled, which leaves out its key: it takes that of the environment in which it is opened."""
    return VendorModel(kind, model, key=vendor_key(kind, os.environ), url=url, max_bytes=most)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of what stands before the dot
        return False
