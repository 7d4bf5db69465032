-- The number of tickets that are not done.
SELECT 0, '', count(*) FROM ticket WHERE state IN ('open', 'waiting') AND agent_id IS NOT NULL
