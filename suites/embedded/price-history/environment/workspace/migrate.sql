CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT, title TEXT);
CREATE TABLE price (product_id INTEGER, cents INTEGER, valid_from TEXT, valid_to TEXT);
CREATE TABLE rejected (sku TEXT, title TEXT, seen TEXT, cents INTEGER);

INSERT INTO product (sku, title) SELECT DISTINCT sku, title FROM price_log;
