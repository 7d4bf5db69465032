CREATE TABLE agent (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT NOT NULL);
CREATE TABLE ticket (
    id INTEGER PRIMARY KEY,
    agent_id INTEGER REFERENCES agent,
    team TEXT NOT NULL,
    state TEXT NOT NULL,  -- 'open', 'waiting' or 'done'
    priority INTEGER NOT NULL,
    opened INTEGER NOT NULL
);
CREATE TABLE message (id INTEGER PRIMARY KEY, ticket_id INTEGER NOT NULL REFERENCES ticket, author TEXT NOT NULL, at INTEGER NOT NULL);
