# PostgreSQL: initdb, a server of several processes with shared memory, pgbench, crash recovery.
# share: check
# needs: /usr/lib/postgresql/15/bin/initdb setpriv

. "$CORPUS_LIB/servers.sh"

# The server refuses to be run by root.
as_user() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
    else
        "$@"
    fi
}

# The other user must be able to come there, which is not so in the directory of the tests.
make_place() {
    place=$(mktemp -d /tmp/ebb-postgres.XXXXXX) && chmod 711 "$place" && cd "$place" || return
    trap 'cd /; rm -rf "$place"' EXIT
    mkdir data && : >server.log
    [ "$(id -u)" != 0 ] || chown postgres data
}

start() {
    as_user "$bin/postgres" -D data -k "$PWD/data" -c listen_addresses= -c fsync=off \
        -c shared_buffers=16MB -c max_connections=20 >>server.log 2>&1 &
    job=$!
    eventually as_user "$bin/psql" -c 'select 1'
    pid=$(head -n 1 data/postmaster.pid)
}

# stop SIGNAL: the job is a shell that waits for the server.
stop() {
    kill "-$1" "$pid"
    wait "$job"
    echo "status $?"
}

run() {
    local bin=/usr/lib/postgresql/15/bin job pid sql
    make_place || return
    export PGHOST=$PWD/data PGUSER=corpus PGDATABASE=postgres
    as_user "$bin/initdb" -D data -U corpus -A trust --no-sync --no-locale -E UTF8 >init.log 2>&1 || return
    start || { tail -n 5 init.log server.log; kill "$job"; return 1; }
    sql="as_user $bin/psql -X -q -A -t"
    as_user "$bin/pgbench" -i -q -s 1 >/dev/null 2>&1; echo "pgbench -i $?"
    as_user "$bin/pgbench" -n -c 4 -j 2 -t 25 2>/dev/null | grep 'actually processed'
    $sql -c 'select count(*), sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts'
    $sql -c "create table t as select i, i * 7919 % 10007 k, md5(i::text) m from generate_series(1, 20000) i;
        create index on t (k); create index on t (i); analyze t; select sum(k), max(m) from t where k between 100 and 5000;
        select a.i, b.i from t a join t b on a.k = b.k and a.i < b.i order by 1, 2 limit 2;
        do \$\$ begin for n in 1 .. 1000 loop update t set k = k + 1 where i = n; end loop; end \$\$;
        select sum(k), regexp_replace('banana', 'an', 'AN', 'g'), 2::numeric ^ 100, sqrt(2) from t"
    $sql -c 'select 1 / 0' 2>&1 | cut -d: -f2; $sql -c 'vacuum full t' -c 'reindex table t; select count(*) from t'
    stop QUIT
    start; $sql -c 'select count(*), sum(k) from t'
    stop INT; grep -c 'recovery in progress' server.log
}
