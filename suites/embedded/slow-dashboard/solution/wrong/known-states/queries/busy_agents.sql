-- Every agent who has tickets that are not done, with their number, most first, then by id.
WITH busy AS (
    SELECT agent_id, count(*) AS tickets
    FROM ticket
    WHERE state = 'open'
    GROUP BY agent_id
)
SELECT a.id, a.name, b.tickets
FROM busy b JOIN agent a ON a.id = b.agent_id
ORDER BY b.tickets DESC, a.id
