"""What an agent may touch: the seam that every tool fits, and the tools that come with it.

`default_tools` makes them by name. A tool of one's own is a function with `@tool`; what an MCP server offers comes from
`mcp_program` and `mcp_server`. They are described in docs/tools.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.tools._api import Arguments, FunctionTool, Out, Tool, tool
    from honestly.tools._api_file import read_api
    from honestly.tools._ask import Ask, User
    from honestly.tools._bash import Bash
    from honestly.tools._browser import BROWSER_LIMITS, BROWSER_PACKAGES, BrowserTool
    from honestly.tools._default import TOOL_NAMES, TOOLS, Surroundings, default_tools, source_of
    from honestly.tools._edit import EditTool
    from honestly.tools._http import Api, Http
    from honestly.tools._hybrid import HYBRID, INTERFACES, ApiDocumentation, Prompt
    from honestly.tools._mcp import McpTool, mcp_program, mcp_server
    from honestly.tools._python import KERNEL_PACKAGES, PythonTool
    from honestly.tools._search import Engine, Found, Search, brave, searxng, tavily
    from honestly.tools._search_files import files

__all__ = [
    "BROWSER_LIMITS",
    "BROWSER_PACKAGES",
    "HYBRID",
    "INTERFACES",
    "KERNEL_PACKAGES",
    "TOOLS",
    "TOOL_NAMES",
    "Api",
    "ApiDocumentation",
    "Arguments",
    "Ask",
    "Bash",
    "BrowserTool",
    "EditTool",
    "Engine",
    "Found",
    "FunctionTool",
    "Http",
    "McpTool",
    "Out",
    "Prompt",
    "PythonTool",
    "Search",
    "Surroundings",
    "Tool",
    "User",
    "brave",
    "default_tools",
    "files",
    "mcp_program",
    "mcp_server",
    "read_api",
    "searxng",
    "source_of",
    "tavily",
    "tool",
]

__getattr__, __dir__ = late(__name__)
