# For suites that ask the driver tests/values/drive.c about a core file and compare its answers with
# those of gdb.

drive=$SCRATCH/drive

build_driver() {
    timeout 600 "${CC:-gcc}" -std=gnu11 -O1 -g -D_GNU_SOURCE -Isrc -Wall -o "$drive" tests/values/drive.c src/engine/plan/bytecode*.c \
        "$BUILD"/hosted/symbols/*.o "$BUILD"/hosted/base/*.o -ldw -lelf -lstdc++ -lm -lZydis >"$SCRATCH/log" 2>&1
}

# core PROGRAM CORE COMMAND...: runs the program in gdb to stop_here, then the commands, and writes
# a core file.
core() {
    local program=$1 file=$2 more=()
    shift 2
    for command; do more+=(-ex "$command"); done
    timeout 600 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set startup-with-shell off' -ex 'break stop_here' -ex run \
        "${more[@]}" -ex "generate-core-file $file" "$program" </dev/null >"$SCRATCH/log" 2>&1
    [ -s "$file" ]
}

# compare NAME PROGRAM CORE LIST FRAME [OPTION]
compare() {
    local name=$1 last
    shift
    timeout 600 python3 tests/values/compare.py "$drive" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    last=$(tail -n 1 "$SCRATCH/out")
    case $last in
    *' agree, 0 differ') ok "$name" ;;
    *) fail "$name" "$(head -n 6 "$SCRATCH/out" "$SCRATCH/err" | tr '\n' ' ' | cut -c 1-600)" ;;
    esac
}
