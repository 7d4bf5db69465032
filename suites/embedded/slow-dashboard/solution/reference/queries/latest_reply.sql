-- Every ticket that is waiting, with the time of its latest message by somebody else than 'customer' (null if there is none).
SELECT t.id, (SELECT max(m.at) FROM message m WHERE m.ticket_id = t.id AND m.author <> 'customer') AS latest
FROM ticket t
WHERE t.state = 'waiting'
ORDER BY t.id
