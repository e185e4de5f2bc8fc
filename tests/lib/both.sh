# What the suites share that run something natively and on the engine and compare.
#
# Included after cases.sh.  How a run ends is told by tests/programs/outcome.c, which a suite builds
# first (both_prepare); cases run two at a time (both_each), each in a process of its own that is
# the suite called with `--one CASE`.
#
# EBB_TEST_VERBOSE=1: show what differed.  EBB_TEST_SECONDS: the limit of one run (60).

both_prepare() {
    EBB=$(realpath "$EBB")
    if ! gcc -O1 -Wall -o "$SCRATCH/outcome" tests/programs/outcome.c 2>"$SCRATCH/outcome.log"; then
        fail outcome "it does not compile ($(head -n 1 "$SCRATCH/outcome.log"))"
        exit 1
    fi
}

# both_run OUTCOME DIRECTORY [VARIABLE=VALUE...] COMMAND...: runs the command in that directory, which
# is made and removed, with these variables in an otherwise fixed environment. `make asan` adds the
# options of the sanitizers.
both_run() {
    local outcome=$1 dir=$2
    shift 2
    mkdir "$dir"
    (cd "$dir" && env -i PATH=/usr/bin:/bin HOME="$dir" TMPDIR="$dir" LC_ALL=C TZ=UTC \
        XDG_CACHE_HOME="$SCRATCH/cache" \
        ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS" "UBSAN_OPTIONS=${UBSAN_OPTIONS:-}"} \
        "$SCRATCH/outcome" "${EBB_TEST_SECONDS:-600}" "$outcome" "$@")
    rm -rf "$dir"
}

# both_compare CASE NATIVE ENGINE: prints the case's line from the two outcomes.
both_compare() {
    local want got
    if cmp -s "$2" "$3"; then
        ok "$1"
        return
    fi
    want=$(tail -n 1 "$2")
    got=$(tail -n 1 "$3")
    if [[ $want == "$got" ]]; then
        fail "$1" "other output: $(diff -a "$2" "$3" | grep -a '^[<>]' | both_line 160)"
    else
        fail "$1" "natively $want, on the engine $got ($(tail -n 3 "$3" | both_line 160))"
    fi
    [[ ${EBB_TEST_VERBOSE:-0} == 0 ]] || diff -a "$2" "$3" | head -n 40 | sed 's/^/    /'
}

# Input as one printable line of at most so many characters.
both_line() {
    head -c 4000 | tr -cs '[:print:]' ' ' | cut -c "1-$1"
}

# both_parts: the cases named on input, two at a time; leaves what they say in $SCRATCH/all.  Each
# is a part of the suite (see part), so what it says stays together.
both_parts() {
    export -f part both_part
    xargs -r -P 2 -n 1 bash -c 'both_part "$@"' bash "$0" | tee "$SCRATCH/all"
    part
}

# both_part SUITE CASE: a case may be a source's path, or have a word in front that says what it is.
both_part() {
    local name=${2##*/} said
    name=${name%%.*}
    said=$("$1" --one "$2")
    {
        flock 9
        part "${name#command:}"
        printf '%s\n' "$said"
    } 9>"$SCRATCH/saying"
}

# both_each: the same.  Skipping is for a few odd machines: when hardly anything runs, the suite
# itself is broken.
both_each() {
    both_parts
    if (($(grep -c '^skip' "$SCRATCH/all") > $(grep -c '^ok\|^FAIL' "$SCRATCH/all"))); then
        fail "${0##*/}" 'most of it was skipped'
        exit 1
    fi
    ! grep -q '^FAIL' "$SCRATCH/all"
}
