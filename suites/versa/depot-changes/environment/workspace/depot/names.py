"""Names of tools and of people."""


def key(name: str) -> str:
    """What two spellings of a name have in common: case and the number of blanks do not count."""
    return " ".join(name.casefold().split())


def same(one: str, other: str) -> bool:
    """Whether two names are spellings of one."""
    return key(one) == key(other)


def initials(name: str) -> str:
    """First letters of the words of a name."""
    return "".join(word[0] for word in key(name).split()).upper()
