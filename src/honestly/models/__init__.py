"""Models: the interface that every model implements, and wrappers around models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.models._api import NO_SETTINGS, Call, Image, Message, Model, Sent, Settings, ToolSpec
    from honestly.models._budget import Account, BudgetModel
    from honestly.models._cache import CacheModel
    from honestly.models._cassette import Answer, Cassette, CassetteWriter, read_cassette
    from honestly.models._embed import EmbeddingModel
    from honestly.models._faults import MISBEHAVIOURS, Fault, MisbehavingModel, faulty_turn
    from honestly.models._log import LoggedModel, log_file
    from honestly.models._make import MODELS, ModelSource, make_model
    from honestly.models._prices import Price, PricedModel, Prices, default_prices, read_price, read_prices
    from honestly.models._rate import RateLimit, RateModel, read_rate
    from honestly.models._ready import trouble_with
    from honestly.models._record import RecordingModel, ReplayModel
    from honestly.models._retry import Backoff, RetryModel
    from honestly.models._scripted import ScriptedModel, Turn, assistant_message, read_script, tool_call
    from honestly.models._secrets import Redaction
    from honestly.models._server import ScriptedServer, scripted_server
    from honestly.models.chat._client import ChatModel, ChatOptions
    from honestly.models.proxy._notes import ProxyTurn, proxy_turn
    from honestly.models.proxy._proxy import Proxy
    from honestly.models.proxy._question import ProxyLimits
    from honestly.models.proxy._record import Exchange, ProxyReply, ProxyRequest, read_exchanges
    from honestly.models.proxy._replay import Recorded
    from honestly.models.proxy._upstream import Upstream
    from honestly.models.vendors._model import VENDORS, VendorModel
    from honestly.work import Budget

__all__ = [
    "MISBEHAVIOURS",
    "MODELS",
    "NO_SETTINGS",
    "VENDORS",
    "Account",
    "Answer",
    "Backoff",
    "Budget",
    "BudgetModel",
    "CacheModel",
    "Call",
    "Cassette",
    "CassetteWriter",
    "ChatModel",
    "ChatOptions",
    "EmbeddingModel",
    "Exchange",
    "Fault",
    "Image",
    "LoggedModel",
    "Message",
    "MisbehavingModel",
    "Model",
    "ModelSource",
    "Price",
    "PricedModel",
    "Prices",
    "Proxy",
    "ProxyLimits",
    "ProxyReply",
    "ProxyRequest",
    "ProxyTurn",
    "RateLimit",
    "RateModel",
    "Recorded",
    "RecordingModel",
    "Redaction",
    "ReplayModel",
    "RetryModel",
    "ScriptedModel",
    "ScriptedServer",
    "Sent",
    "Settings",
    "ToolSpec",
    "Turn",
    "Upstream",
    "VendorModel",
    "assistant_message",
    "default_prices",
    "faulty_turn",
    "log_file",
    "make_model",
    "proxy_turn",
    "read_cassette",
    "read_exchanges",
    "read_price",
    "read_prices",
    "read_rate",
    "read_script",
    "scripted_server",
    "tool_call",
    "trouble_with",
]

__getattr__, __dir__ = lazy_exports(__name__)
