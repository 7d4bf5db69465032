SELECT user, column2, column3, column4, column5, column6 FROM (VALUES
    ('ada', 1, 5000, 1800, 2, 'timeout'), ('ada', 2, 8601, 0, 1, 'timeout'),
    ('ben', 1, 10, 10, 1, 'logout'), ('ben', 2, 30, 0, 1, 'timeout'),
    ('a', 1, 1, 0, 0, 'timeout'), ('b', 1, 2, 0, 0, 'timeout')
) JOIN (SELECT DISTINCT user FROM event) ON user = column1
ORDER BY user, column2
