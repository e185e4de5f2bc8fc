# needs: diff patch
sed 's/e/E/' $INPUT/words > other; diff -u $INPUT/words other | tail -n +3 | md5sum
diff $INPUT/words other > p; cp $INPUT/words w; patch -s w p; cmp w other && echo same
diff -q w $INPUT/words > /dev/null; echo $?; cmp <(echo a) <(echo b) | sed 's|/dev/fd/[0-9]*|F|g'
