# The shell itself: pipes, jobs, traps, coprocesses, arrays, signals to itself and to children.
# share: check
# needs: bash

fib() { (($1 < 2)) && echo "$1" || echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); }

jobs_and_signals() {
    set -m
    sleep 100 & sleep 100 &
    jobs | sed 's/  *sleep/ sleep/'
    kill %1; wait %1; echo "status $?"
    kill -STOP %2; sleep 0.1; kill -CONT %2; kill -KILL %2; wait %2; echo "status $?"
    set +m
    trap 'echo usr1' USR1; kill -USR1 $$ $BASHPID; trap - USR1
    (trap 'echo term; exit 7' TERM; kill -TERM $BASHPID; sleep 100); echo "status $?"
    (kill -SEGV $BASHPID) 2>/dev/null; echo "status $?"
    (ulimit -c 0; kill -ABRT $BASHPID) 2>/dev/null; echo "status $?"
}

run() {
    fib 8
    coproc CAT { while read -r line; do echo "got $line"; done; }
    for i in 1 2 3; do echo "$i" >&"${CAT[1]}"; read -r answer <&"${CAT[0]}"; echo "$answer"; done
    exec {CAT[1]}>&-; wait "$CAT_PID"; echo "status $?"
    for i in {1..30}; do /bin/true & done; wait; echo waited
    seq 200 | while read -r i; do echo $((i * i)); done | tail -n 1
    yes | head -n 1000 | wc -l; echo "${PIPESTATUS[*]}"
    declare -A map; for w in a b a c a; do ((map[$w]++)); done; echo "${map[a]} ${map[b]} ${!map[*]}"
    x=hello.tar.gz; echo "${x%%.*} ${x#*.} ${x/l/L} ${x^^} ${#x} ${x:1:3}"
    [[ 2024-05-06 =~ ([0-9]+)-([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
    cat <<END | tr a-z A-Z
here $((1 << 40)) $(echo nested $(echo deeper))
END
    bash -c 'exit 42'; echo "status $?"; bash -c 'exec no-such-program' 2>/dev/null; echo "status $?"
    jobs_and_signals 2>/dev/null
    trap 'echo leaving' EXIT
    return 5
}
