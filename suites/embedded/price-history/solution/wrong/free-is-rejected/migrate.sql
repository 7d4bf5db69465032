BEGIN;

CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, title TEXT);
CREATE TABLE price (
    product_id INTEGER NOT NULL REFERENCES product,
    cents INTEGER NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT
);

CREATE TABLE rejected (sku TEXT, title TEXT, seen TEXT, cents INTEGER);
INSERT INTO rejected
SELECT sku, title, seen, cents FROM price_log
WHERE sku IS NULL OR trim(sku) = '' OR seen IS NULL OR cents IS NULL OR cents <= 0;

CREATE TEMP TABLE good AS
SELECT upper(trim(sku)) AS sku, title, seen, cents FROM price_log
WHERE trim(sku) <> '' AND seen IS NOT NULL AND cents > 0;

INSERT INTO product (id, sku, title)
SELECT row_number() OVER (ORDER BY sku), sku,
    (SELECT g.title FROM good g WHERE g.sku = s.sku AND g.title IS NOT NULL ORDER BY g.seen DESC, g.title DESC LIMIT 1)
FROM (SELECT DISTINCT sku FROM good) s;

INSERT INTO price (product_id, cents, valid_from, valid_to)
WITH daily AS (
    SELECT p.id, g.seen, max(g.cents) AS cents
    FROM good g JOIN product p ON p.sku = g.sku
    GROUP BY p.id, g.seen
),
compared AS (
    SELECT *, lag(cents) OVER (PARTITION BY id ORDER BY seen) AS before FROM daily
)
SELECT id, cents, seen, lead(seen) OVER (PARTITION BY id ORDER BY seen)
FROM compared
WHERE before IS NULL OR before <> cents;

DROP TABLE good;
DROP TABLE price_log;
COMMIT;
