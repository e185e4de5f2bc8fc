# What the suites share that record a run and replay it.
#
# Included after cases.sh and both.sh; both_prepare has been called.

# What replay says about recordings that are beyond it by design, not by mistake.
record_beyond='several threads cannot be replayed yet|only tracks that begin with a program can be replayed'

# record_expected NATIVE: how ebb record ends if the program ends as that outcome says.
record_expected() {
    sed -n '$s/^killed by //p' "$1" | { read -r signal && echo "exited $((128 + signal))"; } ||
        tail -n 1 "$1"
}

record_tracks() {
    find "$1" -name 'track-*.log' | wc -l
}

# record_same RECORDED REPLAYED: the same output, and the replay satisfied.
record_same() {
    [[ $(tail -n 1 "$2") == 'exited 0' ]] && cmp -s <(sed '$d' "$1") <(sed '$d' "$2")
}

# record_judge CASE RECORDED REPLAYED TRACKS: prints the case's line.  What children printed is not
# in the track that was replayed, so with more than one only the verdict counts.
record_judge() {
    local last
    last=$(tail -n 1 "$3")
    if record_same "$2" "$3" || { (($4 > 1)) && [[ $last == 'exited 0' ]]; }; then
        ok "$1"
    elif [[ $last == 'exited 1' ]] && ! grep -a '^ebb: ' "$3" | grep -qvE "$record_beyond"; then
        skip "$1" "$(grep -am 1 '^ebb: ' "$3" | both_line 160)"
    elif [[ $last == 'exited 0' ]]; then
        fail "$1" "other output: $(diff -a "$2" "$3" | grep -a '^[<>]' | both_line 160)"
    else
        fail "$1" "$last: $(grep -a '^ebb: ' "$3" | both_line 300)"
    fi
}
