-- Every agent who has tickets that are not done, with their number, most first, then by id.
SELECT a.id, a.name, (SELECT count(*) FROM ticket t WHERE t.agent_id = a.id AND t.state <> 'done') AS tickets
FROM agent a
WHERE (SELECT count(*) FROM ticket t WHERE t.agent_id = a.id AND t.state <> 'done') > 0
ORDER BY tickets DESC, a.id
