# What suites share that ask ebb and gdb the same questions (tests/questions/oracle.py).

questions_seed=${QUESTIONS_SEED:-1}
questions_root=$PWD
questions_stops=${QUESTIONS_STOPS:-8}

questions_possible() {
    have gdb && have python3 && return
    skip questions 'gdb or python3 is not installed'
    return 1
}

# questions_about NAME PROGRAM OPTION=VALUE...: records the program and asks.
questions_about() {
    local name=$1 program=$2 last
    shift 2
    rm -rf "$program.rec"
    (cd "$SCRATCH" && timeout 600 env -i PATH="$PATH" "$EBB" record -q -o "$program.rec" "$program" >"$SCRATCH/log" 2>&1 </dev/null)
    if [ ! -d "$program.rec" ]; then
        fail "$name" "the program cannot be recorded: $(said)"
        return
    fi
    timeout 1800 python3 tests/questions/oracle.py "$EBB" "$program.rec" "$program" "$questions_seed" \
        stops="$questions_stops" wide="${QUESTIONS_WIDE:-0}" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    last=$(tail -n 1 "$SCRATCH/out")
    case $last in
    '0 agree'*) fail "$name" 'nothing was compared' ;;
    *' agree, 0 differ') ok "$name" ;;
    *) fail "$name" "seed $questions_seed, $last: $(head -n 12 "$SCRATCH/out" "$SCRATCH/err" | tr '\n' ' ' | cut -c 1-1200)" ;;
    esac
}

# questions_returned COMPILER LANGUAGE FLAGS...: compares what `finish` says that functions of 200
# types return.
questions_returned() {
    local compiler=$1 language=$2 source=$SCRATCH/returned.c
    shift 2
    [ "$language" = c ] || source=$SCRATCH/returned.cc
    local name program=$SCRATCH/returned
    name=$(echo "returned $compiler $*" | tr -s ' ' '-' | sed 's/--*/-/g')
    python3 tests/questions/returned.py "$language" "$questions_seed" >"$source"
    if ! have "$compiler"; then
        skip "$name" "$compiler is not installed"
    elif ! timeout 600 "$compiler" -g -w "$@" -o "$program" "$source" >"$SCRATCH/log" 2>&1; then
        skip "$name" "does not compile: $(head -n 2 "$SCRATCH/log" | tr '\n' ' ')"
    else
        questions_stops=250 questions_about "$name" "$program" only=finish after=0 language="$language"
    fi
}

# questions COMPILER SOURCE FLAGS...: apart.c is linked with its other half.
questions() {
    local compiler=$1 source=$2 options=(places="${questions_places:-60}") half
    shift 2
    local name program=$SCRATCH/${source%.*}
    name=$(echo "$source $compiler $*" | tr -s ' ' '-' | sed 's/--*/-/g')
    case $compiler in clang*) options+=(clobbered=1) ;; esac
    case $source:$compiler in *.cc:* | *++) options+=(language=c++) ;; esac
    half=()
    [ "$source" != apart.c ] || half=("$questions_root/tests/questions/apart_vault.c")
    if ! have "$compiler"; then
        skip "$name" "$compiler is not installed"
    elif ! (cd "$SCRATCH" && timeout 600 "$compiler" -g -w "$@" -o "$program" "$questions_root/tests/questions/$source" "${half[@]}" -lm) >"$SCRATCH/log" 2>&1; then
        skip "$name" "does not compile: $(head -n 2 "$SCRATCH/log" | tr '\n' ' ')"
    else
        questions_about "$name" "$program" "${options[@]}"
    fi
}

# questions_plainly NAME LANGUAGE FUNCTIONS: about $SCRATCH/program.
questions_plainly() {
    questions_about "$1" "$SCRATCH/program" plain=1 places=20 language="$2" functions="$3"
}

questions_fortran() {
    if ! have gfortran; then
        skip fortran 'gfortran is not installed'
    elif ! gfortran -g "$@" -J "$SCRATCH" -o "$SCRATCH/program" tests/languages/procedures.f90 >"$SCRATCH/log" 2>&1; then
        skip fortran "does not compile: $(head -n 2 "$SCRATCH/log" | tr '\n' ' ')"
    else
        questions_plainly "fortran$*" fortran \
            funcs::fact,funcs::fb,funcs::fc,funcs::fd,funcs::fi,funcs::fl,funcs::fp,funcs::fq
    fi
}

questions_go() {
    local name
    name=$(echo "go$*" | tr -s ' ' '-')
    if ! have go; then
        skip go 'go is not installed'
    elif ! GOCACHE=$SCRATCH/cache GO111MODULE=off timeout 600 go build "$@" -o "$SCRATCH/program" \
            tests/languages/go_returned.go >"$SCRATCH/log" 2>&1; then
        skip go "does not compile: $(head -n 2 "$SCRATCH/log" | tr '\n' ' ')"
    else
        questions_plainly "$name" go main.fInt,main.fStr,main.fTwo,main.fP,main.fMany,main.fMap,main.main
    fi
}

questions_rust() {
    if ! have rustc; then
        skip rust 'rustc is not installed'
    elif ! timeout 600 rustc -g "$@" --crate-name values -o "$SCRATCH/program" tests/languages/values.rs >"$SCRATCH/log" 2>&1; then
        skip rust "does not compile: $(head -n 2 "$SCRATCH/log" | tr '\n' ' ')"
    else
        questions_plainly "rust$*" rust values::main,values::with_arguments,values::shapes::Point::length
    fi
}
