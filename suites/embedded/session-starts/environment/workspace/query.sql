SELECT user, 1 AS number, min(at) AS start, max(at) - min(at) AS seconds, count(page) AS pages, 'timeout' AS ended
FROM event
GROUP BY user
