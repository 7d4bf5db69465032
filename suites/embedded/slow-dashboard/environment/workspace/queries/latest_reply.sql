-- Every ticket that is waiting, with the time of its latest message by somebody else than 'customer' (null if there is none).
SELECT t.id, max(m.at) AS latest
FROM ticket t LEFT JOIN message m ON +m.ticket_id = t.id AND m.author <> 'customer'
WHERE t.id IN (SELECT id FROM ticket WHERE state = 'waiting')
GROUP BY t.id
ORDER BY t.id
