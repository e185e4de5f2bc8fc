# needs: sort uniq
sort $INPUT/words | uniq -c | sort -k1,1nr -k2 | head -n 20
sort -t' ' -k3,3n -k2,2r $INPUT/table | sha256sum
sort --parallel=2 -S 1M -R --random-source=$INPUT/words $INPUT/table | wc -l
seq 20000 | shuf --random-source=$INPUT/big | sort -n | cksum
seq 1000 | sort -g -r | head -n 3; printf '1K\n2M\n3\n' | sort -h
printf '%s\n' a c b | tsort 2>&1 | wc -l
