CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT, joined TEXT NOT NULL);
CREATE TABLE merges (client INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers (id));
CREATE TABLE kept_orders (
  id INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL REFERENCES customers (id),
  cents INTEGER NOT NULL CHECK (cents >= 0)
);
CREATE TABLE rejected (order_id INTEGER PRIMARY KEY, reason TEXT NOT NULL);

CREATE TEMP TABLE known AS
  SELECT id, lower(trim(email)) AS email, trim(name) AS name, joined FROM clients WHERE trim(email) <> '';

INSERT INTO customers
  SELECT
    min(id),
    email,
    (SELECT n.name FROM known n WHERE n.email = k.email AND n.name <> '' ORDER BY n.id LIMIT 1),
    min(joined)
  FROM known k GROUP BY email;

INSERT INTO merges SELECT k.id, c.id FROM known k JOIN customers c ON c.email = k.email;

INSERT INTO rejected
  SELECT o.id, CASE
    WHEN c.id IS NULL THEN 'no client'
    WHEN m.client IS NULL THEN 'no email'
    ELSE 'bad amount'
  END
  FROM orders o LEFT JOIN clients c ON c.id = o.client LEFT JOIN merges m ON m.client = c.id
  WHERE m.client IS NULL OR o.cents IS NULL OR o.cents < 0;

INSERT INTO kept_orders
  SELECT o.id, m.customer, o.cents FROM orders o JOIN merges m ON m.client = o.client
  WHERE o.id NOT IN (SELECT order_id FROM rejected);

DROP TABLE known;
DROP TABLE orders;
DROP TABLE clients;
ALTER TABLE kept_orders RENAME TO orders;
