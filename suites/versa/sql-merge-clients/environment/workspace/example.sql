INSERT INTO clients VALUES
  (3, 'Ada@Mill.example ', 'Ada', '2024-05-01'),
  (7, 'ada@mill.example', ' Ada Lamb ', '2023-02-01'),
  (8, '  ', 'Nobody', '2022-01-01');
INSERT INTO orders VALUES (1, 7, 500), (2, 3, -1), (3, 8, 100), (4, 99, 100), (5, 3, 0);
