"""The tools of agents: what kind of act each is, and what its arguments say.

One table holds them: `TOOLS` has a line for each program, with the names of its tools by kind. What a call does stands
in the shape of its arguments, whatever its name: a path beside two texts is a replacement, beside one text a file, a
text with a patch in it a patch; `_KEYS` holds the names that arguments have. So an agent with new tools takes a line,
and a tool that nobody has named is read where its arguments say enough. What is left is counted as not understood, and
never as nothing.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import get_args

import msgspec

from honestly.audit.reading._parts import Code, Kind, Write
from honestly.audit.reading._patches import has_patch, patch_writes
from honestly.records import ToolCall, call_texts

TOOLS: Mapping[str, str] = {
    "any": (
        "run bash sh shell terminal exec execute command cmd run_command run_terminal_cmd bash_command run_shell "
        "execute_bash python ipython jupyter execute_ipython_cell run_python code_interpreter; edit edit; write write; "
        "read read cat view open; search grep glob find ls; fetch fetch http browser web_search; ask ask; say finish "
        "submit think done create_directory; delegate task agent"
    ),
    "Claude Code": (
        "run BashOutput KillShell KillBash PowerShell; edit MultiEdit NotebookEdit; read NotebookRead TaskOutput "
        "ReadMcpResourceTool; search ToolSearch LSP ListMcpResourcesTool; fetch WebFetch; ask AskUserQuestion; say "
        "TodoWrite TodoRead EnterPlanMode ExitPlanMode Skill SlashCommand TaskCreate TaskUpdate TaskList TaskGet "
        "TaskStop SendMessage StructuredOutput"
    ),
    "Codex": (
        "run container.exec local_shell exec_command write_stdin unified_exec shell_command; edit apply_patch; read "
        "view_image read_file; search list_dir grep_files; ask request_user_input; say update_plan; delegate "
        "spawn_agent send_input wait_agent close_agent resume_agent"
    ),
    "OpenCode": "edit patch; search list codesearch; ask question; say invalid",
    "Copilot": (
        "run run_in_terminal get_terminal_output run_task runTests create_and_run_task run_notebook_cell; edit "
        "insert_edit_into_file replace_string_in_file multi_replace_string_in_file edit_notebook_file edit_files; "
        "write create_file; read get_errors get_changed_files copilot_getNotebookSummary; search semantic_search "
        "file_search grep_search list_code_usages test_search; fetch fetch_webpage github_repo; say manage_todo_list "
        "report_intent report_progress create_new_workspace; delegate runSubagent"
    ),
    "SWE-agent": (
        "edit str_replace_editor insert edit_anthropic; write create; read goto scroll_up scroll_down; search "
        "find_file search_dir search_file filemap; say exit_forfeit exit_cost review_on_submit"
    ),
    "OpenHands": (
        "run run CmdRunAction IPythonRunCellAction run_ipython; edit edit_file file_editor FileEditAction; write "
        "FileWriteAction; fetch browse browse_interactive browser_navigate; say message task_tracker condensation "
        "recall change_agent_state system; delegate delegate"
    ),
    "Gemini CLI": (
        "run run_shell_command; edit replace smart_edit; write write_file; read read_many_files; search list_directory "
        "search_file_content; fetch google_web_search; ask ask_user; say save_memory write_todos activate_skill "
        "complete_task get_internal_docs; delegate codebase_investigator delegate_to_agent"
    ),
    "Cursor": (
        "run run_terminal_command; edit search_replace reapply edit_notebook delete_file StrReplace; read read_lints "
        "fetch_pull_request; search codebase_search glob_file_search; fetch fetch_rules; say create_diagram "
        "update_memory"
    ),
    "Cline": (
        "run execute_command; edit replace_in_file; write write_to_file new_rule; search search_files list_files "
        "list_code_definition_names; fetch browser_action; ask ask_followup_question; say attempt_completion "
        "plan_mode_respond act_mode_respond condense focus_chain load_mcp_documentation; delegate new_task "
        "use_subagents"
    ),
    "Roo Code": (
        "edit apply_diff insert_content search_and_replace; say update_todo_list switch_mode; delegate "
        "run_slash_command"
    ),
    "Kilo Code": "edit fast_edit_file; say report_bug",
    "Windsurf": (
        "run command_status read_terminal; edit replace_file_content multi_replace_file_content propose_code; read "
        "view_file view_file_outline view_line_range view_code_item view_content_chunk; search find_by_name "
        "search_in_file trajectory_search; fetch read_url_content search_web browser_preview; say create_memory "
        "suggested_responses deploy_web_app"
    ),
    "Antigravity": (
        "run send_command_input; say task_boundary notify_user manage_task schedule; delegate browser_subagent "
        "define_subagent invoke_subagent manage_subagents"
    ),
    "Amp": (
        "edit undo_edit; write format_file; read get_diagnostics look_at; search finder; fetch read_web_page; say "
        "mermaid; delegate oracle librarian"
    ),
    "Zed": (
        "edit delete_path move_path copy_path; write save_file restore_file_from_disk; read diagnostics now; search "
        "find_path; say thinking; delegate subagent"
    ),
    "Crush": "run job_output job_kill; read references; search sourcegraph; fetch download agentic_fetch; say todos",
    "Goose": (
        "run developer__shell; edit text_editor developer__text_editor; read image_processor screen_capture analyze "
        "tree; fetch computercontroller__web_scrape; say final_output platform__manage_schedule; delegate "
        "dynamic_task__create_task subagent__execute_task"
    ),
    "Aider": "edit replace_lines",
    "Devin": (
        "run kill_shell_process write_to_shell_process view_shell; edit remove_str find_and_edit; read open_file; "
        "search find_filecontent find_filename go_to_definition go_to_references hover_symbol; fetch navigate_browser "
        "view_browser click_browser git_view_pr; ask message_user; say report_environment_issue suggest_plan wait "
        "list_secrets"
    ),
    "Manus": (
        "run shell_exec shell_view shell_wait; edit file_str_replace; write file_write; read file_read; search "
        "file_find_in_content file_find_by_name info_search_web; ask message_ask_user; say message_notify_user idle"
    ),
    "Augment": (
        "run launch-process write-process read-process kill-process list-processes; edit remove-files; search "
        "codebase-retrieval git-commit-retrieval; say remember sequential-thinking view_tasklist reorganize_tasklist "
        "update_tasks add_tasks"
    ),
    "Trae": (
        "edit str_replace_based_edit_tool json_edit_tool update_file; search search_codebase view_files; say task_done"
    ),
    "JetBrains": (
        "run execute_terminal_command execute_run_configuration; edit replace_text_in_file replace_selected_text "
        "replace_specific_text reformat_file; write create_new_file create_new_file_with_text; read "
        "get_file_text_by_path get_open_in_editor_file_text; search find_files_by_glob list_directory_tree_in_folder"
    ),
    "Junie": "read open_entire_file; search search_project get_file_structure; say update_status answer",
    "Serena": (
        "run execute_shell_command; edit replace_symbol_body insert_after_symbol insert_before_symbol replace_regex "
        "replace_content delete_lines insert_at_line; write create_text_file; read find_symbol get_symbols_overview "
        "find_referencing_symbols; search search_for_pattern; say write_memory read_memory list_memories "
        "think_about_collected_information activate_project onboarding"
    ),
    "MCP filesystem": (
        "edit move_file; read read_text_file read_multiple_files get_file_info read_media_file; search directory_tree "
        "list_allowed_directories list_directory_with_sizes"
    ),
    "Desktop Commander": (
        "run start_process interact_with_process read_process_output; edit edit_block; search start_search "
        "get_more_search_results"
    ),
    "Continue": (
        "edit edit_existing_file single_find_and_replace; read read_currently_open_file view_diff; search "
        "file_glob_search view_repo_map view_subdirectory; fetch fetch_url_content"
    ),
    "Kiro": "run executePwsh; edit fsAppend; write fsWrite; read fs_read",
    "Amazon Q": "run execute_cmd; edit fsReplace; fetch use_aws; say report_issue",
    "Kimi": "edit StrReplaceFile; fetch FetchURL; say SetTodoList SendDMail; delegate CreateSubagent",
    "Factory Droid": "say ExitSpecMode",
    "Void": (
        "run run_persistent_command open_persistent_terminal; edit rewrite_file create_file_or_folder "
        "delete_file_or_folder; read read_lint_errors; search ls_dir get_dir_tree search_pathnames_only "
        "search_for_files"
    ),
    "Replit": (
        "run shell_command_application_feedback_tool workflows_set_run_config_tool; search search_filesystem; say "
        "suggest_deploy"
    ),
    "Lovable": (
        "edit lov-line-replace lov-delete lov-rename lov-search-replace; write lov-write; read lov-view "
        "lov-read-console-logs; search lov-search-files"
    ),
    "Terminus": "run execute_commands keystrokes; say task_complete mark_task_complete",
    "Letta": (
        "run run_code; edit core_memory_replace memory_insert memory_replace memory_rethink; search "
        "archival_memory_search conversation_search"
    ),
    "Agentless": "edit edit_file_by_replace edit_file_by_line",
    "smolagents": "run python_interpreter; fetch visit_webpage; say final_answer",
    "AutoGen": "run execute_code_block code_execution",
    "Inspect": (
        "run bash_session tool_basic_bash exec_python; fetch web_browser_go web_browser_click web_browser_type_submit "
        "web_browser_type web_browser_scroll web_browser_back"
    ),
    "Warp": "edit apply_file_diffs; read read_files; search file_glob",
    "Pi": "delegate Agents",
    "Grok": "search search; say create_todo_list",
    "Vibe": "say todo",
}
"""Names of tools by kind, for each program whose tools are known; a name that several have stands at the first."""

# Names of arguments by what they mean, the likeliest first.
_KEYS: Mapping[str, str] = {
    "path": (
        "path file_path filepath file_name filename file target_file TargetFile absolute_path AbsolutePath"
        " notebook_path relative_path relative_workspace_path uri path_in_project pathInProject abs_path"
        " file_text_path target_path"
    ),
    "old": (
        "old_str old_string old_text old search search_text SearchText TargetContent old_code old_content"
        " original original_text find needle search_string oldValue find_text from_text search_block"
        " string_to_replace old_str_1 regex"
    ),
    "new": (
        "new_str new_string new_text new replace replacement ReplacementContent new_code new_content"
        " replacement_text updated updated_text replace_text replace_with new_value to_text replace_block"
        " replacement_string text_to_insert new_str_1 repl"
    ),
    "whole": (
        "content contents file_text text CodeContent file_content new_source new_contents body data"
        " code_content full_content insert_text file_body rewritten_content insert_content"
    ),
    "sketch": "code_edit CodeEdit CodeMarkdownLanguageEdit changes code",
    "patch": "patch diff input patch_text patchText diff_text unified_diff patch_content",
    "edits": (
        "edits edit replacements ReplacementChunks chunks hunks changes operations diffs edit_operations files"
        " new_files patches replace_blocks"
    ),
    "from": (
        "start_line StartLine start line_start first_line from_line insert_line line InsertLine after_line"
        " at_line insert_at first_replaced_line_number first_replaced_line"
    ),
    "to": "end_line EndLine end line_end last_line to_line last_replaced_line_number last_replaced_line",
    "command": "command cmd commands script bash shell_command keystrokes input CommandLine cmdline chars",
    "code": "code source python python_code",
    "target": "destination target new_path to dest destination_path target_path",
}


@lru_cache(maxsize=4096)
def _plain_name(name: str) -> str:
    """A name of a tool or an argument without case, signs, and the server that it comes from."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=4096)
