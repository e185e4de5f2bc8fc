# needs: xz
xz -1 < $INPUT/big | md5sum
xz -T2 --block-size=64KiB < $INPUT/big | xz -d | cmp - $INPUT/big && echo same
xz --format=lzma -2 < $INPUT/words | xz -dc | md5sum
