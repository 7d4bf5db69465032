"""The reference: files that, put over the workspace, solve the task. `tasks check` proves that they do."""


def split(cents, people):
    if people < 1:
        raise ValueError("there must be somebody to share with")
    part, rest = divmod(cents, people)
    return [part + 1] * rest + [part] * (people - rest)
