# The corpus: programs people run (tests/corpus), natively and on the engine; same output, same end.
#
# Included after cases.sh and both.sh.  A file of the corpus defines `run`, which prints what it
# computes, and perhaps `prepare`, which makes in $PREPARED, natively and once, what is costly to
# make.  Its first comment says
#   share: check | torture    whether `make check` runs it, or `make torture` alone
#   needs: gcc make           programs without which it is skipped
# run works in a fresh directory with the same name every time.  On the engine, the shell that runs
# it and all that it starts are.  Only standard output and the end are compared.
#
# python's own tests are told apart test by test: tests/corpus/python.modules names the modules, and
# a test that does well natively must do so on the engine.

corpus=$PWD/tests/corpus
corpus_path=/usr/bin:/bin
export CORPUS_LIB=$PWD/tests/lib

corpus_says() {
    sed -n -e "s|^# $2: *||p" -e '/^$/q' "$corpus/$1.sh"
}

# corpus_list SHARE...: the cases of these shares: programs, then python:MODULE.
corpus_list() {
    local file name share
    for file in "$corpus"/*.sh; do
        name=$(basename "$file" .sh)
        for share; do
            [[ $(corpus_says "$name" share) == "$share" ]] && echo "$name"
        done
    done
    for share; do
        awk -v share="$share" '$2 == share { print "python:" $1 }' "$corpus/python.modules"
    done
}

# corpus_named NAME...: the cases of these names.
corpus_named() {
    local name
    for name; do
        [[ $name == python:* || -e $corpus/$name.sh ]] || no_part "$name"
        echo "$name"
    done
}

# The first of the given programs that is not there.
corpus_missing() {
    local program
    for program; do
        PATH=$corpus_path command -v "$program" >/dev/null || { echo "$program"; return; }
    done
}

# corpus_prepare NAME: once for all settings; says why not.
corpus_prepare() {
    local dir=$SCRATCH/prepared-$1
    [[ -d $dir ]] && return
    mkdir "$dir"
    (cd "$dir" && env -i PATH="$corpus_path" HOME="$dir" TMPDIR="$dir" LC_ALL=C.UTF-8 \
        CORPUS_LIB="$CORPUS_LIB" timeout -k 5 600 \
        bash -c ". '$corpus/$1.sh'; ! declare -F prepare >/dev/null || prepare") >"$dir.log" 2>&1
}

# corpus_run OUTCOME NAME COMMAND...: the command is what bash is started by.
corpus_run() {
    local outcome=$1 name=$2 base=$SCRATCH/corpus-$2
    shift 2
    both_run "$outcome" "$base.dir" \
        env PREPARED="$SCRATCH/prepared-$name" CORPUS_LIB="$CORPUS_LIB" LC_ALL=C.UTF-8 \
        "$@" bash -c "exec 2>'$outcome.stderr'; . '$corpus/$name.sh'; run"
}

# corpus_program NAME SETTING...: on the engine with each setting; a bare `-` is none.
corpus_program() {
    local name=$1 base=$SCRATCH/corpus-$1 missing why setting
    shift
    # shellcheck disable=SC2046
    missing=$(corpus_missing $(corpus_says "$name" needs))
    if [[ -n $missing ]]; then
        skip "$name" "${missing##*/} is not installed"
    elif ! corpus_prepare "$name"; then
        why=$(tail -n 2 "$SCRATCH/prepared-$name.log" | both_line 100)
        skip "$name" "cannot be prepared here ($why)"
    else
        corpus_run "$base.n1" "$name"
        if (($(wc -l <"$base.n1") < 3)); then
            skip "$name" "says nothing natively ($(tail -n 2 "$base.n1.stderr" | both_line 100))"
            return
        fi
        for setting; do
            corpus_engine "$name" "$setting"
        done
    fi
}

# A difference counts if the program natively does the same thing twice.
corpus_engine() {
    local name=$1 setting=$2 base=$SCRATCH/corpus-$1
    local out=$base.e${2#-} shown=$1 why
    [[ $setting == - ]] || shown+=" $setting"
    corpus_run "$out" "$name" "$EBB" exec --setting "${setting/#-/stats=0}" --
    if ! cmp -s "$base.n1" "$out"; then
        corpus_run "$base.n2" "$name"
        if ! cmp -s "$base.n1" "$base.n2" || ! [[ $(tail -n 1 "$base.n1") =~ ^exited ]]; then
            why=$(diff -a "$base.n1" "$base.n2" | both_line 100)
            skip "$shown" "two native runs differ ($why)"
            return
        fi
    fi
    both_compare "$shown" "$base.n1" "$out"
    cmp -s "$base.n1" "$out" || tail -n 5 "$out.stderr" | cut -c 1-200 | sed 's/^/    /'
}

# corpus_python_run OUTCOMES MODULE COMMAND...: python is started by the command.
corpus_python_run() {
    local outcomes=$1 module=$2 without
    shift 2
    without=$(awk -v module="$module" '$1 == module { print $3 }' "$corpus/python.modules")
    both_run "$outcomes.log" "$SCRATCH/python-$module.dir" env LC_ALL=C.UTF-8 "$@" \
        /usr/bin/python3 "$CORPUS_LIB/python_outcomes.py" "$outcomes" "$module" \
        ${without:+"$without"}
}

# The tests that do well in the first file and not in the second.
corpus_python_lost() {
    comm -23 <(grep '^ok\|^end' "$1" | sort -u) <(grep '^ok\|^end' "$2" | sort -u) | sed 's/^ok //'
}

# Many of these tests race with clocks: what is lost must be lost again, with natively good results
# before and after.
corpus_python() {
    local module=$1 base=$SCRATCH/python-$1 lost setting=${2/#-/stats=0} shown=python:$1
    [[ $2 == - ]] || shown+=" $2"
    if ! /usr/bin/python3 -c "import test.$module" >/dev/null 2>&1; then
        skip "$shown" "python's test package is not installed"
        return
    fi
    [[ -e $base.n1 ]] || corpus_python_run "$base.n1" "$module"
    corpus_python_run "$base.e" "$module" "$EBB" exec --setting "$setting" --
    if [[ -n $(corpus_python_lost "$base.n1" "$base.e") ]]; then
        corpus_python_run "$base.n2" "$module"
        corpus_python_run "$base.e2" "$module" "$EBB" exec --setting "$setting" --
        cat "$base.e2" >>"$base.e"
    fi
    lost=$(corpus_python_lost <(cat "$base.n1" "$base.n2" 2>/dev/null) "$base.e")
    if [[ -n $lost ]]; then
        fail "$shown" "fail on the engine alone: $(both_line 200 <<<"$lost")"
    else
        ok "$shown"
    fi
}

# corpus_case CASE SETTING...
corpus_case() {
    local name=$1 setting
    shift
    if [[ $name != python:* ]]; then
        corpus_program "$name" "$@"
        return
    fi
    for setting; do
        corpus_python "${name#python:}" "$setting"
    done
}

# corpus_each: the cases named on input, two at a time.  What is not installed is skipped, be it
# most of it; but something must have run.
corpus_each() {
    both_parts
    if ! grep -q '^ok\|^FAIL' "$SCRATCH/all"; then
        fail "${0##*/}" 'all of it was skipped'
        return 1
    fi
    ! grep -q '^FAIL' "$SCRATCH/all"
}
