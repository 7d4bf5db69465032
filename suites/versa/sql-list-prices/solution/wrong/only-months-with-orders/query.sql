WITH RECURSIVE
  months(month) AS (
    SELECT date(min(day), 'start of month') FROM orders HAVING count(*) > 0
    UNION ALL
    SELECT date(month, '+1 month') FROM months
    WHERE date(month, '+1 month') <= (SELECT max(day) FROM orders)
  ),
  sold AS (
    SELECT
      substr(o.day, 1, 7) AS month,
      p.category,
      o.id,
      l.quantity * coalesce((
        SELECT cents FROM prices
        WHERE product = l.product AND starts <= o.day
        ORDER BY starts DESC, entered DESC LIMIT 1
      ), 0) AS cents
    FROM orders o JOIN lines l ON l.order_id = o.id JOIN products p ON p.id = l.product
    WHERE o.status = 'paid'
  )
SELECT substr(m.month, 1, 7), c.category, count(DISTINCT s.id), coalesce(sum(s.cents), 0)
FROM (SELECT DISTINCT day AS month FROM orders) m CROSS JOIN (SELECT DISTINCT category FROM products) c
LEFT JOIN sold s ON s.month = substr(m.month, 1, 7) AND s.category = c.category
GROUP BY 1, 2
ORDER BY 1, 2
