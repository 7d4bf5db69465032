"""Reading which service needs which."""


def parse_manifest(text: str) -> dict[str, list[str]]:
    """The needs of each service, from lines such as `web: api, static`; `#` begins a comment.

    Raises ValueError for a line without a colon and for a service that has two lines.
    """
    needs: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        name, colon, rest = line.partition(":")
        if not colon or name.strip() in needs:
            raise ValueError(f"line {number} is not the one line of a service: {line!r}")
        needs[name.strip()] = [need.strip() for need in rest.split(",") if need.strip()]
    return needs
