# needs: bzip2
bzip2 < $INPUT/big | md5sum; bzip2 -9 < $INPUT/big | bunzip2 | cmp - $INPUT/big && echo same
bzip2 -1 < $INPUT/words | wc -c
