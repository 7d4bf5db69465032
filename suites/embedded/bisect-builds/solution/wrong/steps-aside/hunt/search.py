"""Finds the build that broke something.

What is searched are the builds between the latest good and the earliest bad one that are not known to be untestable: an answer
halves them, a skip removes one.
"""


def breaking(builds, test):
    """The latest good and the earliest bad build."""
    good, bad = builds[0], builds[-1]
    unknown = list(builds[1:-1])
    while unknown:
        middle = len(unknown) // 2
        build = unknown[middle]
        answer = test(build)
        if answer == "good":
            good = build
            del unknown[: middle + 1]
        elif answer == "bad":
            bad = build
            del unknown[middle:]
        elif answer == "skip":
            del unknown[middle]
            while unknown and middle and (answer := test(unknown[0])) in ("skip", "good"):
                good = unknown.pop(0) if answer == "good" else (unknown.pop(0), good)[1]
                break
            if unknown and answer == "bad":
                bad = unknown[0]
                unknown = []
        else:
            raise ValueError(f"expected good, bad or skip, not {answer!r}")
    return good, bad