def _bare_name(name: str) -> str:
    """The plain name of a tool without the server or the namespace before it."""
    return _plain_name(re.split(r"__|[./:]", name)[-1] or name)


_KIND: dict[str, Kind] = {
    _plain_name(name): kind
    for line in TOOLS.values()
    for group in line.split(";")
    for kind in get_args(Kind)
    if group.split()[0] == kind
    for name in group.split()[1:]
}
_ARGUMENT: dict[str, tuple[str, ...]] = {
    what: tuple(dict.fromkeys(_plain_name(name) for name in names.split())) for what, names in _KEYS.items()
}
_LOOKS = re.compile(
    r"^(?:get|list|read|view|find|search|query|lookup|look|describe|check|count|show|inspect|browse|scroll|open|goto|fetch"
    r"|resolve|retrieve|locate|explore|analy[sz]e|diff|status|history|screenshot|snapshot|wait|navigate|click|hover|calculate|compute)"
)
# The server of a tool of MCP before the verb that looks: `docs_read_file`.
_SERVED = re.compile(
    r"^(?!(?:add|apply|commit|create|delete|edit|insert|move|patch|post|push|put|remove|rename|replace|save|set|update"
    rf"|upload|write)_)[a-z0-9]+_(?=(?:{_LOOKS.pattern[4:-1]})(?:_|$))"
)
_SAYS = re.compile(
    r"\bask|question|think|thought|plan|todo|memor|note|finish|submit|answer|message|respond|complete|report|summar|final|done|reflect|clarif"
)
_RUNS = re.compile(r"bash|shell|terminal|exec|command|cmd|console|run(?!_?tests)|sh$|process|tmux|powershell")
# What an editor's `command` may say.
_VERBS = frozenset(
    {"view", "create", "str_replace", "strreplace", "insert", "undo_edit", "write", "replace", "append", "read", "open",
     "overwrite", "delete", "edit", "open_file", "save", "remove", "view_range", "insert_line", "delete_file"}
)  # fmt: skip
_READ_VERBS = frozenset({"view", "read", "open", "open_file", "view_range"})
_ELLIPSIS = re.compile(
    r"^[ \t]*(?:#|//|/\*|<!--|--|;|\.\.\.)?[ \t]*(?:\.{3}|…)[ \t]*(?:existing|rest|other|\w+ (?:code|lines))?",
    re.MULTILINE,
)
# Edits of one call that are read.
_ITEMS = 200
# Characters of one argument that are read as a program.
_LONGEST = 1 << 18


