create table a (b integer);
