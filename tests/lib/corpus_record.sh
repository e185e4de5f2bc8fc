# The corpus, recorded and replayed: what the suite and the long test share.
#
# Included after cases.sh, both.sh, corpus.sh and record.sh.

# corpus_recorder DIRECTORY: the words that a command is recorded by.
corpus_recorder() {
    recorder=("$EBB" record -q --check="${RECORD_CHECK:-200000}" -o "$1" --)
}

# corpus_reproduced CASE RECORDING: every track of it; what fails is kept where that is asked for.
corpus_reproduced() {
    local name=$1 recording=$2 base=${2%.rec} tracks
    tracks=$(record_tracks "$recording")
    both_run "$base.all" "$base.dir" "$EBB" replay --verify --all "$recording"
    run "$EBB" info "$recording"
    if [[ $(record_end "$base.all") == 'exited 0' ]] &&
        (($(grep -ac '^track [0-9]*: reproduced$' "$base.all") == tracks)) && [ "$status" = 0 ]; then
        ok "$name recorded, $tracks tracks"
        rm -rf "$recording"
        return
    fi
    fail "$name recorded" "$(record_end "$base.all"): $(grep -a '^ebb: ' "$base.all" | both_line 300)"
    [[ -z ${RECORD_KEEP:-} ]] || mv "$recording" "$base.all" "$RECORD_KEEP/"
    rm -rf "$recording"
}

# A difference counts if the program natively does the same thing twice.
corpus_record_program() {
    local name=$1 base=$SCRATCH/corpus-$1 missing recorder
    # shellcheck disable=SC2046
    missing=$(corpus_missing $(corpus_says "$name" needs))
    if [[ -n $missing ]]; then
        skip "$name" "${missing##*/} is not installed"
        return
    elif ! corpus_prepare "$name"; then
        skip "$name" "cannot be prepared here ($(tail -n 2 "$SCRATCH/prepared-$name.log" | both_line 100))"
        return
    fi
    corpus_run "$base.n1" "$name"
    corpus_recorder "$base.rec"
    corpus_run "$base.r" "$name" "${recorder[@]}"
    if ! cmp -s "$base.n1" "$base.r"; then
        corpus_run "$base.n2" "$name"
        if cmp -s "$base.n1" "$base.n2"; then
            both_compare "$name" "$base.n1" "$base.r"
        else
            skip "$name" "two native runs differ ($(diff -a "$base.n1" "$base.n2" | both_line 100))"
        fi
    fi
    corpus_reproduced "$name" "$base.rec"
}

# What python's tests find while they are recorded is the concern of 55-corpus; here they are
# programs whose runs must be reproduced.
corpus_record_python() {
    local module=$1 base=$SCRATCH/python-$1 recorder
    if ! /usr/bin/python3 -c "import test.$module" >/dev/null 2>&1; then
        skip "python:$module" "python's test package is not installed"
        return
    fi
    corpus_recorder "$base.rec"
    corpus_python_run "$base.r" "$module" "${recorder[@]}"
    corpus_reproduced "python:$module" "$base.rec"
}

corpus_record_case() {
    if [[ $1 == python:* ]]; then
        corpus_record_python "${1#python:}"
    else
        corpus_record_program "$1"
    fi
}