class Given:
    """The arguments of a call, found by what they mean."""

    def __init__(self, texts: Mapping[str, str], raw: Mapping[str, msgspec.Raw] | None = None) -> None:
        self.all: Mapping[str, str] = {_plain_name(key): text for key, text in texts.items()}
        """All of them as text, by their plain names."""
        self._raw = {_plain_name(key): value for key, value in (raw or {}).items()}

    def text(self, what: str) -> str | None:
        """The argument that means this, as text; None where there is none."""
        return next((self.all[key] for key in _ARGUMENT[what] if key in self.all), None)

    def number(self, what: str) -> int | None:
        """The argument that means this, as a number; None where it is none."""
        found = re.match(r"\s*(\d{1,7})(?:\s*[:\-,]\s*\d+)?\s*$", self.text(what) or "")
        return int(found[1]) if found else None

    @property
    def path(self) -> str:
        """The file that is spoken of; empty for none."""
        return (self.text("path") or "").strip().removeprefix("file://")

    def items(self) -> Iterator["Given"]:
        """The parts of a list of edits, each with the path of the whole where it has none."""
        for key in _ARGUMENT["edits"]:
            try:
                found = msgspec.json.decode(self._raw[key]) if key in self._raw else None
                found = msgspec.json.decode(found) if isinstance(found, str) else found
            except msgspec.DecodeError:
                continue
            found = [found] if isinstance(found, dict) else found
            if isinstance(found, list) and found and all(isinstance(each, dict) for each in found):
                for item in found[:_ITEMS]:
                    texts = {k: v if isinstance(v, str) else msgspec.json.encode(v).decode() for k, v in item.items()}
                    yield Given(
                        ({"path": self.path} if self.path else {}) | texts,
                        {k: msgspec.Raw(msgspec.json.encode(v)) for k, v in item.items()},
                    )
                return


