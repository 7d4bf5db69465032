"""Runs pytest test files inside the sandbox and reports each test by its node id.

pytest comes from the host, as compiled modules in memory: the sandbox shows no installed packages, and nothing that
lies in the workspace can stand in for it. Each test is reported once, when its teardown is over, with the worst of what
its phases came to. Which settings and plugins take effect is for the host to say, by the arguments.

Tests that are there once for each of several runs (`asked.py`) take turns: each further run is a fork that is made when
all files are imported and no test has run. Where there are threads, which a fork would not have, there are none.
"""

from __future__ import annotations

import marshal
import os
import sys

from honestly.verify._guest.asked import Asked, run_of
from honestly.verify._guest.report import (
    Framework,
    as_started,
    begin_report,
    confine_writes,
    end_run,
    failure_words,
    speak_here,
)

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_OF_RUNS = (
    *("randomly", "random_order", "xdist", "xdist.looponfail", "sugar", "pytest_cov", "rerunfailures", "pytest_split"),
)
"""Plug-ins that change the order of tests, where they run, how often, or what is shown of them, which is our part."""
_WORSE = ("passed", "skipped", "failed", "error")


def main() -> None:
    """Runs pytest with the arguments of the orders, on those tests whose functions they name, and reports."""
    request, say = begin_report()
    sys.meta_path.insert(0, _Shipped(request["modules"]))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import unittest  # noqa: F401 - before anything in the workspace can be taken for it

    import pytest

    plugins = _load_plugins(request["own"])
    if request["writable"]:
        confine_writes(request["writable"])
    reporter = _Reporter(say, set(request["tests"]), request["backwards"], request["own"], request["opaque"])
    status = pytest.main([*plugins, *request["arguments"]], plugins=[reporter])
    if status > pytest.ExitCode.TESTS_FAILED:
        os._exit(status)  # it was not pytest's own end
    end_run(say, reporter.run, reporter.framework.replaced_functions() if reporter.framework else [])


def _load_plugins(own: list[str]) -> list[str]:
    """Options for the plug-ins that the shown packages bring, as pytest would find them, and the task's own files.

    They are imported before anything of the workspace can be: a module there cannot stand in for one of theirs.
    """
    here, before = os.getcwd(), list(sys.path)
    folders = [path for path in os.environ.get("PYTHONPATH", "").split(":") if path and not _is_below(path, here)]
    sys.path[:] = [path for path in before if path and not _is_below(path, here)]
    points = [
        os.path.join(folder, name, "entry_points.txt")
        for folder in folders
        for name in (os.listdir(folder) if os.path.isdir(folder) else ())
        if name.endswith(".dist-info")
    ]
    names = []
    for name, module in _plugin_names(points):
        try:
            __import__(module)
            names.append(name)
        except Exception as error:  # tests that need it will say so
            print(f"the plug-in {name} cannot be loaded: {error}", file=sys.stderr)
    sys.path[:] = before
    from _pytest.assertion.rewrite import AssertionRewritingHook

    # That they were imported already is no fault of the tests, for which warnings may be errors.
    setattr(AssertionRewritingHook, "_warn_already_imported", lambda _hook, _name: None)  # noqa: B010 - it is its own
    names += [name for name, _ in _plugin_names([path for path in own if path.endswith(".egg-info/entry_points.txt")])]
    return [word for name in names for word in ("-p", name)]


def _is_below(path: str, folder: str) -> bool:
    return (os.path.abspath(path) + "/").startswith(folder + "/")


def _plugin_names(places: list[str]) -> list[tuple[str, str]]:
    """Names and modules of the plug-ins that files of entry points declare, but for those that say how tests run."""
    found = []
    for place in places:
        if not os.path.isfile(place):
            continue
        section = ""
        with open(place, encoding="utf-8", errors="replace") as file:
            for line in map(str.strip, file):
                section = line if line.startswith("[") else section
                name, mark, module = line.partition("=")
                if section == "[pytest11]" and mark and name.strip() not in _OF_RUNS:
                    found.append((name.strip(), module.partition(":")[0].strip()))
    return sorted(found)


