"""`honestly study serve-mcp`: studies for an agent of yours to read, by the Model Context Protocol."""

from pathlib import Path

import click

from honestly.command import StudyPlace


@click.command("mcp")
@click.argument("paths", nargs=-1, type=StudyPlace(folder=True), metavar="[PATH]...")
def mcp(paths: tuple[Path, ...]) -> None:
    """Serve the studies at each PATH (default: here) to an MCP client on standard input and output, read-only.

    A PATH is a study, or a folder of studies. An agent can list them, read leaderboards, compare agents, and read
    findings and trials; it can change nothing. See docs/mcp.md.
    """
    from honestly.integrations.mcp_server import server_of

    server_of(paths or (Path(),)).run("stdio")
