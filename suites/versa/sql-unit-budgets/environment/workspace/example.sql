INSERT INTO units VALUES (1, NULL, 'works'), (2, 1, 'foundry'), (3, 1, 'paint'), (4, 2, 'moulds'), (5, 6, 'x'), (6, 5, 'y');
INSERT INTO posts VALUES (10, 2), (10, 4), (11, 4), (12, 1), (13, 5);
INSERT INTO costs VALUES (1, 100), (4, 250), (4, 50), (2, 30), (5, 999);
