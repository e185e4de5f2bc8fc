# The instruction test, for tests/suites and tests/torture: builds its three programs, finds
# places that can be had natively and on the engine, and runs rounds.
#
# Set by the caller: EBB, CC, SCRATCH.  A round prints one line, ok, FAIL or skip, and before
# a FAIL what the cases are, what they were given, and what came out differently.

insn_here=$(dirname "${BASH_SOURCE[0]}")
insn_settings=()
insn_warnings='-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror'

# insn_build: 0, or 1 with the reason in insn_why.
insn_build() {
    local flags="-std=gnu11 -D_GNU_SOURCE -O2 -g -Isrc -I$insn_here $insn_warnings"
    local bare='-ffreestanding -fno-pie -mgeneral-regs-only -mno-red-zone -fno-stack-protector
        -fcf-protection=none -fno-asynchronous-unwind-tables -nostdlib -static
        -Wl,-e,insn_start -Wl,-z,noexecstack'
    local maker="$insn_here/insn-make.c $insn_here/maker.c $insn_here/forms.c
        $insn_here/encode.c $insn_here/operands.c $insn_here/single.c $insn_here/sequence.c
        $insn_here/flow.c"
    if ! echo '#include <Zydis/Zydis.h>' | "$CC" -E - >/dev/null 2>&1; then
        insn_why='Zydis is not installed (libzydis-dev)'
        return 1
    fi
    "$CC" $flags -o "$SCRATCH/insn-make" $maker -lZydis &&
    "$CC" $flags -o "$SCRATCH/insn-judge" "$insn_here/insn-judge.c" -lZydis &&
    "$CC" $flags $bare -o "$SCRATCH/insn-run" "$insn_here/insn-run.c" && return
    insn_why='the programs of the test do not build'
    return 1
}

insn_native() {
    timeout -k 5 "$insn_limit" "$SCRATCH/insn-run" "$@"
}

# With the settings that the round asks for.
insn_engine() {
    timeout -k 5 "$insn_limit" "$EBB" exec "${insn_settings[@]}" -- "$SCRATCH/insn-run" "$@"
}

# The first pair of places that is free on both sides, in insn_low and insn_high.
insn_places() {
    local low high
    for low in 0x8000000 0xc000000 0x54000000; do
        for high in 0x500000000000 0x300000000000 0x7e0000000000; do
            insn_native --probe $low $high || continue
            insn_why='the engine does not give the guest the places it asks for'
            insn_engine --probe $low $high || continue
            insn_low=$low insn_high=$high
            return
        done
    done
    : "${insn_why:=there is no room for the code and data of the test}"
    return 1
}

# insn_explain CORPUS NUMBER FIRST: what is different in a case.  If it is not when the case
# runs alone, it is run after those of its batch that come before it.
insn_explain() {
    local corpus=$1 number=$2 first=$3 out=$SCRATCH/explain
    insn_native "$corpus" "$out.native" "$number" 1 dump
    insn_engine "$corpus" "$out.engine" "$number" 1 dump
    "$SCRATCH/insn-judge" explain "$corpus" "$number" "$out.native" "$out.engine" && {
        echo '  after the cases before it:'
        insn_native "$corpus" "$out.native" "$first" $((number - first + 1)) last
        insn_engine "$corpus" "$out.engine" "$first" $((number - first + 1)) last
        "$SCRATCH/insn-judge" explain "$corpus" "$number" "$out.native" "$out.engine"
    }
    rm -f "$out.native" "$out.engine"
}

# insn_where_ended CORPUS HASHES CASES: the case in which the engine's run ended.  Output comes
# once a batch, so what followed is run again, with output after each case.
insn_where_ended() {
    local from=$(($(stat -c %s "$2") / 8)) status
    [ "$from" -lt "$3" ] || return
    : > "$2.rest"
    insn_engine "$1" "$2.rest" "$from" "$3"
    status=$?
    from=$((from + $(stat -c %s "$2.rest") / 8))
    if [ "$from" -ge "$3" ]; then
        echo '  run again from there, it does not end early'
        return
    fi
    echo "  the run ends with status $status in case $from"
    insn_native "$1" "$2.one" "$from" 1 dump
    : > "$2.none"
    "$SCRATCH/insn-judge" explain "$1" "$from" "$2.one" "$2.none"
}

# insn_round SEED CASES [SETTING=VALUE]...
insn_round() {
    local seed=$1 cases=$2 corpus=$SCRATCH/corpus out=$SCRATCH/out status summary setting
    local name="instructions, seed $seed${3:+ (${*:3})}"
    insn_settings=()
    for setting in "${@:3}"; do
        insn_settings+=(--setting "$setting")
    done
    if ! timeout -k 5 "$insn_limit" "$SCRATCH/insn-make" "$corpus" "$seed" "$cases" \
         "$insn_low" "$insn_high" >"$SCRATCH/made"; then
        echo "FAIL $name: no cases could be made"
        return
    fi
    if ! insn_native "$corpus" "$out.native" || ! insn_native "$corpus" "$out.again"; then
        echo "skip $name: the cases do not run natively here"
        return
    fi
    : > "$out.engine"
    insn_engine "$corpus" "$out.engine"
    status=$?
    "$SCRATCH/insn-judge" compare "$corpus" "$out.native" "$out.again" "$out.engine" \
        >"$out.judged"
    case $? in
    0) summary=$(head -n 1 "$out.judged")
       echo "ok $name: $(cut -d, -f1 "$SCRATCH/made"), $summary" ;;
    3) echo "skip $name: $(head -n 1 "$out.judged")" ;;
    *) insn_failed "$name" "$status" ;;
    esac
    rm -f "$corpus" "$out".*
}

# What a failed round shows, worst first: where it ended, then what differs.
insn_failed() {
    local name=$1 status=$2 corpus=$SCRATCH/corpus out=$SCRATCH/out number first what
    insn_where_ended "$corpus" "$out.engine" $(($(stat -c %s "$out.native") / 8))
    while read -r number first what; do
        insn_explain "$corpus" "$number" "$first"
    done < <(tail -n +2 "$out.judged")
    echo "FAIL $name: $(head -n 1 "$out.judged"), status $status"
}
