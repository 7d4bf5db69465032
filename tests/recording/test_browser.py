"""A person's work in a real Chromium becomes a trajectory; a password is nowhere in what is kept."""

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from honestly.recording import RecordingJournal, StreamRedactor, keep_recording, open_recorded_browser, read_recording
from honestly.store import open_study

pytest.importorskip("playwright", reason="the extra browser is not installed")
if not shutil.which("chromium"):
    pytest.skip("Debian's chromium is not installed", allow_module_level=True)

SECRET = "hunter2-plus-7"
FORM = """<title>Log in</title><form action="/welcome"><label>User <input name=user></label>
<label>Password <input type=password name=password id=p></label><button type=button id=eye>Show</button>
<select aria-label=Colour><option>red<option>green</select><label><input type=checkbox> Stay</label><button>Go</button></form>
<script>eye.onclick = () => { p.type = 'text' }</script>"""


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        page = (
            f"<title>In</title><h1>Welcome</h1><p>{self.path}</p><a href=/>back</a>" if "welcome" in self.path else FORM
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_what_a_person_does_in_a_browser_is_kept_and_a_password_is_not(tmp_path, site):
    journal = RecordingJournal(tmp_path / "r", StreamRedactor(), size=(80, 24), head={"task": "log in"})
    with open_recorded_browser(journal, site, headless=True) as (recorder, page):
        recorder.write_actions()
        page.get_by_label("User").click()
        page.keyboard.type("ada")
        page.keyboard.press("Escape")
        page.get_by_label("Password").click()
        page.keyboard.type(SECRET)
        page.get_by_role("button", name="Show").click()
        recorder.write_actions()
        page.get_by_label("Colour").select_option("green")  # not trusted, so not a person's
        page.get_by_label("Stay").check()
        page.get_by_role("button", name="Go").click()
        recorder.write_actions()
        found = page.evaluate("Object.keys(window).filter((name) => name.startsWith('honestly'))")
        assert found == [], "a page can tell nothing itself"
        page.evaluate("document.querySelector('a').click()")  # a script's
        page.get_by_label("User").fill("")
        page.get_by_label("User").press_sequentially("bob")
        page.keyboard.press("Enter")
        recorder.write_actions()
        page.close()
        assert not recorder.write_actions()
    journal.close()
    for path in (tmp_path / "r").iterdir():
        assert SECRET.encode() not in path.read_bytes()
    recording = read_recording(tmp_path / "r", journal.redactor)
    keep_recording(recording, tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as store:
        (trial,) = store.trials()
        steps = store.trajectory(trial.id).steps
    said = [" ".join(str(call.argument(name)) for name in call.arguments) for step in steps for call in step.calls]
    assert said[-2:] == ['type textbox "User" bob', "press Enter"]
    assert said[:7] == [
        f"goto {site}",
        "press Escape",
        'type textbox "User" ada',
        'type textbox "Password" [secret]',
        'click button "Show"',
        'click checkbox "Stay"',
        'click button "Go"',
    ]
    last = steps[7].observations[0]
    assert "Welcome" in last.text
    assert "[secret]" in last.text, "the address holds it"
    assert last.images[0].data.startswith(b"\x89PNG")


def test_a_machine_without_a_screen_or_a_page_is_said(tmp_path, site):
    env = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    words = [sys.executable, "-m", "honestly", "record", "--browser", site, "--yes"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, stdin=subprocess.PIPE)
    assert (done.returncode, "no screen" in done.stderr) == (2, True), done.stderr
    assert json.dumps([each.name for each in tmp_path.iterdir()]) == "[]"
