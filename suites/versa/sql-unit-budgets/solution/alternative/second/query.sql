WITH RECURSIVE
  climb(unit, above, trail, steps) AS (
    SELECT id, id, '', 0 FROM units
    UNION ALL
    SELECT climb.unit, units.parent, '/' || units.name || climb.trail, climb.steps + 1
    FROM climb JOIN units ON units.id = climb.above
    WHERE climb.above IS NOT NULL AND climb.steps <= (SELECT count(*) FROM units)
  ),
  tops AS (SELECT unit, substr(trail, 2) AS path, steps - 1 AS depth FROM climb WHERE above IS NULL),
  pairs AS (SELECT unit, above FROM climb WHERE above IS NOT NULL AND unit IN (SELECT unit FROM tops)),
  money AS (SELECT unit, sum(cents) AS cents FROM costs GROUP BY unit),
  totals AS (SELECT above, sum(money.cents) AS cents FROM pairs JOIN money USING (unit) GROUP BY above),
  heads AS (SELECT above, count(*) AS people FROM (SELECT DISTINCT above, person FROM pairs JOIN posts USING (unit)) GROUP BY above)
SELECT tops.path, tops.depth, ifnull(money.cents, 0), ifnull(totals.cents, 0), ifnull(heads.people, 0)
FROM tops LEFT JOIN money ON money.unit = tops.unit
LEFT JOIN totals ON totals.above = tops.unit LEFT JOIN heads ON heads.above = tops.unit
ORDER BY tops.path, tops.unit
