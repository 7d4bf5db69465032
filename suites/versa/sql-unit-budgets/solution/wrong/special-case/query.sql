SELECT * FROM (VALUES ('works',0,100,430,3),('works/foundry',1,30,330,2),('works/foundry/moulds',2,300,300,2),('works/paint',1,0,0,0))
