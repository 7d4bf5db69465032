"""The rows of the published matrix, and the test of each: `python bench/symphony.py` prints the table with results.

The rows are those of sections 17.1 to 17.7 of Symphony's SPEC.md (Draft v1) in openai/symphony at commit
23f8727de4f9cccabd662e84516a62405b93c741, in our own words. Where a row speaks of Linear or of Codex's app-server, which
are not here, the row names what stands in their place; what has no counterpart says so, and counts as no test.
"""

CONFIG, SPACE, TRACKER, FLOW, AGENT, SEEN, CLI = (f"17.{n}" for n in range(1, 8))
NONE = "no counterpart: "

ROWS = [
    (CONFIG, "an explicit path is used", "test_symphony_config.py::test_an_explicit_path_is_used"),
    (
        CONFIG,
        "without one, ./WORKFLOW.md is",
        "test_symphony_command.py::test_the_default_is_the_workflow_of_this_folder",
    ),
    (
        CONFIG,
        "a change of the file is seen and applied without restart",
        "test_symphony_config.py::test_a_changed_file_is_applied",
    ),
    (
        CONFIG,
        "a bad change keeps the last good settings and is told",
        "test_symphony_config.py::test_a_bad_change_keeps_the_last_good_settings_and_is_told",
    ),
    (
        CONFIG,
        "missing file: a typed error",
        "test_symphony_config.py::test_what_is_wrong_has_a_kind[missing_workflow_file]",
    ),
    (CONFIG, "bad YAML: a typed error", "test_symphony_config.py::test_what_is_wrong_has_a_kind[workflow_parse_error]"),
    (
        CONFIG,
        "a head that is no map: a typed error",
        "test_symphony_config.py::test_what_is_wrong_has_a_kind[workflow_front_matter_not_a_map]",
    ),
    (CONFIG, "defaults hold", "test_symphony_config.py::test_defaults"),
    (
        CONFIG,
        "only supported trackers are taken",
        "test_symphony_config.py::test_what_is_wrong_has_a_kind[unsupported_tracker_kind]",
    ),
    (CONFIG, "the tracker's key, and $VAR for it", NONE + "trackers are files, without a key"),
    (CONFIG, "$VAR in path values", "test_symphony_config.py::test_variables_and_home_in_paths"),
    (CONFIG, "~ in paths", "test_symphony_config.py::test_variables_and_home_in_paths"),
    (
        CONFIG,
        "the agent's command stays as it is written (codex.command; here agent.use)",
        "test_symphony_config.py::test_the_agent_and_hooks_stay_as_they_are_written",
    ),
    (CONFIG, "limits by state: names normalised, bad values ignored", "test_symphony_config.py::test_limits_by_state"),
    (CONFIG, "the prompt renders issue and attempt", "test_symphony_config.py::test_the_prompt_has_issue_and_attempt"),
    (CONFIG, "an unknown variable fails the prompt", "test_symphony_config.py::test_a_prompt_with_unknown_names_fails"),
    (
        SPACE,
        "the path of a ticket is always the same",
        "test_symphony_workspace.py::test_a_ticket_has_always_the_same_folder",
    ),
    (SPACE, "a missing folder is made", "test_symphony_workspace.py::test_a_folder_is_made_once_and_used_again"),
    (
        SPACE,
        "an existing folder is used again",
        "test_symphony_workspace.py::test_a_folder_is_made_once_and_used_again",
    ),
    (
        SPACE,
        "a file in its place is handled safely (here: refused)",
        "test_symphony_workspace.py::test_a_file_or_a_link_in_its_place_is_refused",
    ),
    (
        SPACE,
        "errors of population are surfaced",
        "test_symphony_workspace.py::test_a_repository_that_is_none_fails_the_attempt",
    ),
    (
        SPACE,
        "temporary artifacts are removed in preparation (ours)",
        "test_symphony_workspace.py::test_half_written_files_are_taken_away",
    ),
    (
        SPACE,
        "after_create runs for a new folder only",
        "test_symphony_workspace.py::test_after_create_runs_for_a_new_folder_only",
    ),
    (
        SPACE,
        "before_run runs before each attempt; failure and timeout abort it",
        "test_symphony_workspace.py::test_before_run_aborts_the_attempt",
    ),
    (
        SPACE,
        "after_run runs after each attempt; failure and timeout are ignored",
        "test_symphony_workspace.py::test_after_run_is_ignored_when_it_fails",
    ),
    (
        SPACE,
        "before_remove runs at cleanup; failure and timeout are ignored",
        "test_symphony_workspace.py::test_before_remove_is_ignored_when_it_fails",
    ),
    (
        SPACE,
        "names are made safe and stay in the root",
        "test_symphony_workspace.py::test_names_are_safe_different_and_stay_in_the_root",
    ),
    (
        SPACE,
        "the agent starts in its workspace; other places are refused",
        "test_symphony_agent.py::test_the_agent_works_in_a_sandbox_over_its_workspace_and_nowhere_else",
    ),
    (
        TRACKER,
        "candidates: by active states (and, for a project slug, required labels)",
        "test_symphony_tracker.py::test_candidates_are_those_in_active_states",
    ),
    (TRACKER, "the query names the project (slugId)", NONE + "no GraphQL; a tracker is one folder or file"),
    (TRACKER, "no states, no read", "test_symphony_tracker.py::test_nothing_asked_is_nothing_read"),
    (
        TRACKER,
        "order is kept over pages (here: files, lines)",
        "test_symphony_tracker.py::test_the_trackers_order_is_kept",
    ),
    (
        TRACKER,
        "blockers are normalised, with their states",
        "test_symphony_tracker.py::test_blockers_have_their_states",
    ),
    (TRACKER, "labels are in lower case", "test_symphony_tracker.py::test_a_ticket_is_normalised"),
    (
        TRACKER,
        "refresh by id gives normalised tickets",
        "test_symphony_tracker.py::test_by_id_gives_what_is_there_and_leaves_out_what_is_gone",
    ),
    (TRACKER, "the refresh query types its ids ([ID!])", NONE + "no GraphQL"),
    (TRACKER, "errors are mapped: unreachable, malformed", "test_symphony_tracker.py::test_errors_of_the_tracker"),
    (
        FLOW,
        "order: priority, then oldest",
        "test_symphony_orchestrator.py::test_the_order_is_priority_then_age_then_name",
    ),
    (FLOW, "a Todo with an open blocker waits", "test_symphony_orchestrator.py::test_a_todo_waits_for_its_blockers"),
    (FLOW, "a Todo with closed blockers goes", "test_symphony_orchestrator.py::test_a_todo_waits_for_its_blockers"),
    (
        FLOW,
        "an active refresh updates the running entry",
        "test_symphony_orchestrator.py::test_an_active_refresh_updates_the_entry",
    ),
    (
        FLOW,
        "a non-active state stops the agent, and the workspace stays",
        "test_symphony_orchestrator.py::test_states_stop_agents[Human Review]",
    ),
    (
        FLOW,
        "a terminal state stops the agent and cleans the workspace",
        "test_symphony_orchestrator.py::test_states_stop_agents[Done]",
    ),
    (FLOW, "reconciling nothing does nothing", "test_symphony_orchestrator.py::test_reconciling_nothing_reads_nothing"),
    (
        FLOW,
        "a clean end is looked at again shortly (attempt 1)",
        "test_symphony_orchestrator.py::test_a_clean_end_is_looked_at_again_after_a_second",
    ),
    (FLOW, "failures back off from 10 s, doubling", "test_symphony_orchestrator.py::test_failures_back_off_to_a_cap"),
    (
        FLOW,
        "the backoff's cap is max_retry_backoff_ms",
        "test_symphony_orchestrator.py::test_failures_back_off_to_a_cap",
    ),
    (
        FLOW,
        "a retry has attempt, due time, identifier, error",
        "test_symphony_orchestrator.py::test_the_snapshot_has_rows_and_totals",
    ),
    (FLOW, "a stalled session is killed and tried again", "test_symphony_orchestrator.py::test_silence_is_a_stall"),
    (
        FLOW,
        "no slot: the retry is queued again and says why",
        "test_symphony_orchestrator.py::test_a_retry_without_a_slot_says_so",
    ),
    (
        FLOW,
        "the snapshot has running and retry rows, tokens, rate limits",
        "test_symphony_orchestrator.py::test_the_snapshot_has_rows_and_totals",
    ),
    (
        FLOW,
        "the snapshot's timeout and unavailability are surfaced",
        "test_symphony_command.py::test_status_says_when_there_is_none_or_it_is_old",
    ),
    (
        AGENT,
        "launch: in the workspace, by `bash -lc` (here: in a sandbox over it)",
        "test_symphony_agent.py::test_the_agent_works_in_a_sandbox_over_its_workspace_and_nowhere_else",
    ),
    (
        AGENT,
        "handshake: initialize, initialized, thread/start, turn/start",
        NONE + "agents are called, not spoken to over a wire",
    ),
    (AGENT, "initialize carries the client's identity and capabilities", NONE + "no handshake"),
    (
        AGENT,
        "start payloads carry the documented policy (here: the sandbox, without network)",
        "test_symphony_agent.py::test_an_agent_that_asks_for_the_network_is_refused",
    ),
    (
        AGENT,
        "thread and turn are known and told (session_id)",
        "test_symphony_agent.py::test_turns_go_on_in_the_same_conversation",
    ),
    (AGENT, "a read timeout for requests", NONE + "no requests; the turn's timeout holds"),
    (AGENT, "the turn's timeout holds", "test_symphony_agent.py::test_a_turn_has_a_time_limit"),
    (
        AGENT,
        "partial lines wait for their end (here: of the file through which agents write)",
        "test_symphony_agent.py::test_lines_that_are_no_json_cost_no_other",
    ),
    (AGENT, "stdout and stderr are told apart", NONE + "no protocol on a stream"),
    (
        AGENT,
        "lines that are no JSON are logged and crash nothing",
        "test_symphony_agent.py::test_lines_that_are_no_json_cost_no_other",
    ),
    (
        AGENT,
        "approvals by the documented policy (here: none is asked, the sandbox stands around)",
        NONE + "nothing asks for approval",
    ),
    (
        AGENT,
        "an unsupported tool is refused and the session goes on",
        "test_symphony_agent.py::test_an_unknown_tool_is_refused_and_the_session_goes_on",
    ),
    (
        AGENT,
        "a request for user input ends by the documented policy (here: it fails the attempt)",
        "test_symphony_agent.py::test_a_question_fails_the_attempt",
    ),
    (AGENT, "usage is taken from what models report", "test_symphony_agent.py::test_usage_is_counted_once"),
    (AGENT, "variants of payloads are accepted", NONE + "one record of steps, whatever the agent"),
    (AGENT, "client-side tools are advertised", "test_symphony_agent.py::test_the_ticket_tool_is_advertised_and_works"),
    (
        AGENT,
        "ticket tool (for linear_graphql): advertised",
        "test_symphony_agent.py::test_the_ticket_tool_is_advertised_and_works",
    ),
    (
        AGENT,
        "ticket tool: valid inputs are done",
        "test_symphony_agent.py::test_the_ticket_tool_is_advertised_and_works",
    ),
    (
        AGENT,
        "ticket tool: what the tracker refuses keeps its reason",
        "test_symphony_agent.py::test_a_ticket_that_is_gone_is_told",
    ),
    (
        AGENT,
        "ticket tool: bad arguments are failures that the model reads",
        "test_symphony_agent.py::test_bad_arguments_are_told_to_the_model",
    ),
    (
        AGENT,
        "ticket tool: unknown names fail without a stall",
        "test_symphony_agent.py::test_an_unknown_tool_is_refused_and_the_session_goes_on",
    ),
    (
        SEEN,
        "failures of validation are visible",
        "test_symphony_orchestrator.py::test_a_broken_workflow_stops_dispatch_but_not_reconciling",
    ),
    (SEEN, "log lines have issue and session", "test_symphony_log.py::test_lines_have_issue_and_session"),
    (SEEN, "a failing sink does not crash", "test_symphony_log.py::test_a_failing_sink_costs_nothing_but_itself"),
    (
        SEEN,
        "token totals stay right over repeated updates",
        "test_symphony_orchestrator.py::test_totals_are_not_counted_twice",
    ),
    (SEEN, "the status for people is driven by the state only", "test_symphony_command.py::test_status_is_only_a_look"),
    (SEEN, "humanised summaries change nothing", NONE + "there are none"),
    (CLI, "an optional path", "test_symphony_command.py::test_a_path_is_taken"),
    (CLI, "else ./WORKFLOW.md", "test_symphony_command.py::test_the_default_is_the_workflow_of_this_folder"),
    (CLI, "a missing file is an error", "test_symphony_command.py::test_a_missing_workflow_is_an_error"),
    (CLI, "a failed start is told cleanly", "test_symphony_command.py::test_a_failed_start_is_one_line_and_not_zero"),
    (CLI, "a normal end is success", "test_symphony_killed.py::test_a_signal_is_a_normal_end"),
    (CLI, "a failed start is not zero", "test_symphony_command.py::test_a_failed_start_is_one_line_and_not_zero"),
]
