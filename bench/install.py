"""What a core install is: distributions and megabytes, in a fresh environment made by this script.

python bench/install.py
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def megabytes(folder: Path) -> float:
    """Size of the files below a folder, byte code left out."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc") / 1e6


def main() -> None:
    """Installs the pinned core and the package itself, and prints both figures."""
    with tempfile.TemporaryDirectory() as name:
        venv.create(name, with_pip=True)
        python = Path(name, "bin", "python")
        site = next(Path(name, "lib").glob("python*/site-packages"))
        before = megabytes(site)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile"]
        core = (ROOT / "constraints" / "core.txt").read_text()
        start = core.index("uv-build==")
        Path(name, "core.txt").write_text(core[:start])  # the build backend is no part of what users get
        subprocess.run([*pip, "--require-hashes", "-r", str(Path(name, "core.txt"))], check=True)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)], check=True)
        subprocess.run([*pip, "--no-deps", str(next(Path(name).glob("*.whl")))], check=True)
        shown = subprocess.run(
            [str(python), "-m", "pip", "list", "--format=freeze"], check=True, capture_output=True, text=True
        )
        names = [line for line in shown.stdout.split() if not line.startswith(("pip=", "setuptools="))]
        print(f"{len(names)} distributions, {megabytes(site) - before:.1f} MB: {', '.join(names)}")


if __name__ == "__main__":
    main()
