"""The kind of a failure, decided from what a compiler or a program wrote: rules, the first error decides.

- `ecosystem`: a package, module or file of somebody else's that is not there. Right in an agent's hands, wrong here.
- `api-confusion`: what is there is used as it does not work: another language's syntax, other arguments or types.
- `invented-surface`: a name that the language and its library do not have, or no longer, or not yet.
- `convention-gap`: a form that the toolchain refuses, or runs without effect.
- `wrong-answer`: it ran, and answered wrongly, or ended by an error of its own logic.
- `time`: it did not end within its time, or memory.
- `no-code`: the answer holds no program in this language. `other`: the sandbox broke twice with it.

Rules look at what was written up to the second error, in their order; where none fits, a program that was refused is
`api-confusion`, and one that ended by itself `wrong-answer`. docs/languages.md has the agreement
with labels that were given before the rules were written.

Not covered: several errors in one program (the first one reported counts), and what nobody reports: a program of
another language's idioms that works.
"""

import re
from functools import cache

from honestly.languages._judge import ProgramRun

FAILURES = (
    *("ecosystem", "api-confusion", "invented-surface", "convention-gap", "wrong-answer", "time", "no-code"),
    "other",
)
"""In the order in which tables show them."""

_STAGES = {"no-code": "no-code", "time": "time", "memory": "time", "sandbox": "other"}
_ECOSYSTEM, _CONFUSION, _INVENTED, _GAP, _WRONG = FAILURES[:5]

_NO_INPUT_FILE = r"(?:ENOENT|Errno::ENOENT|FileNotFoundError|NoSuchFileException|NotFound, message)"
_JAVA_KNOWN = (
    r"(?:Scanner|\w*List|\w*Map|\w*Set|\w*Queue|\w*Deque|Arrays|Collections|Big\w+|\w*Reader|Stack|IOException)"
)
_PHP_EXTENSIONS = r"(?:gmp|mb|bc\w+|curl|iconv|ctype|simplexml|imagick|apcu|ds)"
_OCAML_OWN = (
    r"(?:Stdlib|List|Array|String|Bytes|Hashtbl|Map|Set|Buffer|Printf|Scanf|Char|Int|Int64|Int32|Float|Option|Result|"
    r"Seq|Queue|Stack|Str|Unix|Fun|Sys|Random|Lazy|Format|Filename|Gc|Printexc|Either|Bool|Unit|Complex|In_channel)"
)

_MEMORY = re.compile(r"\bMemoryError$|OutOfMemoryError|bad_alloc|: out of memory|heap out of memory", re.MULTILINE)
_QUOTES = str.maketrans("‘’`", "'''")
_HEAD = re.compile(
    r"^(?:error(?:\[E\d+\])?:|\S+:\d+:\d+: (?:fatal )?error|\S+\(\d+,\d+\): error|\S+\.java:\d+: error|"
    r"File \"main\.ml\", line|\S*main\.go:\d+:\d+:)",
    re.MULTILINE,
)
"""Where a message about an error begins."""

_RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        (_ECOSYSTEM, r"ModuleNotFoundError: No module named"),
        (_INVENTED, r"ImportError: cannot import name"),
        (_GAP, r"Missing parentheses in call to|IndentationError|TabError|EOFError|" + _NO_INPUT_FILE),
        (_GAP, r"NameError: .*Did you forget to import"),
        (_WRONG, r"AttributeError: 'NoneType'|TypeError: .*'?NoneType"),
        (_INVENTED, r"AttributeError:|NameError:"),
        (_CONFUSION, r"SyntaxError:|TypeError:"),
    ),
    "typescript": (
        (_ECOSYSTEM, r"TS2307|TS7016|Error: Cannot find module"),
        (
            _GAP,
            r"TS1375|TS1378|TS1259|TS258\d|TS2451|TS1208|ENOENT|'(?:prompt|alert|document|window|Deno|Bun|readline)'",
        ),
        (_INVENTED, r"TS2305|TS2339|TS2551|TS2304|TS2552|TS2550|TS2694|TS2724|is not a function|ReferenceError"),
        (_CONFUSION, r"error TS\d+|SyntaxError|TypeError: Cannot (?:mix|convert)"),
    ),
    "go": (
        (_ECOSYSTEM, r"cannot find module providing|no required module provides|cannot find package \"[\w-]+\.\w"),
        (_INVENTED, r"is not in (?:GOROOT|std)|has no field or method|undefined \(type|undeclared name"),
        (_GAP, r"undefined: (?:fmt|strings|strconv|os|bufio|math|sort|big|bits|time|io|bytes|unicode)$"),
        (_INVENTED, r"undefined: "),
        (_GAP, r"declared (?:and|but) not used|imported and not used|function main is undeclared|expected 'package'"),
        (_GAP, r"\./main: (?:Permission denied|not found|cannot execute)|no such file or directory"),
        (_CONFUSION, r"syntax error|cannot use|invalid operation|mismatched types|too (?:many|few) arguments"),
        (_CONFUSION, r"not enough arguments"),
    ),
    "rust": (
        (_ECOSYSTEM, r"can't find crate|missing (?:a )?crate|unlinked crate|undeclared crate"),
        (_ECOSYSTEM, r"unresolved import '(?!(?:std|core|alloc|crate|self|super)\b)"),
        (_GAP, r"E0601|E0554|E0583|E0670|E0433.*undeclared type|use of undeclared type|consider importing"),
        (_INVENTED, r"E0599|E0425|E0412|E0432|E0433|E0609|E0560|E0576|E0658|cannot find macro|E0407|E0405"),
        (_GAP, r"NotFound, message"),
        (_CONFUSION, r"error\[E\d+\]|error: expected"),
    ),
    "java": (
        (_GAP, r"package (?:java|javax)\.\S+ does not exist|should be declared in a file named|Main method"),
        (_ECOSYSTEM, r"package \S+ does not exist"),
        (_GAP, r"Could not find or load main class|reached end of file|NoSuchFileException|unreported exception"),
        (_GAP, rf"cannot find symbol\n.*\n.*\n\s+symbol:\s+(?:class|variable) {_JAVA_KNOWN}\n"),
        (_CONFUSION, r"cannot find symbol\n.*\n.*\n\s+symbol:\s+(?:variable|method) (?:length|size)\b"),
        (_INVENTED, r"cannot find symbol"),
        (_CONFUSION, r"error: "),
    ),
    "kotlin": (
        (_ECOSYSTEM, r"unresolved reference[^\n]*\n\s*import (?!java\b|javax\b|kotlin\b)"),
        (_GAP, r"unresolved reference '(?:Big\w+|Scanner|Local\w+|\w*Queue|\w*Reader|sqrt|abs|min|max|exitProcess)'"),
        (_GAP, r"Could not find or load main class|[Nn]o main (?:method|function)|Main method not found"),
        (_GAP, r"NoSuchFileException|FileNotFoundException"),
        (_INVENTED, r"unresolved reference"),
        (_CONFUSION, r"error: "),
    ),
    "ocaml": (
        (
            _ECOSYSTEM,
            rf"Unbound module (?!{_OCAML_OWN}\b)|No implementations? provided|Cannot find file|undefined global",
        ),
        (_GAP, r"Unbound value [^.\n]+\n(?:.*\n)?.*you should add the 'rec'|Unbound constructor"),
        (_INVENTED, r"Unbound (?:value|module|type|record|class|method)|has no method"),
        (_CONFUSION, r"Syntax error|has type|is not a function|applied to too many|Some type variables"),
        (_GAP, r"Sys_error"),
    ),
    "zig": (
        (_ECOSYSTEM, r"no module named|unable to load|FileNotFound"),
        (_GAP, r"unused (?:local|function|capture|variable)|never mutated|pointless discard|is not marked 'pub'"),
        (_GAP, r"has no member named 'main'"),
        (_INVENTED, r"has no member named|no field or member function|no field named|undeclared identifier"),
        (_INVENTED, r"invalid builtin function|expected \d+ arguments?, found \d+\n[^\n]*@\w+\("),
        (_CONFUSION, r"error: (?:expected|invalid|incompatible|type '|cannot|unable|value|no |error|integer)"),
    ),
    "php": (
        (_ECOSYSTEM, rf"Failed opening required|Class \"[\w]+\\|undefined function {_PHP_EXTENSIONS}_?|Class \"Ds"),
        (
            _GAP,
            r"must be the very first statement|has to be the (?:very )?first|Cannot redeclare|Failed to open stream",
        ),
        (_INVENTED, r"Call to undefined|Class \"\w+\" not found"),
        (_WRONG, r"on null|DivisionByZeroError"),
        (_CONFUSION, r"Parse error|ParseError|TypeError|ArgumentCountError|Undefined constant|Unsupported operand"),
    ),
    "c": (
        (_ECOSYSTEM, r"fatal error: \S+: No such file"),
        (_GAP, r"undefined reference to 'main'|is defined in header|multiple definition of 'main'"),
        (_INVENTED, r"undefined reference to|has no member named"),
        (_CONFUSION, r"error: (?!unknown type name)|: (?:too few|too many) arguments"),
        (_INVENTED, r"unknown type name"),
    ),
    "cpp": (
        (_ECOSYSTEM, r"fatal error: \S+: No such file"),
        (_GAP, r"undefined reference to 'main'|must return 'int'|did you mean 'std::|suggested alternative"),
        (_GAP, r"error: [^\n]*(?:\n(?!\S+ error)[^\n]*)*?is defined in header"),
        (_INVENTED, r"is not a member of|was not declared in this scope|has no member named|undefined reference"),
        (_INVENTED, r"does not name a type|only available (?:from|with)"),
        (_CONFUSION, r"error: "),
    ),
    "haskell": (
        (_ECOSYSTEM, r"Could not (?:find|load) module"),
        (
            _GAP,
            r"action 'main' is not|no output will be generated|\./main: not found|Illegal |Perhaps you intended to use",
        ),
        (_GAP, r"Use \w+ to allow|openFile: does not exist"),
        (_INVENTED, r"does not export|not in scope|Not in scope"),
        (_CONFUSION, r"parse error|Couldn't match|Couldn’t match|No instance|error:"),
    ),
    "lua": (
        (_ECOSYSTEM, r"module '[^']+' not found"),
        (_INVENTED, r"attempt to call a nil value"),
        (_GAP, r"No such file or directory"),
        (_CONFUSION, r"main\.lua:\d+: .* (?:near|expected)|bad argument|a (?:table|function|boolean) value"),
    ),
    "ruby": (
        (_ECOSYSTEM, r"cannot load such file"),
        (
            _GAP,
            r"dynamic constant assignment|Errno::ENOENT|uninitialized constant \S*(?:Set|Date|Prime|Time|BigDecimal)\b",
        ),
        (_WRONG, r"for nil:NilClass|for nil\b|nil can't be coerced"),
        (_INVENTED, r"undefined (?:local variable or )?method|uninitialized constant"),
        (_CONFUSION, r"syntax error|wrong number of arguments|no implicit conversion|can't be coerced|\(TypeError\)"),
        (_CONFUSION, r"unexpected"),
    ),
    "perl": (
        (_ECOSYSTEM, r"Can't locate \S+\.pm in @INC"),
        (_INVENTED, r"is not exported by|Undefined subroutine|object method \"\w+\" via package \"[A-Z]"),
        (
            _GAP,
            r"requires explicit package name|Perl v[\d.]+ required|predeclare say|near \"say|No such file or directory",
        ),
        (_GAP, r"Bareword \"\w+\" not allowed"),
        (
            _CONFUSION,
            r"syntax error|object method|Experimental|Can't use|Not an? \w+ reference|(?:many|enough) arguments",
        ),
    ),
}


def failure_of(language: str, ran: ProgramRun) -> str:
    """The class of a failure, one of `FAILURES`.

    Args:
        language: Of the program.
        ran: How far it came; not `passed`.
    """
    if ran.stage in _STAGES:
        return _STAGES[ran.stage]
    if ran.stage == "answer":
        return _GAP if _without_effect(language, ran.output) else _WRONG
    if _MEMORY.search(ran.output):
        return "time"
    # The output up to the second error.
    output = ran.output.translate(_QUOTES)
    starts = [found.start() for found in _HEAD.finditer(output)]
    first = output[: starts[1]] if len(starts) > 1 else output
    for kind, pattern in _compiled(language):
        if pattern.search(first):
            return kind
    return _CONFUSION if ran.stage == "compile" else _WRONG


def _without_effect(language: str, output: str) -> bool:
    """Whether a program that ended well printed nothing; or its own text, as PHP does without a tag."""
    return not output.strip() or (language == "php" and re.search(r"<\?hh|\$\w+ = ", output) is not None)


@cache
def _compiled(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.MULTILINE)) for kind, pattern in _RULES[language])
