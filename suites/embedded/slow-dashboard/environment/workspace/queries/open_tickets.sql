-- The first 20 open tickets of a team: highest priority first, then the oldest, then by id.
SELECT id, priority, opened
FROM ticket
WHERE upper(team) = upper(:team) AND state || '' = 'open'
ORDER BY priority DESC, opened, id
LIMIT 20
