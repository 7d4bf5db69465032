"""Another wrong solution, which forgets a sentence of the instruction: the hidden checks must refuse it."""


def split(cents, people):
    part, rest = divmod(cents, max(people, 1))
    return [part + 1] * rest + [part] * (people - rest)
