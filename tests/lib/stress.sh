# Stressors of stress-ng, natively, recorded and replayed: the same outcome, every track reproduced.
#
# Included after cases.sh.  $ordinary (ordinary.sh) is put in front of what runs.

# What a run says of itself, without what differs between two good ones: its status, and complaints.
stress_outcome() {
    echo "status $1"
    sed -nE 's/^stress-ng: (fail|error): *\[[0-9]*\] //p' "$2" | sed -E 's/[0-9]+/N/g' | sort -u
    grep -oE 'aborted early|No stress workers invoked' "$2" | sort -u
}

# stress_case NAME OPS SECONDS: one instance.
stress_case() {
    local name=$1 ops=$2 seconds=$3 base=$SCRATCH/stress options native
    rm -rf "$base"
    mkdir -p "$base/temp"
    chmod -R 777 "$base"
    options=(--"$name" 1 --"$name-ops" "$ops" -t "$seconds" --temp-path "$base/temp" --oomable)
    RUN_SECONDS=60 run "${ordinary[@]}" stress-ng "${options[@]}"
    stress_outcome "$status" "$SCRATCH/err" >"$SCRATCH/native"
    native=$status
    if [ "$native" = 124 ] || [ "$native" = 137 ]; then
        skip "$name" 'does not end natively'
        return
    fi
    RUN_SECONDS=150 run "${ordinary[@]}" "$EBB" record -q -o "$base/recording" -- stress-ng "${options[@]}"
    stress_outcome "$status" "$SCRATCH/err" >"$SCRATCH/recorded"
    if ! cmp -s "$SCRATCH/native" "$SCRATCH/recorded"; then
        fail "$name" "natively $(paste -sd, "$SCRATCH/native"), recorded $(paste -sd, "$SCRATCH/recorded")"
        return
    fi
    RUN_SECONDS=300 run "${ordinary[@]}" "$EBB" replay --verify --all "$base/recording"
    if [ "$status" = 0 ] && grep -q 'all reproduced$' "$SCRATCH/out"; then
        ok "$name"
    else
        fail "$name" "$(tail -n 1 "$SCRATCH/out") $(grep -hv 'reproduced$' "$SCRATCH/err" | head -n 3 | tr '\n' ' ')"
    fi
    rm -rf "$base"
}