def read_tool(call: ToolCall) -> tuple[Kind | None, Given, str]:
    """The kind of a call (None where nothing says), its arguments, and the shell source that it runs, if it does."""
    given = Given(call_texts(call), call.arguments)
    verb = (given.all.get("command") or given.all.get("action") or "").strip().lower()
    name = _bare_name(call.name)
    kind = _KIND.get(_plain_name(call.name)) or _KIND.get(name)
    if verb in _VERBS and given.path:
        return ("read" if verb in _READ_VERBS else "edit"), given, ""
    source = given.text("command")
    if kind is None:
        kind = _kind_by_shape(call.name.lower(), given, source)
    # An editor's tool that brings no text only looks: `view`, `open`.
    brought = (given.text(what) for what in ("old", "new", "whole", "sketch", "patch", "edits"))
    if kind in {"edit", "write"} and given.path and _LOOKS.match(name) and all(text is None for text in brought):
        kind = "read"
    return kind, given, (source or "") if kind == "run" else ""


def is_named_tool(name: str) -> bool:
    """Whether a tool of this name is known."""
    return _plain_name(name) in _KIND


def _kind_by_shape(name: str, given: Given, source: str | None) -> Kind | None:
    """The kind of a tool that nobody has named, by its arguments, then by the words of its name."""
    bare = _SERVED.sub("", re.sub(r"^.*__|^.*\.", "", name))
    if given.path and (given.text("old") is not None or given.text("sketch") is not None or any(given.items())):
        return "edit"
    if any(has_patch(text) for text in given.all.values()):
        return "edit"
    if _RUNS.search(name) and (source is not None or given.text("code") is not None):
        return "run"
    if _LOOKS.match(bare):
        return "read"
    if given.path and (given.text("whole") is not None or given.text("new") is not None):
        return "write"
    shell = source is not None and not given.path and " " in source.strip()
    if shell or (len(given.all) == 1 and (source is not None or given.text("code") is not None)):
        return "run"
    return "say" if _SAYS.search(bare) else None


