"""OpenHands' command line, without a person: `openhands --headless`."""

from honestly.agents.external._driver import Driver, Launch, Start
from honestly.agents.external.transcripts._openhands import KEPT, read

_FLAGS = ("--headless", "--json", "--override-with-envs", "-t")


def _launch(start: Start) -> Launch:
    env = {
        "LLM_BASE_URL": f"{start.url}/v1",
        "LLM_API_KEY": start.token,
        "LLM_MODEL": f"openai/{start.model}",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENHANDS_SUPPRESS_BANNER": "1",
        "NO_COLOR": "1",
    }
    return Launch(argv=(*start.program, *_FLAGS, start.instruction), env=env)


OPENHANDS = Driver(
    name="openhands", program="openhands", distribution="openhands", launch=_launch, read=read, kept=KEPT
)
