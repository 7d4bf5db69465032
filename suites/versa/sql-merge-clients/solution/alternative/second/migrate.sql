ALTER TABLE orders RENAME TO old_orders;

CREATE TABLE customers (
  id INTEGER NOT NULL PRIMARY KEY, email TEXT UNIQUE NOT NULL, name TEXT DEFAULT NULL, joined TEXT NOT NULL
);
CREATE TABLE orders (
  id INTEGER NOT NULL PRIMARY KEY,
  customer INTEGER NOT NULL,
  cents INTEGER NOT NULL,
  FOREIGN KEY (customer) REFERENCES customers,
  CONSTRAINT not_negative CHECK (0 <= cents)
);
CREATE TABLE rejected (order_id INTEGER NOT NULL PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE merges (client INTEGER NOT NULL PRIMARY KEY, customer INTEGER NOT NULL, FOREIGN KEY (customer) REFERENCES customers);

WITH groups AS (
  SELECT id, lower(trim(email)) AS address,
         first_value(id) OVER (PARTITION BY lower(trim(email)) ORDER BY id) AS head
  FROM clients WHERE email IS NOT NULL AND length(trim(email)) > 0
)
INSERT INTO merges SELECT id, head FROM groups;

WITH names AS (
  SELECT m.customer, trim(c.name) AS name,
         row_number() OVER (PARTITION BY m.customer ORDER BY length(trim(c.name)) DESC, c.id) AS place
  FROM merges m JOIN clients c ON c.id = m.client WHERE length(trim(c.name)) > 0
), dates AS (
  SELECT m.customer, min(c.joined) AS day FROM merges m JOIN clients c ON c.id = m.client GROUP BY m.customer
)
INSERT INTO customers
SELECT dates.customer, lower(trim(clients.email)), names.name, dates.day
FROM dates JOIN clients ON clients.id = dates.customer
LEFT JOIN names ON names.customer = dates.customer AND names.place = 1;

INSERT INTO rejected
SELECT id, 'no client' FROM old_orders WHERE client IS NULL OR client NOT IN (SELECT id FROM clients)
UNION ALL
SELECT id, 'no email' FROM old_orders
WHERE client IN (SELECT id FROM clients EXCEPT SELECT client FROM merges);

INSERT INTO rejected
SELECT id, 'bad amount' FROM old_orders
WHERE ifnull(cents, -1) < 0 AND id NOT IN (SELECT order_id FROM rejected);

INSERT INTO orders
SELECT old.id, (SELECT customer FROM merges WHERE client = old.client), old.cents
FROM old_orders old LEFT JOIN rejected ON order_id = old.id WHERE order_id IS NULL;

DROP TABLE clients;
DROP TABLE old_orders;
