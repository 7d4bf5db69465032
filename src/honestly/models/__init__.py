"""Models: the interface that every model implements, and wrappers around models."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.models._api import (
        NO_SETTINGS as NO_SETTINGS,
        Call as Call,
        Image as Image,
        Message as Message,
        Model as Model,
        Sent as Sent,
        Settings as Settings,
        ToolSpec as ToolSpec,
    )
    from honestly.models._budget import Account as Account, BudgetModel as BudgetModel
    from honestly.models._cache import CacheModel as CacheModel
    from honestly.models._cassette import (
        Answer as Answer,
        Cassette as Cassette,
        CassetteWriter as CassetteWriter,
        read_cassette as read_cassette,
    )
    from honestly.models._embed import EmbeddingModel as EmbeddingModel
    from honestly.models._faults import MISBEHAVIOURS as MISBEHAVIOURS, Fault as Fault, faulty_turn as faulty_turn
    from honestly.models._log import LoggedModel as LoggedModel, log_file as log_file
    from honestly.models._make import MODELS as MODELS, ModelSource as ModelSource, make_model as make_model
    from honestly.models._prices import (
        Price as Price,
        PricedModel as PricedModel,
        Prices as Prices,
        default_prices as default_prices,
        read_price as read_price,
        read_prices as read_prices,
    )
    from honestly.models._rate import RateLimit as RateLimit, RateModel as RateModel, read_rate as read_rate
    from honestly.models._ready import trouble_with as trouble_with
    from honestly.models._record import RecordingModel as RecordingModel, ReplayModel as ReplayModel
    from honestly.models._retry import Backoff as Backoff, RetryModel as RetryModel
    from honestly.models._scripted import (
        ScriptedModel as ScriptedModel,
        Turn as Turn,
        assistant_message as assistant_message,
        read_script as read_script,
        tool_call as tool_call,
    )
    from honestly.models._secrets import Redaction as Redaction
    from honestly.models._server import ScriptedServer as ScriptedServer, scripted_server as scripted_server
    from honestly.models.chat._client import ChatModel as ChatModel, ChatOptions as ChatOptions
    from honestly.models.proxy._notes import ProxyTurn as ProxyTurn, proxy_turn as proxy_turn
    from honestly.models.proxy._proxy import Proxy as Proxy
    from honestly.models.proxy._question import ProxyLimits as ProxyLimits
    from honestly.models.proxy._record import (
        Exchange as Exchange,
        ProxyReply as ProxyReply,
        ProxyRequest as ProxyRequest,
        read_exchanges as read_exchanges,
    )
    from honestly.models.proxy._replay import Recorded as Recorded
    from honestly.models.proxy._upstream import Upstream as Upstream
    from honestly.models.vendors._model import VENDORS as VENDORS, VendorModel as VendorModel
    from honestly.work import Budget as Budget


__getattr__, __dir__ = lazy_exports(__name__)
