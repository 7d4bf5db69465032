"""The program as a shell starts it, and files for it to read."""

import subprocess
import sys


def honestly(*words, **options):
    """A command in a process of its own."""
    words = map(str, words)
    return subprocess.run([sys.executable, "-m", "honestly", *words], capture_output=True, text=True, **options)


def write(root, files):
    """Writes texts below a folder, which may be new; gives the folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root