def edits_of(name: str, given: Given, opened: str = "") -> tuple[Write, ...]:
    """The changes of files that the arguments of a call say; none where they say none that is understood.

    Args:
        name: of the tool.
        given: its arguments.
        opened: the file that the agent's editor has open, which a call without a path speaks of.
    """
    return tuple(_edits(_bare_name(name), given, opened))


def _edits(name: str, given: Given, opened: str) -> Iterator[Write]:
    path = given.path or opened
    for read in _SHAPES:
        if path or read in {_patched, _moved, _listed_writes}:
            found = read(name, given, path)
            if found:
                yield from found
                return


def _verb(given: Given) -> str:
    return (given.all.get("command") or given.all.get("mode") or given.all.get("editmode") or "").lower()


def _patched(_name: str, given: Given, path: str) -> list[Write]:
    patch = next((text for text in given.all.values() if has_patch(text)), None)
    if patch is not None:
        return list(patch_writes(patch if "\n" in patch else patch.replace("\\n", "\n"), path))
    patch = given.text("patch") or ""
    return list(patch_writes(patch, path)) if path and "@@" in patch else []


def _moved(name: str, given: Given, path: str) -> list[Write]:
    target = given.text("target")
    if not target or not re.search("move|rename|copy", name):
        return []
    source = path if path and path != target else given.all.get("source", "")
    gone = [] if "copy" in name else [Write(source, "delete", source=target, raw=source)]
    return [Write(target, "copy", source=source, raw=target), *gone]


