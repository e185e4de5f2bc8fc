# needs: sqlite3
sqlite3 db <<'SQL'
create table t(id integer primary key, a text, b real);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
insert into t select i, 'name' || (i * 7919 % 1000), i * 1.5 from n;
commit;
create index x on t(a, b);
select count(*), sum(b), min(a), max(a) from t;
select a, count(*) c from t group by a order by c desc, a limit 5;
select group_concat(id) from (select id from t where a like 'name99%' order by id limit 20);
explain query plan select * from t where a = 'name5';
update t set b = b + 1 where id % 3 = 0;
delete from t where id % 5 = 0;
vacuum;
select total(b) from t;
pragma integrity_check;
select json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b'), hex(zeroblob(4)), date(0, 'unixepoch');
SQL
sqlite3 db 'select nothing from nowhere' 2>/dev/null
echo $?
sqlite3 -csv db 'select * from t order by id limit 3'
