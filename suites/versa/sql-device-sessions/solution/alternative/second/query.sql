WITH
  times AS (SELECT DISTINCT device, at FROM events),
  steps AS (
    SELECT t.device, t.at, (SELECT max(p.at) FROM times p WHERE p.device = t.device AND p.at < t.at) AS before FROM times t
  ),
  heads AS (
    SELECT device, at, before FROM steps s
    WHERE before IS NULL OR at > before + 600
       OR EXISTS (SELECT * FROM events e WHERE e.device = s.device AND e.at = before AND e.kind = 'off')
  ),
  runs AS (
    SELECT h.device, h.at AS opened, h.at - h.before AS silence,
           (SELECT max(t.at) FROM times t WHERE t.device = h.device AND t.at < ifnull(
              (SELECT min(n.at) FROM heads n WHERE n.device = h.device AND n.at > h.at), 9e18)) AS closed
    FROM heads h
  )
SELECT r.device, count(*), max(closed - opened),
       (SELECT opened FROM runs b WHERE b.device = r.device ORDER BY closed - opened DESC, opened LIMIT 1), max(silence)
FROM runs r GROUP BY r.device ORDER BY r.device
