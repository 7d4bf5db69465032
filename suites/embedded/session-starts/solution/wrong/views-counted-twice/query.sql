WITH second AS (  -- events of the same second belong together
    SELECT user, at, max(kind = 'logout') AS logout
    FROM event
    WHERE kind <> 'ping'
    GROUP BY user, at
),
marked AS (
    SELECT user, at, logout,
        coalesce(
            at - lag(at) OVER by_time > 1800 OR lag(logout) OVER by_time,
            1
        ) AS begins
    FROM second
    WINDOW by_time AS (PARTITION BY user ORDER BY at)
),
numbered AS (
    SELECT user, at, logout, sum(begins) OVER (PARTITION BY user ORDER BY at) AS number
    FROM marked
),
viewed AS (
    SELECT n.user, n.number, count(e.page) AS pages
    FROM numbered n JOIN event e ON e.user = n.user AND e.at = n.at AND e.kind = 'view'
    GROUP BY n.user, n.number
)
SELECT n.user, n.number, min(n.at) AS start, max(n.at) - min(n.at) AS seconds, coalesce(v.pages, 0) AS pages,
    CASE WHEN max(n.logout) THEN 'logout' ELSE 'timeout' END AS ended
FROM numbered n LEFT JOIN viewed v ON v.user = n.user AND v.number = n.number
GROUP BY n.user, n.number
ORDER BY n.user, n.number
