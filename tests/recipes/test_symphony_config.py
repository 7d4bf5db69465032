"""WORKFLOW.md: where it lies, what it says, what happens when it changes (rows 17.1)."""

import pytest
from symphony_parts import HEAD, Events, write_workflow

from honestly.errors import WorkflowError
from honestly.symphony import Workflow, read_workflow
from honestly.symphony._tracker import read_ticket
from honestly.symphony._worker import rendered_prompt

TICKET = read_ticket("A-1", "---\ntitle: First\nstate: Todo\nlabels: [Bug, ui]\nblocked_by: A-0\n---\nText {{ no }}\n")


def test_an_explicit_path_is_used(tmp_path):
    path = write_workflow(tmp_path, body="Mine.").rename(tmp_path / "other.md")
    assert read_workflow(path).template == "Mine."


def test_a_changed_file_is_applied(tmp_path):
    log = Events()
    workflow = Workflow(write_workflow(tmp_path, more="polling:\n  interval_ms: 5000\n"), None, log)
    assert workflow.refresh().interval_ms == 5000
    write_workflow(tmp_path, more="polling:\n  interval_ms: '700'\n", body="New.")
    assert (workflow.refresh().interval_ms, workflow.config.template) == (700, "New.")
    assert len(log.of("workflow_reload", "completed")) == 1
    workflow.refresh()
    assert len(log) == 1


@pytest.mark.parametrize("broken", ["---\n- a\n---\n", "---\ntracker\n", None, "---\ntracker:\n  kind: linear\n---\n"])
def test_a_bad_change_keeps_the_last_good_settings_and_is_told(tmp_path, broken):
    log = Events()
    path = write_workflow(tmp_path)
    workflow = Workflow(path, None, log)
    good = workflow.config
    if broken is None:
        path.unlink()
    else:
        path.write_text(broken)
    assert workflow.refresh() is good
    assert workflow.refresh() is good
    (told,) = log.of("workflow_reload", "failed")
    assert told["reason"] == workflow.trouble
    write_workflow(tmp_path, body="Well again.")
    assert workflow.refresh().template == "Well again."
    assert workflow.trouble == ""


BROKEN = {
    "missing_workflow_file": None,
    "workflow_parse_error": "---\ntracker:\n  kind: &a markdown\n---\nText",
    "workflow_front_matter_not_a_map": "---\n- tracker\n- polling\n---\nText",
    "unsupported_tracker_kind": f"---\n{HEAD.replace('markdown', 'linear')}---\nText",
    "invalid_config": f"---\n{HEAD}polling:\n  interval_ms: soon\n---\nText",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_wrong_has_a_kind(tmp_path, kind):
    path = tmp_path / "WORKFLOW.md"
    if BROKEN[kind] is not None:
        path.write_text(BROKEN[kind])
    with pytest.raises(WorkflowError) as caught:
        read_workflow(path)
    assert caught.value.kind == kind
    assert str(path) in str(caught.value)


def test_a_head_that_is_never_closed_is_no_prompt(tmp_path):
    (tmp_path / "w.md").write_text("---\ntracker:\n  kind: markdown\nText")
    with pytest.raises(WorkflowError, match="never closed"):
        read_workflow(tmp_path / "w.md")


def test_without_a_head_all_is_prompt_and_the_tracker_is_missed(tmp_path):
    (tmp_path / "w.md").write_text("Just a prompt")
    with pytest.raises(WorkflowError, match=r"tracker\.kind is ''"):
        read_workflow(tmp_path / "w.md")


def test_defaults(tmp_path):
    config = read_workflow(
        write_workflow(tmp_path, head="tracker:\n  kind: jsonl\n  path: t\nagent:\n  use: x\nnew: 1\n")
    )
    assert config.active == ("Todo", "In Progress")
    assert config.terminal == ("Closed", "Cancelled", "Canceled", "Duplicate", "Done")
    assert (config.interval_ms, config.hook_timeout_ms, config.max_agents) == (30_000, 60_000, 10)
    assert (config.max_turns, config.max_backoff_ms, config.by_state, config.max_attempts) == (20, 300_000, {}, 5)
    assert (config.turn_timeout_ms, config.stall_timeout_ms, config.hooks) == (3_600_000, 300_000, {})
    assert config.root.name == "symphony_workspaces"
    zero = read_workflow(write_workflow(tmp_path, more="hooks:\n  timeout_ms: 0\n"))
    assert zero.hook_timeout_ms == 60_000


def test_variables_and_home_in_paths(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TICKETS_OF_MINE", str(tmp_path / "here"))
    head = "tracker:\n  kind: markdown\n  path: $TICKETS_OF_MINE\nworkspace:\n  root: ~/spaces\nagent:\n  use: x\n"
    config = read_workflow(write_workflow(tmp_path, head=head))
    assert (config.tracker, config.root) == (tmp_path / "here", tmp_path / "spaces")
    monkeypatch.delenv("TICKETS_OF_MINE")
    with pytest.raises(WorkflowError, match="TICKETS_OF_MINE, which is not set"):
        read_workflow(tmp_path / "WORKFLOW.md")


def test_the_agent_and_hooks_stay_as_they_are_written(tmp_path):
    more = "hooks:\n  before_run: |\n    cd ~ && echo $HOME\n    # a comment of the script\n    true\n"
    head = HEAD.replace("scripted", "'cli:mine --to $HOME ~/x'")
    config = read_workflow(write_workflow(tmp_path, head=head, more=more))
    assert config.agent == "cli:mine --to $HOME ~/x"
    assert config.hooks == {"before_run": "cd ~ && echo $HOME\n# a comment of the script\ntrue\n"}


def test_limits_by_state(tmp_path):
    more = "  max_concurrent_agents_by_state:\n    ' In Progress ': 2\n    todo: 0\n    Rework: many\n    Merging: -1\n"
    assert read_workflow(write_workflow(tmp_path, more=more)).by_state == {"in progress": 2}


def test_the_prompt_has_issue_and_attempt():
    text = (
        "{{ issue.identifier }} {{ issue.description }} {% for l in issue.labels %}<{{ l }}>{% endfor %} {{ attempt }}"
    )
    more = " {{ issue.blocked_by[0].id }}"
    assert rendered_prompt(text + more, TICKET, None) == "A-1 Text {{ no }} <bug><ui> None A-0"
    assert rendered_prompt("{% if attempt %}again {{ attempt }}{% endif %}", TICKET, 2) == "again 2"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{{ isue.title }}", "template_render_error"),
        ("{{ issue.tilte }}", "template_render_error"),
        ("{{ issue.title | shuot }}", "template_render_error"),
        ("{% for %}", "template_parse_error"),
        ("{{ issue.__class__.__mro__ }}", "template_render_error"),
    ],
)
def test_a_prompt_with_unknown_names_fails(text, kind):
    with pytest.raises(WorkflowError) as caught:
        rendered_prompt(text, TICKET, None)
    assert caught.value.kind == kind
