"""Any command line as an agent: `cli:my-agent --task {instruction_file}`. It has no record but what it prints."""

from honestly.agents.external._command_line import INSTRUCTION, arguments, variables, words_of
from honestly.agents.external._driver import Driver, Launch, Start
from honestly.agents.external.transcripts._transcript import nothing


def command_driver(line: str) -> Driver:
    """The driver of a command line.

    Raises:
        AgentError: It makes no sense.
    """
    program, *rest = words_of(line, "cli:my-agent --task {instruction_file}")

    def launch(start: Start) -> Launch:
        argv = (*start.program, *arguments(tuple(rest), start))
        return Launch(argv=argv, env=variables(start), files={INSTRUCTION: start.instruction})

    return Driver(name="cli", program=program, launch=launch, read=nothing, asks=False)
