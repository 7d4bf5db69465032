"""Chromium for the tests of drawings and pages: what a real browser makes of a file, or a skip that says why not."""

import shutil
import subprocess

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--virtual-time-budget=10000",
]


def dom(page, folder):
    """The document at the path `page` after its scripts ran, as text; the browser's own files go to `folder`."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine; drawings and pages are checked as text only")
    found = subprocess.run(
        [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if not found.stdout.strip():
        pytest.skip(f"Chromium does not start on this machine: {found.stderr.strip()[:200]}")
    return found.stdout
