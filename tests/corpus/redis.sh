# redis-server under redis-benchmark, with a snapshot by fork, an append-only file and a script.
# share: check
# needs: redis-server redis-benchmark redis-cli

. "$CORPUS_LIB/servers.sh"

# The benchmark itself prints rates; how many tests it finished is what can be compared.
load() {
    redis-benchmark -p "$1" -n 1500 -c 20 -q -t set,get,incr,lpush,lpop,sadd,hset,zadd,mset "${@:2}" |
        tr '\r' '\n' | grep -c 'requests per second, p50'
}

run() {
    local port pid
    port=$(free_port)
    redis-server --port "$port" --bind 127.0.0.1 --dir "$PWD" --save '' --appendonly yes \
        --io-threads 2 --daemonize no >server.log 2>&1 &
    pid=$!
    local cli="redis-cli -p $port"
    eventually $cli ping || { cat server.log; kill $pid; return 1; }
    load "$port"; load "$port" -P 16
    $cli flushall
    $cli set greeting hello; $cli append greeting ' world'; $cli get greeting
    seq 500 | awk '{ print "zadd board", $1 * 7919 % 1009, "p" $1 }' | $cli --pipe | tail -n 1
    $cli zrange board 0 3 withscores; $cli zcard board
    $cli eval 'local s = 0; for i = 1, 10000 do s = s + i % 7 end; return {s, redis.call("zcount", KEYS[1], 0, 100)}' 1 board
    $cli expire greeting 1; eventually test "$($cli ping)" = PONG; sleep 1.2; $cli exists greeting
    $cli bgsave >/dev/null; eventually sh -c "$cli info persistence | grep -q rdb_bgsave_in_progress:0"
    $cli bgrewriteaof >/dev/null; eventually sh -c "$cli info persistence | grep -q aof_rewrite_in_progress:0"
    test -s dump.rdb && redis-check-rdb dump.rdb | grep -c 'RDB looks OK'
    $cli debug jmap 2>&1 | head -c 3; echo; $cli shutdown nosave; wait $pid; echo "status $?"
}
