"""Tools: the interface that every tool implements, and the built-in tools.

`default_tools` makes them by name. A tool of one's own is a function with `@tool`; what an MCP server offers comes from
`mcp_program` and `mcp_server`. They are described in docs/tools.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.tools._api import Arguments, FunctionTool, Tool, ToolResult, tool
    from honestly.tools._api_file import read_api
    from honestly.tools._ask import Ask
    from honestly.tools._bash import Bash
    from honestly.tools._browser import BROWSER_LIMITS, BROWSER_PACKAGES, BrowserTool, browser_packages
    from honestly.tools._default import TOOL_NAMES, TOOLS, Surroundings, default_tools, source_of
    from honestly.tools._edit import EditTool
    from honestly.tools._http import Api, Http
    from honestly.tools._hybrid import HYBRID, INTERFACES, ApiDocumentation, Prompt
    from honestly.tools._mcp import McpTool, mcp_program, mcp_server
    from honestly.tools._python import KERNEL_PACKAGES, PythonTool
    from honestly.tools._search import Engine, Search, SearchResult, brave_engine, searxng_engine, tavily_engine
    from honestly.tools._search_files import file_engine

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
    "FunctionTool",
    "Http",
    "McpTool",
    "Prompt",
    "PythonTool",
    "Search",
    "SearchResult",
    "Surroundings",
    "Tool",
    "ToolResult",
    "brave_engine",
    "browser_packages",
    "default_tools",
    "file_engine",
    "mcp_program",
    "mcp_server",
    "read_api",
    "searxng_engine",
    "source_of",
    "tavily_engine",
    "tool",
]

__getattr__, __dir__ = lazy_exports(__name__)
