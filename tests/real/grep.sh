# needs: grep
grep -c a $INPUT/words; grep -E '^(a|b).*[xyz]$' $INPUT/words | sort | head
grep -oiP '(?<=a)[b-f]+(?!x)' $INPUT/words | sort | uniq -c | head -n 5
grep -F -f <(head -n 20 $INPUT/words) $INPUT/words | wc -l
grep -rn --include=words abc $INPUT | wc -l; grep -q zzzzzz $INPUT/words; echo $?; grep '(' /nowhere
echo $?
