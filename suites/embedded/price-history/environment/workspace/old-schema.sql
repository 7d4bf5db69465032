CREATE TABLE price_log (sku TEXT, title TEXT, seen TEXT, cents INTEGER);
