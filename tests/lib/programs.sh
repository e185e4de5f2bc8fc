# The programs of tests/programs: which there are, and how each is built.
#
# Included after cases.sh and both.sh.
#
# The first comment of a program may hold these lines (` * word: ...`):
#   variants: static staticpie nopie musl muslstatic    besides the ordinary dynamic PIE
#   args: a b | c        one run per alternative
#   libs: -lm            added at the end of the compiler's command
#   flags: -O0           replaces -O1
#   with: plugin_a.c     shared libraries built beside the program, found by $ORIGIN
#   settings: yes        runs again with each setting that changes the translation
#   also: ownvdso=1      runs again with each of these settings
#   tool:                not a test

programs=$PWD/tests/programs
areas=(start control float memory code signal file process time thread library odd)

# What a program's first comment says after "word:".
directive() {
    sed -n -e "s|^ \* $2: *||p" -e '/\*\//q' "$1"
}

# compiler VARIANT SOURCE: the command that builds it, but for names and libraries.
compiler() {
    local cc=gcc
    [[ $2 == *.cc ]] && cc=g++
    [[ $2 == *.S ]] && cc='gcc -nostdlib -static'
    case $1 in
    pie)        echo "$cc" ;;
    static)     echo "$cc -static" ;;
    staticpie)  echo "$cc -static-pie" ;;
    nopie)      echo "$cc -no-pie -fno-pie" ;;
    musl)       echo "musl-gcc" ;;
    muslstatic) echo "musl-gcc -static" ;;
    *)          echo "unknown-variant-$1" ;;
    esac
}

# A library may be wanted by two programs built at once: made aside, then moved into place.
build_library() {
    local out=$SCRATCH/${1%.c}.so
    [[ -e $out ]] && return 0
    timeout 600 gcc -O1 -Wall -shared -fPIC -I"$programs" -o "$out.$BASHPID" "$programs/$1" &&
        mv "$out.$BASHPID" "$out"
}

# build SOURCE VARIANT OUTPUT; the compiler's words land in OUTPUT.log.
build() {
    local flags libs lib
    flags=$(directive "$1" flags)
    libs=$(directive "$1" libs)
    for lib in $(directive "$1" with); do
        build_library "$lib" || return 1
        libs+=" -Wl,-rpath,\$ORIGIN -L$SCRATCH"
    done
    # shellcheck disable=SC2046,SC2086
    timeout 600 $(compiler "$2" "$1") ${flags:--O1} -Wall -pthread -I"$programs" -o "$3" "$1" $libs \
        >"$3.log" 2>&1
}

# alternatives SOURCE: its arguments, a line for each run.
alternatives() {
    { directive "$1" args | grep . || echo; } | tr '|' '\n' | sed 's/^ *//; s/ *$//'
}

# The sources to run, simplest areas first; or those named.
sources() {
    local area file name
    for name in "$@"; do
        for file in "$programs/$name".{S,c,cc}; do
            [[ -e $file ]] && echo "$file"
        done
    done
    (($#)) && return
    for area in "${areas[@]}"; do
        for file in "$programs/$area"_*.{S,c,cc}; do
            [[ -e $file ]] && echo "$file"
        done
    done
}
