# needs: zstd
zstd -q -3 < $INPUT/big | md5sum
zstd -q -T2 -9 < $INPUT/big | zstd -dq | cmp - $INPUT/big && echo same
zstd -q --train-fastcover -o dict --maxdict=2000 -B500 $INPUT/words 2>/dev/null
zstd -q -19 < $INPUT/words | zstd -dqc | md5sum
