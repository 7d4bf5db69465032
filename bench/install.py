"""What a core install is: distributions and megabytes, in a fresh environment made by this script.

python bench/install.py            the pinned versions, as `make demo` installs them
python bench/install.py --latest   the newest ones, as `pip install` chooses them
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def megabytes(folder: Path, *, compiled: bool = False) -> float:
    """Size of the files below a folder: those that were installed, or the byte code that pip compiled from them."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and (p.suffix == ".pyc") == compiled) / 1e6


def main() -> None:
    """Installs the core and the package itself, and prints what came."""
    with tempfile.TemporaryDirectory() as name:
        venv.create(name)
        site = next(Path(name, "lib").glob("python*/site-packages"))
        pip = [sys.executable, "-m", "pip", "--python", str(Path(name, "bin", "python"))]
        if "--latest" not in sys.argv:
            core = (ROOT / "constraints" / "core.txt").read_text()
            start = core.index("uv-build==")
            Path(name, "core.txt").write_text(core[:start])  # the build backend is no part of what users get
            subprocess.run([*pip, "install", "-q", "--require-hashes", "-r", str(Path(name, "core.txt"))], check=True)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)], check=True)
        subprocess.run([*pip, "install", "-q", str(next(Path(name).glob("*.whl")))], check=True)
        shown = subprocess.run([*pip, "list", "--format=freeze"], check=True, capture_output=True, text=True)
        names = shown.stdout.split()
        size, more = megabytes(site), megabytes(site, compiled=True)
        print(f"{len(names)} distributions, {size:.1f} MB, and {more:.1f} MB of byte code: {', '.join(names)}")


if __name__ == "__main__":
    main()
