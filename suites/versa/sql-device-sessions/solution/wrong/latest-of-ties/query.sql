WITH
  moments AS (
    SELECT device, at, max(kind = 'off') AS off FROM events GROUP BY device, at
  ),
  marked AS (
    SELECT device, at,
      coalesce(at - lag(at) OVER each_device > 600 OR lag(off) OVER each_device, 1) AS starts
    FROM moments
    WINDOW each_device AS (PARTITION BY device ORDER BY at)
  ),
  numbered AS (
    SELECT device, at, sum(starts) OVER (PARTITION BY device ORDER BY at) AS turn FROM marked
  ),
  sessions AS (
    SELECT device, min(at) AS first, max(at) AS last FROM numbered GROUP BY device, turn
  ),
  ranked AS (
    SELECT *,
      row_number() OVER (PARTITION BY device ORDER BY last - first DESC, first DESC) AS place,
      first - lag(last) OVER (PARTITION BY device ORDER BY first) AS quiet
    FROM sessions
  )
SELECT device, count(*), max(last - first), max(CASE WHEN place = 1 THEN first END), max(quiet)
FROM ranked GROUP BY device ORDER BY device
