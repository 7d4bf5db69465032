"""mini-swe-agent, without a person: `mini -y --exit-immediately`."""

from honestly.agents.external._driver import HOME, Driver, Launch, Start
from honestly.agents.external.transcripts._mini import SAVED, read

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_CONFIGURED": "true",
    "MSWEA_COST_TRACKING": "ignore_errors",
    "MSWEA_GLOBAL_CONFIG_DIR": f"{HOME}/mini",
    "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
    "MSWEA_SILENT_STARTUP": "1",
}


def _launch(start: Start) -> Launch:
    url = f"{start.url}/v1"
    env = {"OPENAI_API_KEY": start.token, "OPENAI_API_BASE": url, "OPENAI_BASE_URL": url, **_SETTINGS}
    flags = ("-y", "--exit-immediately", "-o", f"{HOME}/{SAVED}", "-m", f"openai/{start.model}", "-t")
    return Launch(argv=(*start.program, *flags, start.instruction), env=env)


MINI = Driver(
    name="mini-swe-agent", program="mini", distribution="mini-swe-agent", launch=_launch, read=read, kept=(SAVED,)
)
