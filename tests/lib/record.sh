# What the suites share that record a run and replay it.
#
# Included after cases.sh and both.sh; both_prepare has been called.

# What replay says about recordings that are beyond it by design, not by mistake.
record_beyond='shared with another process, which cannot be replayed yet'

# record_expected NATIVE: how ebb record ends if the program ends as that outcome says.
record_expected() {
    local end
    end=$(record_end "$1")
    [[ $end == killed* ]] && end="exited $((128 + ${end#killed by }))"
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
    sed -e '$s/exited [0-9]*$//' "$1"
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
    elif [[ $last == 'exited 1' ]] && ! grep -a '^ebb: ' "$3" | grep -qvE "$record_beyond"; then
        skip "$1" "$(grep -am 1 '^ebb: ' "$3" | sed 's|/[^ ]*/||' | both_line 160)"
    else
        fail "$1" "$last: $(grep -a '^ebb: ' "$3" | both_line 300)"
    fi
}
