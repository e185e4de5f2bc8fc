# needs: bash
trap 'echo usr1' USR1; kill -USR1 $$; kill -USR1 $$
sleep 100 & kill -TERM $!; wait $!; echo $?; (kill -SEGV $BASHPID) 2>/dev/null; echo $?
sh -c 'kill -9 $$' ; echo $?
(trap 'echo child; exit 3' TERM; kill -TERM $BASHPID; sleep 9); echo $?; trap '' PIPE
yes 2>/dev/null | head -n 1
for s in HUP INT QUIT ALRM; do
    bash -c "trap 'echo got $s; exit 4' $s; kill -$s \$\$; sleep 9"
    echo $?
done
set -m; sleep 0.1 & wait %1; echo job $?
trap : USR1; while kill -USR1 $$; do sleep 0.05; done & wait $!; echo interrupted $?; trap '' USR1
kill $!; wait
trap 'echo exit' EXIT
exit 42
