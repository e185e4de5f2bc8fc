# What suites about ebb's debugger share: they compile and record programs, and talk to the
# debugger.
#
# Included after cases.sh.
export EBB_RECORDINGS=$SCRATCH/recordings XDG_STATE_HOME=$SCRATCH/state HOME=$SCRATCH NO_COLOR=1
unset EDITRC

# compile SOURCE: leaves $program.
compile() {
    local compiler=gcc # transcripts are those of its line tables
    have gcc || compiler=${CC:-cc}
    program=$SCRATCH/$(basename "${1%.*}")
    [[ $1 == *.cc ]] && compiler=g++
    RUN_SECONDS=600 run "$compiler" -O0 -g -gdwarf-5 -fno-omit-frame-pointer -pthread -o "$program" "$1" -ldl
    [ "$status" = 0 ]
}

# record NAME [ARGUMENT]...: runs the program natively first, so that ebb is not blamed for a
# program that does not work on this machine.
record() {
    local name=$1 native recorded
    shift
    { timeout 600 "$program" "$@" >/dev/null 2>&1 </dev/null; native=$?; } 2>/dev/null
    rm -rf "$SCRATCH/$name.rec"
    timeout 600 "$EBB" record -q -o "$SCRATCH/$name.rec" "$program" "$@" >/dev/null 2>&1 </dev/null
    recorded=$?
    [ "$native" = "$recorded" ]
}

normalise() { sed "s#$PWD/##g; s#$SCRATCH/##g" | awk -f tests/lib/debugger_session.awk; }

# converse NAME COMMAND...: what is said, each command in front of its answer.
converse() {
    local rec=$SCRATCH/$1.rec command args=()
    shift
    for command; do
        args+=(-c "$command")
    done
    timeout 600 "$EBB" replay "$rec" -c 'set echo on' "${args[@]}" </dev/null 2>&1
}

# says NAME PATTERN: the last conversation has a line like this.
says() {
    if grep -qE -e "$2" "$SCRATCH/talk"; then
        ok "$1"
    else
        fail "$1" "no line '$2': $(tail -n 5 "$SCRATCH/talk" | tr '\n' ' ' | cut -c 1-300)"
    fi
}

prepared() {
    [ -d "$SCRATCH/list.rec" ] || { compile tests/debugger/list.c && record list; }
}

makes_terminals() {
    have python3 && timeout 600 python3 -c 'import pty, os
pid, fd = pty.fork()
if pid == 0: os._exit(0)
os.waitpid(pid, 0)' 2>/dev/null
}
