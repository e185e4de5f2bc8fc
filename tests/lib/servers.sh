# For corpus programs that start servers: on loopback, on a port that was free a moment ago, with
# a pid by which they are stopped.
#
# Included by tests/corpus/*.sh as `. "$CORPUS_LIB/servers.sh"`.

# answers PORT: does somebody listen there?
answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

free_port() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        answers $port || break
    done
    echo $port
}

# eventually COMMAND...: until it succeeds, ten minutes at most.
eventually() {
    for _ in {1..6000}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "never: $*"
    return 1
}

gone() {
    ! kill -0 "$1" 2>/dev/null
}
