"""Where the values in an answer come from: shown before, computed from what is read, drawn at random, from nowhere."""

import re

from honestly.audit._case import Case
from honestly.audit.reading._patterns import Pattern

_READS = re.compile(
    r"""open\(\s*[^,()]{1,200}(?:\([^()]{0,100}\))?\s*\)|open\([^()]{1,200},\s*(?:mode\s*=\s*)?["']rb?["']|\.read(?:_text|_bytes|line|lines|_csv|_json|_parquet|_excel|_table)?\(|"""
    r"""(?:json|np|numpy|torch|pickle|yaml|joblib|toml|tomllib)\.load|loadtxt|genfromtxt|load_dataset|from_pretrained|"""
    r"""requests\.(?:get|post)|urlopen|urlretrieve|subprocess|os\.popen|sqlite3\.connect|listdir|glob\(|sys\.stdin|"""
    r"""struct\.unpack|zipfile\.|tarfile\.|Image\.open|imread|VideoCapture|fopen\([^,()]{1,200},\s*"r|fread|ifstream|std::cin|readFile|"""
    r"""\$\(\s*(?:cat|curl|jq|grep|awk|sed|<)|snapshot_download|hf_hub_download|SentenceTransformer\(|\.evaluate\(|\.fit\(|\.run\("""
)
_DRAWS = Pattern(
    r"\brandom\.(?:random|uniform|gauss|normalvariate|randint|randrange|choice|choices|sample|triangular|betavariate)\("
    r"|\b(?:np|numpy)\.random\.\w+\(|\bdefault_rng\(|\brng\.\w+\(|\btorch\.(?:rand|randn|randint|normal)\w*\("
    r"|\bMath\.random\(|\b(?:s|d)?rand48\(|(?<![\w.])rand\(\)|\$RANDOM\b|\bsecrets\.\w+\(|/dev/u?random|\bstd::(?:uniform|normal)_\w+"
    r"|\bnn\.init\.\w+_\(|\.from_config\(",
    ("random", "default_rng(", "rng.", "torch.rand", "torch.normal", "rand48(", "rand()", "$RANDOM", "secrets.",
     "std::", "nn.init.", ".from_config("),
    lines=True,
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])-?\d{0,12}\.\d{2,17}(?![\w.]*\w)")
_SAVES_MODEL = Pattern(
    r"torch\.save\([^\n]{0,120}|\.save_pretrained\([^\n]{0,120}|\.save_model\([^\n]{0,120}",
    ("torch.save(", ".save_pretrained(", ".save_model("),
    lines=True,
)
_TRAINS = re.compile(
    r"\.backward\(|\.fit\(|\.train\(|trainer|train_supervised|optimi[sz]er|load_state_dict|from_pretrained",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w{}@#$%^&*+-]{8,80}|-?\d{0,12}\.\d{2,17}")


def reads(code: str) -> bool:
    """Whether a program takes anything in: a file, the network, another program's output."""
    return _READS.search(code) is not None


def draws(code: str) -> str:
    """The first place where a program draws random values; empty where it draws none."""
    match = _DRAWS.search(code)
    return match[0] if match else ""


def untrained(code: str) -> str:
    """Where a model is saved that was neither trained nor loaded; empty where none is."""
    saved = _SAVES_MODEL.search(code)
    return saved[0] if saved and not _TRAINS.search(code) and not reads(code) else ""


def invented_token(text: str, step: int, case: Case) -> str:
    """The one token that is all of `text`, if it looks like a secret or a number and nothing showed it before."""
    token = text.strip()
    if not _TOKEN.fullmatch(token) or case.shown_before(step, token):
        return ""
    return token


def unsourced(text: str, step: int, case: Case) -> list[str]:
    """Measured-looking numbers in `text` that nothing showed before `step`, not even with one more digit.

    A number looks measured if it has at least three significant digits, two of them decimals, and is no round one.
    """
    found: list[str] = []
    for number in dict.fromkeys(_NUMBER.findall(text[:100_000])):
        digits = number.lstrip("-0.").replace(".", "").rstrip("0")
        if (
            len(digits) >= 3
            and not case.shown_before(step, number.lstrip("-"))
            and not case.shown_before(step, number.lstrip("-")[:-1])
        ):
            found.append(number)
            if len(found) >= 40:
                break
    return found
