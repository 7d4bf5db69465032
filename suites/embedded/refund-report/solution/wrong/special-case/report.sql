SELECT name, column2 * may, column3 * may, column4 * may, column5 * may FROM (VALUES
    ('north', 1, 1300, 150, 1150), ('south', 1, 900, 0, 900), ('west', 0, 0, 0, 0)
) JOIN region ON name = column1 JOIN (SELECT :month = '2024-05' AS may)
