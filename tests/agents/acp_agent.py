"""An agent that speaks ACP, written with the protocol's own library: it asks its model through OpenAI's completions.

It runs commands itself, with leave, and writes files through its client. It is started inside a sandbox, in an
environment of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from typing import Any

import acp
from acp import schema

TOOLS = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}}
    for name in ("bash", "write")
]


def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's next message."""
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": sys.argv[1], "messages": messages, "tools": TOOLS}).encode(),
        {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as reply:
        message: dict[str, Any] = json.load(reply)["choices"][0]["message"]
    return message


class Agent:
    """One session, one prompt."""

    client: Any

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        return schema.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        os.chdir(cwd)
        return schema.NewSessionResponse(session_id="the-session")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> schema.PromptResponse:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt[0].text}]
        while True:
            reply = await asyncio.to_thread(ask, messages)
            messages.append(reply)
            await self.client.session_update(session_id, acp.update_agent_message_text(reply["content"] or ""))
            if not reply.get("tool_calls"):
                return schema.PromptResponse(stop_reason="end_turn")
            for call in reply["tool_calls"]:
                messages.append(await self.call(session_id, call))

    async def call(self, session: str, call: dict[str, Any]) -> dict[str, Any]:
        """Does what the model asks for; gives the message that tells it so."""
        key, name = call["id"], call["function"]["name"]
        given = json.loads(call["function"]["arguments"])
        await self.client.session_update(session, acp.start_tool_call(key, name, kind="execute", raw_input=given))
        if name == "write":
            await self.client.write_text_file(session_id=session, path=given["path"], content=given["content"])
            back = await self.client.read_text_file(session_id=session, path=given["path"], line=1, limit=1)
            code, text = None, f"written; it begins with {back.content!r}"
        else:
            option = schema.PermissionOption(option_id="yes", name="Yes", kind="allow_once")
            asked = schema.ToolCallUpdate(tool_call_id=key)
            leave = await self.client.request_permission(session_id=session, tool_call=asked, options=[option])
            assert leave.outcome.option_id == "yes"
            done = await asyncio.to_thread(subprocess.run, given["command"], shell=True, capture_output=True, text=True)
            code, text = done.returncode, done.stdout + done.stderr
        output = {"exit_code": code} if code is not None else None
        content = [acp.tool_content(acp.text_block(text))]
        update = acp.update_tool_call(key, status="completed", content=content, raw_output=output)
        await self.client.session_update(session, update)
        return {"role": "tool", "tool_call_id": key, "content": text}


agent: Any = Agent()
asyncio.run(acp.run_agent(agent))
