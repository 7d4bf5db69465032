"""The viewer in a real browser: it opens, lists, and asks nothing of other machines."""

import sys
from types import SimpleNamespace

from honestly.web import _figures


def test_the_first_page_leads_to_the_trials(viewer, terminal_bench, open_page):
    with viewer(terminal_bench) as view:
        page = open_page(view)
        page.get_by_role("link", name="Trials").click()
        page.wait_for_url("**/trials")
        page.wait_for_selector("tbody tr")
        assert "token" not in page.url
        page.keyboard.press("?")
        assert page.locator("dialog#keys").is_visible()


def test_ctrl_c_while_a_figure_is_made_says_no_traceback(monkeypatch, capsys, tmp_path):
    program = tmp_path / "python"
    # A shell could not be interrupted where these tests run in the background.
    lines = (
        "print('Traceback', file=sys.stderr)",
        "signal.signal(signal.SIGINT, signal.SIG_DFL)",
        "signal.raise_signal(2)",
    )
    program.write_text("\n".join((f"#!{sys.executable}", "import signal, sys", *lines)))
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    assert "error" in _figures._made_pieces(SimpleNamespace(path=tmp_path, key="k"), ("board",))
    assert capsys.readouterr().err == ""
