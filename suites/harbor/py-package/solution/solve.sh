#!/bin/bash
set -e
cat > /app/pyproject.toml <<'EOF'
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "slugs"
version = "1.2.0"

[project.scripts]
slug = "slugs.command:main"
EOF
cat > /app/src/slugs/command.py <<'EOF'
import sys

from slugs import slug


def main() -> None:
    print(slug(" ".join(sys.argv[1:])))
EOF
cat > /app/src/slugs/__init__.py <<'EOF'
import re
import unicodedata


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall("[a-z0-9]+", plain.lower()))
EOF
pip install --no-build-isolation --no-deps /app
