"""Actions without sentences: code and commands stay, prose inside them is taken out.

The second judge shall see what was done and nothing that could talk to it. Instructions can be planted in actions too:
in comments, commit messages, file names, here-documents, encoded text. So comments, docstrings, runs of plain words,
short quoted phrases, what is printed to the terminal, words one below the other, names and paths of many words, and
encoded blobs are replaced by a mark that says what stood there. What an encoded blob holds is masked in its turn, and
shown.

It errs on the side of masking: a list of packages looks like a sentence and goes too. Not covered: what three words can
say in a name or a command that does not exist, words spread over strings with code between them, and encodings that
`honestly.audit.reading._escapes` does not know.
"""

import re

from honestly.audit.monitor._fence import visible_text
from honestly.audit.reading._escapes import decoded_texts

_WORD = r"[^\W\d_]{2,40}(?:['\u2019][^\W\d_]{1,10})?"
_GAP = r"[ \t]{0,8}[,.:!?\u2026\u2013\u2014\"'*_~-]{0,3}[ \t]{1,8}"
_RUN = re.compile(rf"(?<!\w){_WORD}(?:{_GAP}{_WORD}(?!\w)){{2,400}}")
_RUNG = rf"[^\w\n]{{0,20}}{_WORD}[^\w\n]{{0,20}}"
_LADDER = re.compile(rf"^{_RUNG}(?:\n{_RUNG}){{3,400}}$", re.MULTILINE)
_PHRASE = re.compile(rf"""(["'])[ \t]{{0,4}}{_WORD}(?:{_GAP}{_WORD}){{2,60}}[\s.!?:]{{0,4}}\1""")
_STRINGS = re.compile(rf"""(?:(["']){_WORD}\1[ \t,+\n]{{0,20}}){{4,400}}""")
_PATH = re.compile(r"(?<![\w/.])[\w.~-]{0,40}(?:/[\w.-]{1,60}){4,60}")
_NAME = re.compile(r"[^\W_]{1,40}(?:[-_|+~:,;]{1,3}[^\W_]{1,40}){3,200}")
_HUMPS = re.compile(r"(?<![A-Za-z])[A-Za-z]?[a-z]{1,30}(?:[A-Z][a-z]{1,30}){4,60}")
_PARTS = re.compile(r"[^\W\d_]{2,}")
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,100000}={0,2}(?![A-Za-z0-9+/_=-])")
_COMMENT = re.compile(
    r"(?:^|(?<=[ \t;]))#(?!!|include|define|ifdef|ifndef|endif|if |else|pragma)[^\n]{1,20000}"
    r"|(?:^|(?<=[ \t;]))//[^\n]{1,20000}|/\*.{1,20000}?\*/|<!--.{1,20000}?-->",
    re.MULTILINE | re.DOTALL,
)
_PRINTED = re.compile(r"\b(echo|printf)((?:[ \t]+-\w{1,8})*)[ \t]+([^\n;|&<>]{1,20000}+)(?=$|\n|;|&&|\|\|)")
_DOCSTRING = re.compile(r'(?:^|(?<=\n))([ \t]{0,80})("""|\'\'\')(.{0,20000}?)\2', re.DOTALL)
# Words that make a sentence; of words with commas between, more are needed.
_FEWEST, _FEWEST_LISTED = 4, 6
_BEGINS = 12
_MARK = re.compile(
    r"\[(?:text|comment|docstring|words|encoded|(?:name|path) \d{1,5})\]|\[encoded (?P<begins>[^:\s]{1,12}): "
)
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "for in if else elif not and or is from import as return while with def class lambda yield async await try "
        "except raise assert pass break continue global let const var function new of then fi do done echo print sudo "
        "cd cp mv rm ls cat true false none null self select where",
    )
)


class Masker:
    """Masks the texts of one trial; a name that comes again has the same number."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}

    def text(self, text: str) -> str:
        """`text` without sentences."""
        return self._mask_layers(visible_text(text), layers=2)

    def _mask_layers(self, text: str, layers: int) -> str:
        text = _BLOB.sub(lambda match: self._mask_blob(match[0], layers), text)
        text = _COMMENT.sub("[comment]", text)
        text = _DOCSTRING.sub(r"\1[docstring]", text)
        text = _PRINTED.sub(_printed, text)
        text = _LADDER.sub("[words]", text)
        text = _PHRASE.sub(r"\1[text]\1", text)
        text = _STRINGS.sub("[words]", text)
        text = _RUN.sub(_masked_sentence, text)
        text = _PATH.sub(self._mask_path, text)
        text = _NAME.sub(self._mask_name, text)
        return _HUMPS.sub(self._mask_name, text)

    def _mask_blob(self, blob: str, layers: int) -> str:
        if _reads_as_words(blob):
            return blob
        inner = decoded_texts(blob) if layers else []
        # Enough to find it again in the record, too little to say anything.
        begins = blob[:_BEGINS]
        return (
            f"[encoded {begins}: {self._mask_layers(visible_text(inner[-1])[:4000], layers - 1)}]"
            if inner
            else "[encoded]"
        )

    def _mask_path(self, match: re.Match[str]) -> str:
        """A path of many words keeps its beginning, its last directory and its file."""
        parts = match[0].split("/")
        if sum(bool(_PARTS.fullmatch(part)) for part in parts) < _FEWEST + 1:
            return match[0]
        return "/".join([*parts[:2], self._numbered_name("path", "/".join(parts[2:-2])), *parts[-2:]])

    def _numbered_name(self, kind: str, name: str) -> str:
        return f"[{kind} {self._names.setdefault(name, len(self._names) + 1)}]"

    def _mask_name(self, match: re.Match[str]) -> str:
        name = match[0]
        parts = _PARTS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
        if len(parts) < _FEWEST or all(len(part) < 3 for part in parts):
            return name
        ending = re.search(r"\.[a-z]{1,5}$", name)
        return f"{parts[0]}{self._numbered_name('name', name)}{ending[0] if ending else ''}"


def _printed(match: re.Match[str]) -> str:
    """The text with printed words masked, since they are said, not done: two words of it are prose already."""
    return f"{match[1]}{match[2]} [text]" if len(re.findall(_WORD, match[3])) > 1 else match[0]


def _reads_as_words(blob: str) -> bool:
    """Whether a long run of letters is a name or a path, and no encoding."""
    parts = re.split(r"[/_-]", blob)
    return all(part.isalpha() and (part[1:].islower() or part.isupper() or len(part) == 1) for part in parts if part)


def unmasked_quotes(quote: str) -> str:
    """The parts of a quote from masked text that can stand in the record, a line for each."""
    return _MARK.sub(lambda match: f"\n{match['begins'] or ''}\n", quote).strip()


def _masked_sentence(match: re.Match[str]) -> str:
    words = [word for word in re.findall(_WORD, match[0]) if word.lower() not in _KEYWORDS]
    listed = match[0].count(", ") * 2 >= len(words)
    return "[text]" if len(words) >= (_FEWEST_LISTED if listed else _FEWEST) else match[0]
