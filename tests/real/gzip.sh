# needs: gzip
for n in 1 6 9; do gzip -n -$n < $INPUT/words | md5sum; done
gzip -n < $INPUT/big | gunzip | cmp - $INPUT/big && echo same
gzip -c $INPUT/binary > b.gz; gzip -t b.gz; echo $?; head -c 100 b.gz | gunzip | wc -c
zcat b.gz | md5sum; echo bad | gunzip; echo $?
