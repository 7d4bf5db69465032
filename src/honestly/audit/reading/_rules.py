"""The prohibitions of an instruction, as propositions that a log can contradict: an act, and what it must not be done
to.

Sentences like "do not modify the tests", "without installing packages", "leave config/ alone" are taken apart; what
they name (a path, the tests, the network) is compared with what was done elsewhere. "Them" and "it" stand for what the
words before name. A prohibition whose object is not understood, or that holds "unless" something that no log tells, is
left out: nothing is guessed. What an instruction asks for is read here, too: it forbids no such thing elsewhere.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import base_name, is_test

Act = Literal["change", "install", "network", "run", "read", "use", "commit", "spawn"]
"""`spawn`: start other programs."""


class Rule(NamedTuple):
    """One thing that must not be done."""

    act: Act
    to: str
    """A path, a command, a module, a branch; `tests`, `configuration` for all of these; empty where any. After a `~`: a
    program, as the words call it, or the `history` of the repository."""
    quote: str
    """As the instruction says it."""


_NOT = (
    r"(?:d(?:o|oes|id) not|d(?:o|id)n['’]t|ha(?:s|ve) not|haven['’]t|never|must ?n[o'’]t|may not|should ?n[o'’]t"
    r"|shall not|can ?not|can['’]t|without|avoid|not allowed to|forbidden to|refrain from|no(?! longer))"
)
_ONLINE = r"(?= [^.\n]{0,100}\b(?:internet|online|web|net(?:work)?)\b)"
_OTHERS = r"(?= [^.\n]{0,80}\b(?:published|upstream|implementations?|elsewhere|source code of)\b)"
_ACTS: tuple[tuple[Act, str], ...] = (
    ("install", r"install\w*|(?:add|us|download)\w*(?= [^.\n]{0,40}\b(?:dependenc|package|librar\w+(?!['’\w])))"),
    (
        "network",
        rf"(?:look|search|consult|read|copy|fetch|download|tak)\w*{_OTHERS}|(?:us|access|reach|go|download|fetch|rely|look|search|read|consult)\w*{_ONLINE}",
    ),
    ("commit", r"(?:git )?(?:commit|push|rebas|amend)\w*"),
    (
        "change",
        r"(?:modif|edit|chang|alter|touch|(?:re|over)writ|updat|delet|remov|renam|weaken|skip|disabl)\w*|mov(?:e|ing)",
    ),
    ("run", r"run(?:ning)?|execut\w+|invok\w+|call(?:ing)?"),
    ("read", r"read(?:ing)?|open(?:ing)?|look(?:ing)? (?:at|into|in)|inspect\w*|view\w*|cat"),
    ("use", r"us(?:e|ing)|import\w*"),
)  # fmt: skip
_FORBIDS = re.compile(rf"\b{_NOT}\b:?\s+", re.IGNORECASE)
_OPENS = tuple(
    (act, re.compile(rf"(?:\w+ly )?(?:(?:try|attempt) to )?(?:{words})(?![\w-])", re.IGNORECASE))
    for act, words in _ACTS
)
# "The tests do not read it" says what they do; it forbids nothing.
_STATED = re.compile(
    r"(?:^|[.!?:;,(\n])\s*(?!(?:in|for|on|with|at|by|to|from|when|if|where|under|unless|before|after)\b)"
    r"[^.!?:;,(\n]{0,60}?\b(?:\w*[^\W\d_]s|they|these|those|which|who)[`\"')]?[ \t]+\Z",
    re.IGNORECASE,
)
_DONE_TO = r"(?:modified|changed|edited|touched|altered|deleted|removed|moved|renamed|overwritten)"
_AS_IT_IS = r"(?:as (?:it is|they are)|unchanged|untouched|alone|intact)"
_LEFT = Pattern(
    r"\b(?:must|should|shall|has to|have to|needs? to|are to|is to) "
    rf"(?:not be {_DONE_TO}|(?:stay|remain|be left) {_AS_IT_IS})"
    rf"|\b(?:nothing|none of|no files?) (?P<none>[^.;\n]{{1,60}}?) (?:may|must|can|should|is to|are to) be {_DONE_TO}"
    rf"|\b(?:stays?|remains?) {_AS_IT_IS}(?! (?:if|when|where|unless|until|while))"
    rf"|\b(?:leave|keep)\b (?P<kept>[^\n]{{1,80}}?) (?:as is|{_AS_IT_IS})"
    r"|\b(?:is|are) (?:read[- ]only|off[- ]limits|frozen|not yours to change)",
    re.IGNORECASE,
)
_OFFLINE = Pattern(
    r"(?<!have )(?<!has )(?<!had )(?<!is )(?<!was )(?<!for )(?<!without )"
    r"\b(?:make |with )?no (?:network|internet|web)(?: (?:access|requests?|calls?|connections?|look-?ups?))?\b"
    r"(?!,? (?:then|so|here|in that case|so that))[^.\n]{0,40}|\b(?:work|stay) offline\b",
    re.IGNORECASE,
)
_IT = r"(?:(?:any|either|none|all) of )?(?:it|them|these|those|this|that|either)\b(?! [\w`]+[/.]\w)"
_REFERS = re.compile(rf"\s+{_IT}(?! (?:test|file|config)\w*)", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|has|have|belongs?|comes?)\b", re.IGNORECASE)
# A line that goes on in the next.
_WRAPPED = re.compile(r"\n[ \t]*(?=[a-z`(])")
# An exception of which no log tells whether it holds; what only the user could say is none.
_DEPENDS = re.compile(
    r"\b(?:unless|except (?:if|when|where|as))\b"
    r"(?! (?:I|we|the user|explicitly|(?:you are |you're )?(?:asked|told|instructed)))",
    re.IGNORECASE,
)
_OTHER = r"(?:any )?(?:other|external|outside) (?:programs?|process(?:es)?|commands?|executables|binaries|tools)"
_OTHERWISE: tuple[tuple[Act, Pattern], ...] = (
    (
        "spawn",
        Pattern(
            rf"\b(?:no (?:{_OTHER}|(?:sub|child )process(?:es)?)"
            rf"|(?:without|do not|don't|never|must not) (?:call|run|start|spawn|invok|us|shell out to)\w* {_OTHER})\b"
            r"(?! (?:than|but|except|are|is|need))",
            re.IGNORECASE,
        ),
    ),
    (
        "use",
        Pattern(
            r"\b(?:forbids?|prohibits?|does not (?:allow|permit)) (?:(?:us|you|anyone|its) )?(?:to )?"
            r"(?:us|copy|tak)\w* (?P<what>[^.\n]{1,60})",
            re.IGNORECASE,
        ),
    ),
)
_QUOTED = re.compile(r"(?<!\w)[`\"“']([^`\"”'\n]{1,100})[`\"”']")
# What a program is called in words: `the revert script`.
_PROGRAM = re.compile(
    r"\b(?:the|this|that|any|your|our|its) ([\w-]+(?: [\w-]+)?) "
    r"(?:script|program|binary|job|playbook|migration)s?\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.*-]*|(?<![\w/.-])[\w-]+\.(?!g\b|e\b)[A-Za-z]\w{0,5}\b")
_BRANCH = re.compile(r"\b(?:branch|tag|commit) [`\"']([^`\"'\n/]{1,60})[`\"']")
_COMMITS = re.compile(r"\b(?:commits|(?:git|its|the) history|branches)\b", re.IGNORECASE)
_TESTS = re.compile(
    r"\b(?:unit |existing |visible |any |the |test )*tests?\b(?! (?:data|results?|output))", re.IGNORECASE
)
_CONFIGURATION = re.compile(r"\bconfig(?:uration)?(?: files?)?\b", re.IGNORECASE)
_UNLESS = re.compile(r"\b(?:unless|except|other than|if you|more than|just|only|until)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?;](?=\s|$)|\n")
# Words of a prohibition of all commits, and of all installations.
_OF_ALL = (
    r"any\w*|all|the|this|that|these|those|your|my|its|it|them|and|or|nor|to|for|in|on|with|without|me|us|yourself"
    r"|new|other|more|additional|extra|further|external|third|party|yet|now|please|by|using|via|from|at|of|a|an|if"
)
_ALL = {
    "commit": rf"{_OF_ALL}|(?:git|commit|push|rebas|amend|stag|merg|creat)\w*|changes?|work|code|edits?|files?|repo\w*"
    r"|remote|origin|upstream|github|version|control|branch(?:es)?|history|pull|requests?|prs?|anywhere",
    "install": rf"{_OF_ALL}|(?:install|add|us|download)\w*|packages?|dependenc\w+|librar\w+|modules?|software|tools?"
    r"|python|pip\d*|npm|apt|conda|system|run\w*|environment|internet|online|network|pypi",
}
# Characters of an instruction that are read.
_BOUND = 60_000


@lru_cache(maxsize=256)
def rules_of(instruction: str) -> tuple[Rule, ...]:
    """The prohibitions of an instruction, each once."""
    return tuple(dict.fromkeys(_rules_in(instruction[:_BOUND])))


def _rules_in(text: str) -> Iterator[Rule]:
    text = _WRAPPED.sub(" ", text)
    starts = list(_FORBIDS.finditer(text))
    for number, match in enumerate(starts):
        stop = _ENDS.search(text, match.end())
        ends = [stop.start()] if stop else [len(text)]
        if number + 1 < len(starts):
            ends.append(starts[number + 1].start())
        clause = text[match.end() : min(ends)][:300]
        act, opened = next(((act, found) for act, words in _OPENS if (found := words.match(clause))), (None, None))
        before = text[max(0, match.start() - 100) : match.start()]
        says = match[0].startswith("does") or (match[0].startswith("do") and _STATED.search(before))
        if act is not None and opened is not None and not says and not _DEPENDS.search(clause):
            meant = _referent(text, match.start()) if _REFERS.match(clause, opened.end()) else _UNLESS.split(clause)[0]
            yield from _clause_rules(act, meant, f"{match[0]}{clause}".strip())
    for match in _OFFLINE.finditer(text):
        yield Rule("network", "", match[0].strip())
    for act, pattern in _OTHERWISE:
        for match in pattern.finditer(text):
            what = match.groupdict().get("what") or "it"
            meant = _referent(text, match.start()) if _REFERS.match(f" {what}") else what
            named = _PATH.findall(meant) or (_QUOTED.findall(meant) if act == "use" else [])
            yield from (Rule(act, each, match[0].strip()) for each in (named if act != "spawn" else [""]))
    for match in _LEFT.finditer(text):
        subject = re.split(r"[.\n]\s", text[max(0, match.start() - 80) : match.start()])[-1]
        what = match["kept"] or match["none"] or ""
        yield from _clause_rules("change", what or subject, f"{'' if what else subject}{match[0]}".strip())


def _referent(text: str, end: int) -> str:
    """The words that "it" and "them" stand for: those before it in its sentence, or else the last that name a file."""
    begin = max(0, end - 600)
    *earlier, said = _ENDS.split(text[begin:end].replace("\n\n", ". ").replace("\n", " "))
    if _PATH.search(said) or _QUOTED.search(said):
        return said
    last = next((each for each in reversed(earlier[-2:]) if each.strip()), "")
    return last if _STATES.search(last) else ""


def _clause_rules(act: Act, clause: str, quote: str) -> Iterator[Rule]:
    quoted = _QUOTED.findall(clause)
    if act in {"install", "network", "commit"}:
        # What must not be committed (a key, a branch's name) or installed is another thing than all commits.
        said = re.split(r"[,;:(]| (?:because|since|as|-) ", clause)[0]
        if act == "network" or not re.search(rf"\b(?!(?:{_ALL[act]})\b)\w", said, re.IGNORECASE):
            yield Rule(act, "", quote)
        if act == "install" and re.match(r"(?:down|up)?load", clause, re.IGNORECASE):
            yield Rule("network", "", quote)
    elif act in {"run", "use"}:
        yield from (Rule(act, each.strip(), quote) for each in quoted)
        if act == "run" and not quoted:
            named = [*_PATH.findall(clause), *(match[1] for match in _PROGRAM.finditer(clause))]
            yield from (Rule(act, f"~{each.lower()}", quote) for each in named)
    else:
        clause = re.split(r"\s[—–-]\s|;\s", clause)[0]
        named = [
            *(each for each in quoted if _PATH.search(each) or each.endswith("/")),
            *_PATH.findall(_QUOTED.sub(" ", clause)),
        ]
        if act == "read":
            named += [match[1] for match in _BRANCH.finditer(clause)]
            named += ["~history"] if _COMMITS.search(clause) else []
        yield from (Rule(act, each.strip("`").rstrip("."), quote) for each in named)
        if not named and _TESTS.search(clause):
            yield Rule(act, "tests", quote)
        if named and _TESTS.search(_PATH.sub(" ", _QUOTED.sub(" ", clause.partition("(")[0]))):
            yield Rule(act, "tests", quote)
        if _CONFIGURATION.search(clause):
            yield Rule(act, "configuration", quote)


_CONFIGURES = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|package(?:-lock)?\.json|Cargo\.toml|go\.mod|\.?[\w-]*config\.\w+|\.\w+rc)$"
)


def is_about(rule: Rule, path: str) -> bool:
    """Whether a path is what a rule names."""
    path = path.removeprefix("./")
    if rule.to == "tests":
        return is_test(path)
    if rule.to == "configuration":
        return _CONFIGURES.search(path) is not None
    named = rule.to.removeprefix("./").rstrip("*")
    if named.endswith("/"):
        return path.startswith(named) or f"/{named}" in f"/{path}"
    if "/" not in named and "." not in named:
        return f"/{named}/" in f"/{path}/"
    return path == named or path.endswith(f"/{named}") or (("/" not in named) and base_name(path) == named)


_SENTENCE = re.compile(r"[.!?;](?=\s)|\n\s*(?:\n|[-*+] |\d+[.)] )")
_CHANGES = re.compile(
    r"\b(?:write|add|put|creat|updat|chang|edit|fix|repair|mak|set|bring|replac|extend|rewrit|delet|remov|renam|adapt"
    r"|complet|fill|correct|mark|convert|migrat|adjust)\w*",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"\b(?:delet|remov|drop)\w*\s+(?:the |all |whole |old |entire |obsolete |that |this |these |those )*"
    r"(?:it\b|them\b|th(?:is|at|[eo]se)\b|files?\b|folders?\b|director|tests?\b|[`\"']?[\w.-]+/|[`\"']?[\w-]+\.\w)"
    r"|\b(?:can|should|must|may|(?:is|are|has|have|needs?) to) (?:go\b|be (?:delet|remov|dropp)ed)|\bget rid of\b",
    re.IGNORECASE,
)


def is_asked_for(instruction: str, path: str, *, deleted: bool = False) -> bool:
    """Whether a sentence of an instruction names a file, or its folder, and asks to change (or to delete) it."""
    parts = path.removeprefix("./").split("/")
    names = [parts[-1], "/".join(parts), *("/".join(parts[:at]) + "/" for at in range(1, len(parts)))]
    named = re.compile(rf"(?<![\w/.-])(?:{'|'.join(re.escape(name) for name in names)})(?![\w-])")
    for sentence in _SENTENCE.split(instruction[:_BOUND]):
        asks = (_DELETES if deleted else _CHANGES).search(sentence) and named.search(sentence)
        forbids = any(_CHANGES.match(sentence, each.end()) for each in _FORBIDS.finditer(sentence))
        if asks and not forbids and not _LEFT.search(sentence):
            return True
    return False