class _Shipped:
    """Imports modules from compiled code: name to whether it is a package, and the code."""

    def __init__(self, modules: dict[str, tuple[bool, bytes]]) -> None:
        self._modules = modules

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name not in self._modules:
            return None
        from importlib.util import spec_from_file_location

        package, _ = self._modules[name]
        file = "/shipped/" + name.replace(".", "/") + ("/__init__.py" if package else ".py")
        folders = [os.path.dirname(file)] if package else None
        return spec_from_file_location(name, file, loader=self, submodule_search_locations=folders)  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(marshal.loads(self._modules[module.__name__][1]), module.__dict__)


class _Reporter:
    """A plugin of pytest's that keeps the tests that were asked for, and says what comes of them."""

    def __init__(
        self, say: Callable[..., None], functions: set[str], backwards: bool, own: list[str], opaque: bool
    ) -> None:
        self._say = say
        self._own = own
        self._opaque = opaque
        self._backwards = backwards
        self._functions = functions
        self._open: dict[str, tuple[str, str]] = {}
        self._asked = Asked().install()
        self.run = 0
        self.framework: Framework | None = None

    def pytest_cmdline_parse(self) -> None:
        self.framework = Framework(self._own)
        sys.path.insert(0, os.getcwd())  # now that pytest has imported what it needs
        # Programs that tests start find the project, too, as if it were installed.
        os.environ["PYTHONPATH"] = ":".join(filter(None, (os.environ.get("PYTHONPATH"), os.getcwd())))

    def pytest_configure(self, config: Any) -> None:
        # Only the message of a failure is reported. To quote the lines around it, pytest parses its file, each time.
        config.option.tbstyle = "no"

    def pytest_make_parametrize_id(self) -> str | None:
        """The same id for every value where names must not say what a test expects; pytest numbers them."""
        return "x" if self._opaque else None

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        runs: dict[int, list[Any]] = {0: []}
        for item in items:
            name, run = run_of(item.nodeid)
            if not self._functions or name.partition("[")[0] in self._functions:
                runs.setdefault(run, []).append(item)
        self.run = _forked(sorted(runs)[1:])
        items[:] = runs[self.run][:: -1 if self._backwards else 1]
        for item in items:
            self._tell_event(item.nodeid)

    def pytest_deselected(self, items: list[Any]) -> None:
        for item in items:
            if item.nodeid.partition("[")[0] in self._functions:
                self._tell_event(item.nodeid, status="skipped", message="deselected", deselected=True)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._tell_event(report.nodeid, status="error", message=failure_words(_report_message(report)))

    def pytest_runtest_logstart(self) -> None:
        self._asked.begin()

    def pytest_runtest_logreport(self, report: Any) -> None:
        before = self._open.get(report.nodeid, ("passed", ""))
        self._open[report.nodeid] = max(before, _status(report), key=lambda result: _WORSE.index(result[0]))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        status, message = self._open.pop(nodeid, ("error", "no phase of it was reported"))
        self._tell_event(nodeid, status=status, message=failure_words(message), **self._asked.said())

    def _tell_event(self, nodeid: str, **event: object) -> None:
        self._say(id=run_of(nodeid)[0], run=self.run, **event)


def _forked(runs: list[int]) -> int:
    """Which run this process is to do, once it has come back: each but the first has a fork of its own."""
    if runs and len(os.listdir("/proc/self/task")) > 1:
        return 0
    for run in runs:
        child = os.fork()
        if not child:
            speak_here()
            return run
        os.waitpid(child, 0)
    return 0


def _status(report: Any) -> tuple[str, str]:
    """Status and message of one phase of a test. What passes only because it was expected to fail has not passed."""
    if hasattr(report, "wasxfail"):
        return ("skipped", "expected failure") if report.skipped else ("failed", "unexpected success")
    if report.passed:
        return "passed", ""
    if report.skipped:
        return "skipped", _report_message(report)
    return "failed" if report.when == "call" else "error", _report_message(report)


def _report_message(report: Any) -> str:
    """The message of a report: of its crash, or the last line of what there is."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message)
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    return str(report.longrepr).strip().rpartition("\n")[2]


def forked(_descriptor: int) -> None:
    """Does the same in a fork, which finds its streams as a process that was started does."""
    as_started(main)


if __name__ == "__main__":
    main()
