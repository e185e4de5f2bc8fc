# What the suites share that record a run and replay it.
#
# Included after cases.sh and both.sh; both_prepare has been called.

# record_expected NATIVE: how ebb record ends if the program ends as that outcome says.  It dies of
# an interrupt as the program did.
record_expected() {
    local end
    end=$(record_end "$1")
    [[ $end == killed* && $end != 'killed by 2' ]] && end="exited $((128 + ${end#killed by }))"
    echo "$end"
}

record_tracks() {
    find "$1" -name 'track-*.log' | wc -l
}

# What an outcome says of the end, and what was printed before.
record_end() {
    tail -n 1 "$1" | grep -ao 'exited [0-9]*$\|killed by [0-9]*$\|timed out$'
}
record_output() {
    sed -E -e '$s/(exited|killed by) [0-9]+$//' "$1"
}

# record_judge CASE RECORDED REPLAYED TRACKS: prints the case's line.  What children printed is not
# in the track that was replayed, so with more than one only the verdict counts.
record_judge() {
    local last
    last=$(record_end "$3")
    if [[ $last == 'exited 0' ]]; then
        if (($4 > 1)) || cmp -s <(record_output "$2") <(record_output "$3"); then
            ok "$1"
        else
            fail "$1" "other output: $(diff -a "$2" "$3" | grep -a '^[<>]' | both_line 160)"
        fi
    else
        fail "$1" "$last: $(grep -a '^ebb: ' "$3" | both_line 300)"
    fi
}

### Many recordings of one program, each in another way

# Settings of record and of replay, in turn; `-` is none.
recorded_with=(- block=3 - counters=1)
replayed_with=(- block=1 counters=2 cache=1M)

record_with() {
    [[ $1 == - ]] || echo "--setting=$1"
}

# record_once BASE BINARY ARGS ROUND: records and replays all tracks, with checks at other ticks in
# each round. If CHAOS is set, every other round has random time slices. $why says what went wrong.
record_once() {
    local base=$1 n=$4 chaos='' all='' tracks
    rm -rf "$base.rec"
    ((n % 2)) && [[ -n ${CHAOS:-} ]] && chaos=--chaos=$((n + 1))
    # shellcheck disable=SC2046,SC2086
    both_run "$base.recorded" "$base.dir" "$EBB" record -q --check=$((1000 + n * 977 % 50000)) \
        $chaos $(record_with "${recorded_with[n % 4]}") -o "$base.rec" -- "$2" $3
    if [[ $(record_end "$base.recorded") != "$(record_expected "$base.native")" ]]; then
        why="recording: $(tail -n 3 "$base.recorded" | both_line 200)"
        return 1
    fi
    tracks=$(record_tracks "$base.rec")
    ((tracks == 1)) || all=--all
    # shellcheck disable=SC2046,SC2086
    both_run "$base.replayed" "$base.dir" "$EBB" replay --verify $all \
        $(record_with "${replayed_with[n / 4 % 4]}") "$base.rec"
    why=$(record_judge x "$base.recorded" "$base.replayed" "$tracks")
    [[ $why == ok* ]]
}

# record_repeat CASE BINARY ARGS RUNS: repeats until a run fails, and copies its recording to
# RECORD_KEEP if that is set. A run that cannot be replayed by design ends it, too.
record_repeat() {
    local name=$1 base=$2.run n why
    # shellcheck disable=SC2086
    both_run "$base.native" "$base.dir" "$2" $3
    if ! grep -qa '^done$' "$base.native"; then
        skip "$name" 'fails natively here'
        return
    fi
    for ((n = 0; n < $4; n++)); do
        record_once "$base" "$2" "$3" "$n" && continue
        [[ -z ${RECORD_KEEP:-} ]] || mv "$base.rec" "$RECORD_KEEP/${base##*/}.$n"
        if [[ $why == skip* ]]; then
            skip "$name" "${why#skip x: }"
        else
            fail "$name" "run $n of $4: ${why#FAIL x: }"
        fi
        return
    done
    ok "$name, $4 runs"
}
