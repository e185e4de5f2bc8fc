# Random commands for gdb on recordings of threads: included by 85-gdb and by the torture of gdb.
#
# tests/gdb/crews.c is the program, tests/gdb/driver.py gives the commands and judges threads,
# tests/gdb/driver_check.py judges states.

driver_kinds='pair queue births signals forks barrier'

# driver_record KIND LEVEL SEED: as $driver_rec, compiled with -OLEVEL, with slices by the seed.
driver_record() {
    local program=$SCRATCH/crews-O$2
    if [ ! -e "$program" ] &&
        ! timeout 600 "${CC:-gcc}" -g "-O$2" -pthread -o "$program" tests/gdb/crews.c 2>"$SCRATCH/err"; then
        return 1
    fi
    driver_rec=$SCRATCH/$1-O$2.rec
    rm -rf "$driver_rec"
    run "$EBB" record -q "--chaos=$3" -o "$driver_rec" "$program" "$1"
    [ "$status" = 0 ]
}

driver_gdb() {
    RUN_SECONDS=3600 run env TERM=dumb DRIVER_SEED="$2" DRIVER_COMMANDS="$3" \
        DRIVER_STATES="$SCRATCH/states" "$EBB" gdb "$1" -- -nx -batch \
        -iex 'set debuginfod enabled off' -iex 'set auto-load off' -iex 'set width 0' \
        -iex 'maintenance set internal-error quit yes' \
        -iex 'maintenance set internal-error corefile no' -x tests/gdb/driver.py
    cat "$SCRATCH/out" "$SCRATCH/err" >"$SCRATCH/driven"
}

# driver_complaint: the first thing that is wrong with what gdb said; empty if nothing is.
driver_complaint() {
    if grep -qa 'internal-error' "$SCRATCH/driven"; then
        grep -a -m 1 'internal-error' "$SCRATCH/driven"
    elif grep -qa '^wrong: ' "$SCRATCH/driven"; then
        grep -a -m 1 '^wrong: ' "$SCRATCH/driven"
    elif ! grep -qa 'driven: ' "$SCRATCH/driven"; then
        echo "gdb has ended: $(tail -n 3 "$SCRATCH/driven" | tr -c '[:print:]' ' ')"
    fi
}

# driver_case KIND LEVEL SEED COMMANDS
driver_case() {
    local name="driver $1 -O$2, seed $3" why
    if ! driver_record "$1" "$2" "$3"; then
        skip "$name" "cannot be compiled and recorded here: $(said)"
        return
    fi
    driver_gdb "$driver_rec" "$3" "$4"
    why=$(driver_complaint)
    if [ -n "$why" ]; then
        fail "$name" "$(cut -c 1-600 <<<"$why")"
        return
    fi
    RUN_SECONDS=3600 run python3 tests/gdb/driver_check.py "$EBB" "$driver_rec" "$SCRATCH/states"
    if grep -q '^same: ' "$SCRATCH/out"; then
        ok "$name"
    else
        sed 's/^/  /' "$SCRATCH/out" "$SCRATCH/err"
        fail "$name" "gdb shows another state than ebb, see above"
    fi
}

# loops_case LEVEL SEED PLACES: tests/gdb/loops.py on $SCRATCH/loops.rec.
loops_case() {
    local name="loops -O$1, seed $2"
    RUN_SECONDS=3600 run env TERM=dumb LOOPS_SEED="$2" LOOPS_PLACES="$3" \
        "$EBB" gdb "$SCRATCH/loops.rec" -- -nx -batch -iex 'set debuginfod enabled off' \
        -iex 'set auto-load off' -iex 'set width 0' -x tests/gdb/loops.py
    cat "$SCRATCH/out" "$SCRATCH/err" >"$SCRATCH/driven"
    if grep -qa '^wrong: ' "$SCRATCH/driven"; then
        fail "$name" "$(grep -a -m 1 '^wrong: ' "$SCRATCH/driven" | cut -c 1-900)"
    elif grep -qaE "^compared: $3 steps, [1-9]" "$SCRATCH/driven"; then
        ok "$name"
    else
        fail "$name" "gdb has ended: $(tail -n 3 "$SCRATCH/driven" | tr -c '[:print:]' ' ')"
    fi
}
