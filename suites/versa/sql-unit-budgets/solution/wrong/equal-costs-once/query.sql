WITH RECURSIVE
  placed(id, path, depth) AS (
    SELECT id, name, 0 FROM units WHERE parent IS NULL
    UNION ALL
    SELECT u.id, placed.path || '/' || u.name, depth + 1 FROM placed JOIN units u ON u.parent = placed.id
  ),
  below(top, id) AS (
    SELECT id, id FROM placed
    UNION ALL
    SELECT below.top, u.id FROM below JOIN units u ON u.parent = below.id
  )
SELECT
  p.path,
  p.depth,
  (SELECT coalesce(sum(cents), 0) FROM costs WHERE unit = p.id),
  (SELECT coalesce(sum(DISTINCT c.cents), 0) FROM below b JOIN costs c ON c.unit = b.id WHERE b.top = p.id),
  (SELECT count(DISTINCT o.person) FROM below b JOIN posts o ON o.unit = b.id WHERE b.top = p.id)
FROM placed p
ORDER BY p.path, p.id
