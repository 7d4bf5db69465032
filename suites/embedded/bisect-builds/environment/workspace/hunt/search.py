"""Finds the build that broke something."""


def breaking(builds, test):
    """The latest good and the earliest bad build."""
    good = builds[0]
    for build in builds[1:-1]:
        answer = test(build)
        if answer == "bad":
            return good, build
        if answer == "good":
            good = build
    return good, builds[-1]
