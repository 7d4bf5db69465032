INSERT INTO products VALUES (1, 'kettle', 'kitchen'), (2, 'rake', 'garden'), (3, 'mug', 'kitchen');
INSERT INTO prices VALUES
  (1, 2900, '2025-01-01', '2024-12-01T09:00:00'),
  (1, 3100, '2025-03-10', '2025-02-20T10:00:00'),
  (1, 3000, '2025-03-10', '2025-03-01T08:00:00'),
  (2, 1500, '2025-02-01', '2025-01-15T08:00:00');
INSERT INTO orders VALUES (1, '2025-01-31', 'paid'), (2, '2025-03-10', 'paid'), (3, '2025-03-09', 'cancelled');
INSERT INTO lines VALUES (1, 1, 2), (1, 3, 4), (2, 1, 1), (2, 2, 3), (2, 3, 1), (3, 2, 9);
