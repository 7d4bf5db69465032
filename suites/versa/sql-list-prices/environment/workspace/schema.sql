CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL);
-- From the day `starts` on a product costs `cents`, until a later row of it starts.
CREATE TABLE prices (product INTEGER NOT NULL, cents INTEGER NOT NULL, starts TEXT NOT NULL, entered TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, day TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE lines (order_id INTEGER NOT NULL, product INTEGER NOT NULL, quantity INTEGER NOT NULL);
