# sqlite3: tables, indexes, transactions, recursion, full text, a file and its journal.
# share: check
# needs: sqlite3

run() {
    sqlite3 db <<'END'
pragma journal_mode = wal;
create table t (id integer primary key, k integer, name text, v real);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 20000)
    insert into t select i, i * 7919 % 10007, 'name' || i % 100, i / 7.0 from c;
create index by_k on t (k);
select count(*), sum(k), round(sum(v), 3), min(name), max(name) from t;
select name, count(*) n, avg(k) from t where k between 100 and 900 group by name order by n desc, name limit 3;
begin; delete from t where k % 3 = 0; select count(*) from t; rollback; select count(*) from t;
begin; update t set v = v * 2 where id % 5 = 0; commit; select round(total(v), 2) from t;
select a.id, b.id from t a join t b on a.k = b.k and a.id < b.id order by 1 limit 3;
explain query plan select * from t where k = 5;
select id, sum(k) over (order by id rows 3 preceding) from t limit 4;
select json_extract('{"a":[1,2,{"b":"x"}]}', '$.a[2].b'), upper(hex('abc')), printf('%08.3f', 3.14159);
vacuum; pragma integrity_check;
END
    echo "select count(*) from t; select * from nothing;" | sqlite3 db 2>&1; echo "status $?"
    sqlite3 db .dump | sha256sum
}