def _listed_writes(name: str, given: Given, path: str) -> list[Write]:
    return [
        write._replace(raw=msgspec.json.encode(write.text or write.source).decode()[1:-1][:4000])
        for item in given.items()
        for write in _edits(name, item, path)
    ]


def _removed(name: str, given: Given, path: str) -> list[Write]:
    old = given.text("old")
    if not re.search("delete|remove", f"{name} {_verb(given)}"):
        return []
    if old is not None:
        return [Write(path, "edit", source=old, raw=old[:4000])]
    return [_spanned(path, given, "") if given.number("from") is not None else Write(path, "delete", raw=path)]


def _swapped(_name: str, given: Given, path: str) -> list[Write]:
    old, new = given.text("old"), given.text("new")
    if old is None:
        return []
    text = new if new is not None else given.text("whole") or ""
    # Of a pattern it is not known what it takes out.
    if "regex" in given.all and re.search(r"[.*+?\[\]()|\\^$]", old):
        return [Write(path, "edit", text, raw=text[:4000], blind=True)]
    if not old:
        return [Write(path, "text", text, raw=text[:4000])]
    return [Write(path, "edit", text, source=old, raw=(text or old)[:4000])]


def _sketched(_name: str, given: Given, path: str) -> list[Write]:
    sketch = given.text("sketch")
    if sketch is None or given.text("new") is not None or given.text("whole") is not None:
        return []
    partly = _ELLIPSIS.search(sketch) is not None
    return [Write(path, "edit" if partly else "text", sketch, raw=sketch[:4000], blind=partly)]


def _numbered(name: str, given: Given, path: str) -> list[Write]:
    text = given.text("new") if given.text("new") is not None else given.text("whole")
    if given.number("from") is None or text is None or _verb(given) in {"create", "write", "overwrite"}:
        return []
    if given.text("to") == "-1" and (given.number("from") or 0) < 2:
        return [Write(path, "text", text, raw=text[:4000])]
    inserts = "insert" in name or _verb(given).startswith("insert") or given.text("to") is None
    return [_spanned(path, given, text, inserts=inserts)]


def _written(name: str, given: Given, path: str) -> list[Write]:
    new, text = given.text("new"), given.text("whole")
    text = new if text is None else text
    if text is None:
        return [Write(path, "text", "", raw=path)] if "create" in f"{name} {_verb(given)}" else []
    appended = "append" in name or _verb(given) in {"a", "append"} or given.all.get("append") == "true"
    partly = (new is not None and given.text("whole") is None) or _verb(given) in {"insert", "edit"}
    partly |= "symbol" in name or name == "insertcontent" or (path.endswith(".ipynb") and "notebook" in name)
    partly &= "rewrite" not in name
    return [Write(path, "edit" if partly else "text", text, appended, raw=text[:4000], blind=partly)]


# The shapes that the arguments of an edit have, the most telling first.
_SHAPES = (_patched, _moved, _listed_writes, _removed, _swapped, _sketched, _numbered, _written)


def _spanned(path: str, given: Given, text: str, *, inserts: bool = False) -> Write:
    """A change of lines that are named by their numbers."""
    first = given.number("from") or 0
    # -1 is the end of the file.
    last = first if inserts else 10**7 if given.text("to") == "-1" else given.number("to") or first
    span = (first + 1, first) if inserts else (first, last)
    return Write(path, "edit", text, raw=(text or path)[:4000], blind=not inserts, span=span)


def code_of(given: Given) -> Code | None:
    """The program that a call brings along, in Python where no argument says otherwise; None where it brings none."""
    source = given.text("code")
    language = (given.all.get("language") or given.all.get("runtime") or "").lower()
    language = "shell" if re.search(r"sh$|shell|terminal|cmd", language) else "python"
    return Code(language, source[:_LONGEST], source[:200]) if source is not None else None
