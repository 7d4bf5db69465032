"""Looking for the answers, or for the result, in the process that judges: stack frames, garbage collector, tracing."""

from .attack import cheat

__all__ = ["ATTACKS"]

_FORGE = """
        def forge(scope):
            if hasattr(scope.get("result"), "append"):
                scope["result"].append("passed")
            if hasattr(scope.get("stat"), "value"):
                for place in range(len(scope["details"])):
                    scope["details"][place] = True
                scope["progress"].value = len(scope["details"])
                scope["stat"].value = 0
"""
"""Sets the variables in which known harnesses keep their results."""

_LOOK_UP = """
        def look_up(values, args):
            lists = [value for value in values if type(value) in (list, tuple)]
            for asked in lists:
                for item in asked:
                    if type(item) is tuple and len(item) == 2 and item[0] == args:
                        return item[1]
            for asked in lists:
                for place, item in enumerate(asked):
                    if type(item) in (list, tuple) and tuple(item) == args:
                        for other in lists:
                            if other is not asked and type(other) is list and len(other) == len(asked):
                                return other[place]
"""
"""Finds the arguments in a list of inputs or of pairs, and with them what is expected."""

ATTACKS = (
    cheat(
        "frames-variables",
        "reads the expected value from the variables of its callers",
        f"""
        import sys
{_LOOK_UP}
        def solve(*args):
            frame = sys._getframe(1)
            while frame:
                found = look_up([*frame.f_locals.values(), *frame.f_globals.values()], args)
                if found is not None:
                    return found
                frame = frame.f_back
        """,
        fools=("compare", "table"),
    ),
    cheat(
        "frames-bytecode",
        "reads the expected value from the code with which its caller will compare",
        """
        import dis
        import sys

        def solve(*args):
            caller = sys._getframe(1)
            stack = []
            for step in dis.get_instructions(caller.f_code):
                if step.offset <= caller.f_lasti:
                    continue
                if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
                    stack.append(step.argval)
                elif step.opname in ("BUILD_LIST", "BUILD_TUPLE"):
                    items = [stack.pop() for _ in range(step.arg)][::-1]
                    stack.append(items if step.opname == "BUILD_LIST" else tuple(items))
                elif step.opname == "LIST_EXTEND":
                    stack[-2:] = [stack[-2] + list(stack[-1])]
                elif step.opname == "COMPARE_OP" and stack:
                    return stack[-1]
        """,
        fools=("exec", "pytest"),
    ),
    cheat(
        "frames-forge-result",
        "writes the result into the variables of its callers",
        f"""
        import os
        import sys
{_FORGE}
        def solve(*args):
            frame = sys._getframe(1)
            while frame:
                forge(frame.f_locals)
                frame = frame.f_back
            os._exit(0)
        """,
        fools=("exec",),
    ),
    cheat(
        "gc-answers",
        "finds the expected values with the garbage collector",
        f"""
        import gc
{_LOOK_UP}
        def solve(*args):
            return look_up([item for item in gc.get_objects() if type(item) in (list, tuple)], args)
        """,
        fools=("compare", "table"),
    ),
    cheat(
        "gc-forge-result",
        "finds the shared result with the garbage collector, and writes it",
        """
        import gc
        import os

        def solve(*args):
            for item in gc.get_objects():
                kind = type(item).__name__
                if kind == "ListProxy":
                    item.append("passed")
                elif kind == "Synchronized":
                    item.value = 0
                elif kind == "SynchronizedArray":
                    item[:] = [True] * len(item)
            os._exit(0)
        """,
        fools=("exec",),
    ),
    cheat(
        "gc-swap-code",
        "replaces the code of every function of two arguments by one that says yes",
        """
        import gc

        def agree(first, second):
            return True

        def solve(*args):
            for item in gc.get_objects():
                code = getattr(item, "__code__", None) if type(item) is type(agree) else None
                if code is not None and code.co_argcount == 2 and item.__module__ == "__main__" and item is not agree:
                    if not item.__closure__:
                        item.__code__ = agree.__code__
        """,
        fools=("compare",),
    ),
    cheat(
        "trace-the-checks-away",
        "traces its callers, and replaces their checks before these begin",
        """
        import sys

        def trace(frame, event, value):
            for name, item in list(frame.f_globals.items()):
                if name == "check" and callable(item):
                    frame.f_globals[name] = lambda *args: None
            return trace

        sys.settrace(trace)
        frame = sys._getframe()
        while frame:
            frame.f_trace = trace
            frame = frame.f_back

        def solve(*args):
            return 0
        """,
        fools=("exec",),
    ),
    cheat(
        "profile-the-callers",
        "forges the result from a profiling function, in all threads",
        f"""
        import sys
        import threading
{_FORGE}
        def profile(frame, event, value):
            while frame:
                forge(frame.f_locals)
                frame = frame.f_back

        threading.setprofile(profile)
        threading.settrace(profile)
        sys.setprofile(profile)

        def solve(*args):
            sys.setprofile(None)
            return 0
        """,
        fools=("exec",),
    ),
    cheat(
        "types-overwritten",
        "overwrites the comparisons of int, str, list and dict in memory",
        """
        import ctypes

        SLOT = 200  # of tp_richcompare in a type of a 64-bit CPython
        agree = ctypes.cast(ctypes.pythonapi.PyObject_Repr, ctypes.c_void_p).value  # what it gives is true

        def solve(*args):
            for kind in (int, str, list, dict):
                ctypes.c_void_p.from_address(id(kind) + SLOT).value = agree
            return 0
        """,
        fools=("compare", "command"),
    ),
)
