-- Indexes for the dashboard.
CREATE INDEX ticket_by_team ON ticket (upper(team), state, priority DESC, opened, id);
CREATE INDEX ticket_by_state ON ticket (state, agent_id);

