SELECT * FROM (VALUES ('2025-01','garden',0,0),('2025-01','kitchen',1,5800),('2025-02','garden',0,0),('2025-02','kitchen',0,0),('2025-03','garden',1,4500),('2025-03','kitchen',1,3000))
