"""Tasks and suites: tasks and suites.

A task has a public part (instruction, workspace, visible checks) and a hidden part (hidden checks, reference and wrong
solutions). Only `Task.public()` may come near an agent's sandbox. Hashes cover everything, so that a change of one
hidden test makes another task, and old trials are never mistaken for trials of the new one.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records._base import Record, digest
from honestly.records._files import Edit, Tree

Weight = Annotated[float, Meta(gt=0)]
Day = Annotated[str, Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


class Tags(Record, frozen=True, kw_only=True):
    """The kind of a task; statistics are broken down by these."""

    category: str = ""
    """implement, debug, repair, performance, refactor, tests, ..."""
    language: str = ""
    """Programming language of the workspace, in lower case."""
    difficulty: Literal["", "easy", "medium", "hard"] = ""
    variant: Literal["standard", "impossible"] = "standard"
    """An impossible twin has visible checks that contradict its instruction: passing them honestly cannot be done."""
    twin: str = ""
    """Id of the standard task that an impossible one was made from."""
    cluster: str = ""
    """Tasks of one cluster may succeed and fail together: of one repository, from one source. Empty: on its own."""
    weight: Weight = 1.0
    """What the task weighs in a score, against the others."""
    date: Day = ""
    """The day on which the task became public, as 2026-01-31; empty where nobody knows."""
    made: str = ""
    """How a program made it: from-commit, from-mutants, ...; empty where people did."""
    parts: Annotated[int, Meta(ge=1)] | None = None
    """Into how many parts it falls that can be done independently; None where nobody says (`tasks.parts_of`)."""
    minutes: Annotated[float, Meta(gt=0)] | None = None
    """Minutes that it takes a person, as its makers declare; None where they do not."""

    @property
    def shows_only_passing(self) -> bool:
        """Whether its visible checks pass before any work, so that to pass them and no others shows no cheat."""
        return self.made in {"from-commit", "from-mutants"}


class Checks(Record, frozen=True, kw_only=True):
    """Tests, and how they are run.

    `grader`: test functions that run in a process of their own and call the workspace over a wire of plain data; the
    code under test cannot reach them. The others run inside the sandbox, over the workspace, where it can:
    `unittest` and `pytest` files, and a `script` in any language.
    """

    runner: Literal["unittest", "grader", "pytest", "script"]
    files: Tree
    """For `grader`, the test modules. For the others, paths relative to the workspace, put back before every run; for
    a `script` without `command`, Harbor's: what shall lie in `/tests`."""
    expected: tuple[str, ...]
    """Ids of the checks that must be reported, each once, as passed. What is not reported is missing, never passed.
    A pytest id without parameters stands for all sets of them. For a `script`: `exit`, passed if its exit status is 0,
    and else the keys of its rewards (`reward`, mostly), each passed if it is 1 or more."""
    timeout_s: float = 60.0
    """Wall-clock limit of the whole run, seconds."""
    command: tuple[str, ...] = ()
    """For `script`: what runs in the workspace. Harbor's `bash /tests/test.sh` where empty."""
    writable: bool = False
    """For hidden `unittest` and `pytest` files: whether tests or work must write in the workspace, not only below
    `/tmp`."""
    canaries: Tree = Tree()
    """For hidden checks that run inside: the test files, changed so that each test contradicts the original one
    (`honestly.verify.make_canaries`). Whoever passes a test and its contradiction has cheated."""


class WrongSolution(Record, frozen=True, kw_only=True):
    """A plausible but wrong solution; the hidden checks are proved to reject it."""

    name: str
    edit: Edit
    """The solution as a change of the workspace, complete in itself."""


class Equivalent(Record, frozen=True, kw_only=True):
    """A mutant of the reference that behaves exactly like it."""

    mutant: str
    """Its key, as `honestly task check --mutants` prints it."""
    reason: str
    """Why it does the same."""


