-- `at` is a number of seconds; `kind` is 'ping' or 'off'.
CREATE TABLE events (device TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL);
