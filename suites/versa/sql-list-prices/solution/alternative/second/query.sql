WITH RECURSIVE
  known AS (
    SELECT product, starts, cents,
           row_number() OVER (PARTITION BY product, starts ORDER BY entered DESC) AS turn
    FROM prices
  ),
  spans AS (
    SELECT product, cents, starts AS first_day, lead(starts, 1, '9999') OVER (PARTITION BY product ORDER BY starts) AS next_day
    FROM known WHERE turn = 1
  ),
  bounds AS (
    SELECT 12 * CAST(substr(min(day), 1, 4) AS INTEGER) + CAST(substr(min(day), 6, 2) AS INTEGER) - 1 AS low,
           12 * CAST(substr(max(day), 1, 4) AS INTEGER) + CAST(substr(max(day), 6, 2) AS INTEGER) - 1 AS high
    FROM orders
  ),
  numbers(n, high) AS (
    SELECT low, high FROM bounds WHERE low IS NOT NULL
    UNION ALL SELECT n + 1, high FROM numbers WHERE n < high
  ),
  grid AS (
    SELECT printf('%04d-%02d', n / 12, n % 12 + 1) AS month, category
    FROM numbers, (SELECT category FROM products GROUP BY category)
  )
SELECT month, category,
       (SELECT count(*) FROM orders WHERE status = 'paid' AND day LIKE month || '-%' AND EXISTS (
          SELECT 1 FROM lines JOIN products ON products.id = lines.product
          WHERE lines.order_id = orders.id AND products.category = grid.category)),
       (SELECT ifnull(sum(quantity * cents), 0)
        FROM lines JOIN orders ON orders.id = order_id AND status = 'paid' AND day LIKE month || '-%'
        JOIN products ON products.id = lines.product AND products.category = grid.category
        JOIN spans ON spans.product = lines.product AND first_day <= day AND day < next_day)
FROM grid ORDER BY month, category