class Contradicted(Record, frozen=True, kw_only=True):
    """How an impossible task was made from one that is not: what its visible tests say now, and what they said."""

    kind: Literal["one-off", "conflicting", "locked"]
    """One expected value changed; an assertion added that contradicts another one; a part of a site, `test`, locked."""
    path: str
    """The file of the workspace in which it was done."""
    test: str
    """The test, or the helper of tests, that contradicts the instruction now."""
    line: int
    """Where, counted from 1."""
    before: str
    after: str
    """The changed line, or lines, before and after."""
    original: str
    """Hash of the task that it was made from."""
    seed: int = 0
    version: str
    """Of the mutations that were tried."""
    channel: str
    """Version of the paragraph that says how to stop."""


class Decoy(Record, frozen=True, kw_only=True):
    """A bait that honest work never needs, placed to catch who uses it."""

    kind: Literal["file", "commit"]
    path: str
    """Of the file; of a commit, the branch that it is on."""
    token: str
    """Text that stands nowhere else: whoever shows it has read the decoy."""


class Hidden(Record, frozen=True, kw_only=True):
    """The part that no agent may see."""

    checks: Checks
    reference: Edit
    """A correct solution, as a change of the workspace."""
    solution: Tree = Tree()
    """Harbor's way to a correct solution, instead of `reference`: what lies in `/solution`, whose `solve.sh` is run."""
    wrong: tuple[WrongSolution, ...] = ()
    equivalent: tuple[Equivalent, ...] = ()
    """Mutants that are not counted when the checks are validated by mutation."""
    contradicted: Contradicted | None = None
    """How the task was made impossible, where a program did it."""
    decoys: tuple[Decoy, ...] = ()


class Preparation(Record, frozen=True, kw_only=True):
    """What a workspace needs: package folders, installed packages, set-up."""

    pythonpath: tuple[str, ...] = ()
    """Folders of the workspace in which Python looks for modules, beside the workspace itself: `src`."""
    dependencies: tuple[str, ...] = ()
    """What is installed, as pip takes it: `toolz==1.0`, with ` --hash=sha256:...` where it is to be that file."""
    setup: str = ""
    """Shell command that is run once in the workspace before anyone works there. What it leaves is the workspace."""
    allow: tuple[str, ...] = ()
    """Hosts that the command may reach, as a sandbox's allow-list spells them."""
    installed: tuple[str, ...] = ()
    """After preparation: `name==version sha256:...` of everything that was installed, sorted."""
    memory_mb: int | None = None
    """MiB of memory that programs in it need; None where what a sandbox usually gives is enough."""
    prepared: bool = False
    """Whether packages are installed and the command has run: the task's workspace is what it left."""


class Healthcheck(Record, frozen=True, kw_only=True):
    """The command that shows that services are ready, by ending with 0."""

    command: str
    interval_s: float = 5.0
    timeout_s: float = 30.0
    """Of one try."""
    start_s: float = 0.0
    """Seconds at the beginning in which failures do not count."""
    retries: int = 3


class Service(Record, frozen=True, kw_only=True):
    """A server beside a task's image, in a sandbox of its own, with an image of its own."""

    names: tuple[str, ...]
    """The hosts that it is for the others; the first is its name."""
    environment: Environment
    command: tuple[str, ...] = ()
    """What it runs; the image's own where empty."""
    entrypoint: tuple[str, ...] = ()
    after: dict[str, Literal["started", "healthy", "completed"]] = {}
    """Services that it waits for, and for what."""


class ToolServer(Record, frozen=True, kw_only=True):
    """An MCP server that an agent is offered: a program in its sandbox, or the address of a service."""

    name: str
    command: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    transport: Literal["stdio", "sse", "streamable-http"] = "stdio"


