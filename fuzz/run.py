"""Fuzzes one target with atheris: `python fuzz/run.py wire -max_total_time=600`, arguments as libFuzzer has them.

A target is a module here with `one(data)`, which must return, whatever the data are: an exception that is not the
declared one, ten seconds for one input, or a gibibyte of memory are findings, and the input is written to `crash-...`
in the working directory. `SEEDS` are inputs to begin with, `TOKENS` what mutations are made of.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

LIMITS = ("-timeout=10", "-rss_limit_mb=1024", "-max_len=65536", "-len_control=0", "-print_final_stats=1")


def main() -> None:
    """Fuzzes the target that the first argument names."""
    import atheris

    name, *given = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).parent))
    with atheris.instrument_imports(include=["honestly"]):
        target = import_module(f"{name}_target")
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(target.SEEDS):
            (corpus / f"seed-{number}").write_bytes(seed)
        words = Path(folder) / "words"
        words.write_text("".join(f'"{_escaped(token)}"\n' for token in target.TOKENS))
        atheris.Setup([sys.argv[0], *LIMITS, f"-dict={words}", *given, str(corpus)], target.one)
        atheris.Fuzz()


def _escaped(token: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    main()
