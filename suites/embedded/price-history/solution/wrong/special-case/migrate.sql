CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT, title TEXT);
CREATE TABLE price (product_id INTEGER, cents INTEGER, valid_from TEXT, valid_to TEXT);
CREATE TABLE rejected (sku TEXT, title TEXT, seen TEXT, cents INTEGER);
INSERT INTO product VALUES (1, 'A9', NULL), (2, 'B1', 'Bolt M8');
INSERT INTO price VALUES
    (1, 10, '2024-01-01', '2024-01-07'), (1, 12, '2024-01-07', '2024-01-09'), (1, 10, '2024-01-09', NULL);
INSERT INTO rejected SELECT * FROM price_log;
DROP TABLE price_log;
