INSERT INTO events VALUES
  ('b', 100, 'ping'), ('b', 700, 'ping'), ('b', 701, 'off'), ('b', 702, 'ping'), ('b', 1303, 'ping'),
  ('a', 50, 'off');
