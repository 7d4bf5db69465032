"""Tools: the interface that every tool implements, and the built-in tools.

`default_tools` makes them by name. A tool of one's own is a function with `@tool`; what an MCP server offers comes from
`mcp_program` and `mcp_server`. They are described in docs/tools.md.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.tools._api import (
        Arguments as Arguments,
        FunctionTool as FunctionTool,
        Tool as Tool,
        ToolResult as ToolResult,
        tool as tool,
    )
    from honestly.tools._api_file import read_api as read_api
    from honestly.tools._ask import Ask as Ask
    from honestly.tools._bash import Bash as Bash
    from honestly.tools._browser import (
        BROWSER_LIMITS as BROWSER_LIMITS,
        BROWSER_PACKAGES as BROWSER_PACKAGES,
        BrowserTool as BrowserTool,
        browser_packages as browser_packages,
    )
    from honestly.tools._default import (
        TOOLS as TOOLS,
        Surroundings as Surroundings,
        default_tools as default_tools,
        source_of as source_of,
    )
    from honestly.tools._edit import EditTool as EditTool
    from honestly.tools._http import Api as Api, Http as Http
    from honestly.tools._hybrid import (
        HYBRID as HYBRID,
        INTERFACES as INTERFACES,
        ApiDocumentation as ApiDocumentation,
        Prompt as Prompt,
    )
    from honestly.tools._mcp import McpTool as McpTool, mcp_program as mcp_program, mcp_server as mcp_server
    from honestly.tools._python import KERNEL_PACKAGES as KERNEL_PACKAGES, PythonTool as PythonTool
    from honestly.tools._search import (
        Engine as Engine,
        Search as Search,
        SearchResult as SearchResult,
        brave_engine as brave_engine,
        searxng_engine as searxng_engine,
        tavily_engine as tavily_engine,
    )
    from honestly.tools._search_files import file_engine as file_engine


__getattr__, __dir__ = lazy_exports(__name__)
