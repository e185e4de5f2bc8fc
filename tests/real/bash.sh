# needs: bash
declare -A map; while read -r a b c; do map[$b]=$c; done < $INPUT/table
for k in "${!map[@]}"; do echo "$k ${map[$k]}"; done | sort | md5sum
f() { local n=$1; ((n < 2)) && { echo $n; return; }; echo $(($(f $((n-1))) + $(f $((n-2))))); }; f 9
arr=(one two three); echo "${arr[@]^^}" "${#arr[@]}" "${arr[-1]/e/E}"
[[ "2024-01-02" =~ ([0-9]+)-([0-9]+) ]]; echo ${BASH_REMATCH[2]}
cat <<< "here $((6*7))"; printf -v x '%03d' 7; echo $x; echo {a..e}{1..3}; shopt -s extglob
y=aaabbb; echo ${y##+(a)}
diff <(seq 3) <(seq 2 4); echo status $?; set -o pipefail; false | true; echo $?; (exit 9); echo $?
i=0; while ((i++ < 3000)); do :; done; echo $i; mapfile -t lines < $INPUT/words
echo ${#lines[@]} ${lines[17]}
coproc cat; echo hello >&${COPROC[1]}; read -r reply <&${COPROC[0]}; echo $reply
exec {COPROC[1]}>&-; wait
