-- Indexes for the dashboard.
CREATE INDEX ticket_by_team ON ticket (team, state, priority DESC, opened, id);
CREATE INDEX ticket_by_state ON ticket (state, agent_id);
CREATE INDEX message_by_ticket ON message (ticket_id, author, at);
