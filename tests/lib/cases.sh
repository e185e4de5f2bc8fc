# What suites in bash share: how a case is reported, how a command is run and judged.
#
# Included by a suite as `. tests/lib/cases.sh`, from the top of the tree.  Run by hand, a suite
# takes build/ebb and a scratch directory that it removes at its end.

set -u
export BUILD=${BUILD:-$PWD/build}
export EBB=${EBB:-$BUILD/ebb} EBB_ENGINE=${EBB_ENGINE:-$BUILD/ebb-engine}
if [ -z "${SCRATCH:-}" ]; then
    SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/ebb-suite.XXXXXX") || exit 2
    export SCRATCH
    trap 'rm -rf "$SCRATCH"' EXIT
fi
export XDG_CACHE_HOME=$SCRATCH/cache # snapshots of long replays go with the rest

ok()   { echo "ok $1"; }
fail() { echo "FAIL $1: $2"; }
skip() { echo "skip $1: $2"; }

# part NAME: the cases that follow belong to a part of the suite that can be run alone, by NAME as
# the suite's argument; see tests/run.
part() { echo "part${1:+ $1}"; }

# The suite was given the name of a part that it does not have.
no_part() {
    echo "${0##*/}: there is no part '$1'" >&2
    exit 64
}

# choose_parts ALL [NAME...]: leaves in $chosen_parts those named, or all.
choose_parts() {
    local all=" $1 " name
    read -ra chosen_parts <<<"$1"
    shift
    [ $# = 0 ] && return
    for name; do
        [[ $all == *" $name "* ]] || no_part "$name"
    done
    chosen_parts=("$@")
}

have() { command -v "$1" >/dev/null 2>&1; }

# run COMMAND...: leaves $status, and what was printed in $SCRATCH/out and $SCRATCH/err.  The outer
# braces keep to itself what the shell has to say about a death by signal.
run() {
    {
        timeout -k 5 "${RUN_SECONDS:-600}" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
        status=$?
    } 2>/dev/null
}

# One line of what the last run said, to stand in a complaint.
said() {
    cat "$SCRATCH/out" "$SCRATCH/err" | tr -c '[:print:]' ' ' | cut -c 1-200
}

# The last run ended with STATUS and one sentence of ebb's on stderr, alone, that matches PATTERN.
one_sentence() {
    local name=$1 wanted=$2 pattern=$3
    if [ "$status" != "$wanted" ]; then
        fail "$name" "status $status, not $wanted: $(said)"
    elif [ -s "$SCRATCH/out" ]; then
        fail "$name" "it printed something: $(said)"
    elif [ "$(wc -l <"$SCRATCH/err")" != 1 ] || ! grep -q '^ebb: ' "$SCRATCH/err"; then
        fail "$name" "not one sentence: $(said)"
    elif ! grep -qE -e "$pattern" "$SCRATCH/err"; then
        fail "$name" "the sentence does not say '$pattern': $(said)"
    else
        ok "$name"
    fi
}

# The last run ended well and printed exactly WANTED (and a newline) on stdout, nothing on stderr.
printed() {
    local name=$1 wanted=$2
    if [ "$status" != 0 ] || [ -s "$SCRATCH/err" ]; then
        fail "$name" "status $status: $(said)"
    elif [ "$(cat "$SCRATCH/out")" != "$wanted" ]; then
        fail "$name" "wanted '$wanted', got: $(said)"
    else
        ok "$name"
    fi
}