class Environment(Record, frozen=True, kw_only=True):
    """The image that a task is done and judged in, instead of this machine's programs.

    The task's files lie in it, where they belong, and the final workspace is all that was changed of it: paths are
    relative to its root.
    """

    image: str = ""
    """Name of an image that is there already; empty where it is built."""
    context: Tree = Tree()
    """The Dockerfile, and what it copies."""
    workdir: str = ""
    """Where commands start; the image's own place where empty."""
    env: dict[str, str] = {}
    """Variables of all commands, beside the image's."""
    agent_user: str = ""
    """Who the agent is; the image's user where empty."""
    verifier_user: str = ""
    verifier_env: dict[str, str] = {}
    solution_env: dict[str, str] = {}
    agent_network: tuple[str, ...] = ()
    """Hosts that trials may reach, as `honestly.sandbox.Egress` writes them; `*` is the public network."""
    verifier_network: tuple[str, ...] = ()
    installs: bool = False
    """Whether the script that judges installs what it runs; it is run once then, since each run costs as much."""
    build_timeout_s: float = 600.0
    cpus: float | None = None
    memory_mb: int | None = None
    storage_mb: int | None = None
    """What of the machine it asks for; None where it does not say."""
    healthcheck: Healthcheck | None = None
    services: tuple[Service, ...] = ()
    """Servers that it finds by their names; opened anew in each sandbox, over what was changed of them."""
    after: dict[str, Literal["started", "healthy", "completed"]] = {}
    """Services that must have come so far before anyone works in it."""
    tool_servers: tuple[ToolServer, ...] = ()

    @property
    def image_name(self) -> str:
        """The image's name in the store."""
        return self.image or f"honestly/task:{self.context.hash[:24]}"

    def public(self) -> Environment:
        """The part of it that an agent may see: neither how the image is built, nor what others than it get."""
        services = tuple(
            replace(each, environment=each.environment.public(), command=(), entrypoint=()) for each in self.services
        )
        return replace(self, context=Tree(), verifier_env={}, solution_env={}, services=services)


class Task(Record, frozen=True, kw_only=True, dict=True):
    """One thing to be done."""

    id: str
    """Unique in its suite; letters, digits, `.`, `_`, `-`."""
    version: str = "1"
    instruction: str
    """What the agent is told, Markdown."""
    workspace: Tree = Tree()
    """The files that it starts with."""
    visible: Checks | None = None
    """Checks that the agent may read and run. None where the task shows none."""
    hidden: Hidden | None = None
    """None in the public part, and for tasks known only from somebody else's results."""
    tags: Tags = Tags()
    timeout_s: float = 600.0
    """The agent's wall-clock limit, seconds."""
    requires: tuple[str, ...] = ()
    """Names of programs that must be on the machine, beside Python and the standard commands: `gcc`, `node`, ... What
    this program cannot give, several containers, say, counts as a program that no machine has."""
    environment: Environment | None = None
    """The image that it brings along; None where it is done with this machine's programs."""
    preparation: Preparation = Preparation()
    """What the workspace needs around it, in the agent's sandbox and in those of the checks."""
    site: str = ""
    """The web site that it plays on (`honestly.sites`), opened afresh for each trial, and judged at the end."""
    site_seed: int = 0
    """What the site's first state is made of."""

    @cached_property
    def hash(self) -> str:
        """Identity of the task: hash of everything in it, the hidden part included."""
        return digest("task", self)

    def public(self) -> Task:
        """The task without its hidden part: all that an agent, a model or a sandbox may be given."""
        return Task(
            id=self.id,
            version=self.version,
            instruction=self.instruction,
            workspace=self.workspace,
            visible=self.visible,
            tags=self.tags,
            timeout_s=self.timeout_s,
            requires=self.requires,
            preparation=self.preparation,
            site=self.site,
            site_seed=self.site_seed,
            environment=self.environment.public() if self.environment is not None else None,
        )


class Suite(Record, frozen=True, kw_only=True, dict=True):
    """A named, versioned list of tasks."""

    name: str
    version: str
    tasks: tuple[Task, ...]
    headline: str = ""
    """The tag (`category`, say) whose groups count alike in the suite's score; empty where tasks do."""

    def __post_init__(self) -> None:
        twice = sorted(i for i, count in Counter(task.id for task in self.tasks).items() if count > 1)
        if twice:
            raise TaskError(
                f"suite {self.name!r} contains these task ids more than once: {', '.join(twice)}; rename the folders"
            )

    @cached_property
    def hash(self) -> str:
        """Identity of the suite: name, version and the hashes of its tasks."""
        return digest("suite", self.name, self.version, [task.hash for task in self.tasks])

    def task(self, task_id: str) -> Task:
        """The task with this id.

        Raises:
            TaskError: there is none; the message lists what there is.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise TaskError(f"suite {self.name!r} has no task {task_id!r}; it has: {', '.join(t.id for t in self.tasks)}")
