# gzip, bzip2, xz and zstd, the last two with threads.
# share: check
# needs: gzip bzip2 xz zstd

run() {
    for i in 1 2 3 4 5 6; do seq $i 60000; done | awk '{ print $1, $1 * $1 % 9973 }' >data
    sha256sum data
    gzip -9n <data | tee g | gzip -d | cmp - data && sha256sum g
    bzip2 -9 <data | tee b | bzip2 -d | cmp - data && sha256sum b
    xz -3 -T2 --block-size=1MiB <data | tee x | xz -d -T2 | cmp - data && sha256sum x
    zstd -q -6 -T2 <data | tee z | zstd -q -d | cmp - data && sha256sum z
    head -c 1000 g | gzip -d 2>&1 >/dev/null | tail -n 1; echo "${PIPESTATUS[1]}"
    for f in g b x z; do printf X | dd of=$f bs=1 seek=500 conv=notrunc status=none; done
    gzip -tq g; echo $?; bzip2 -tq b 2>/dev/null; echo $?; xz -tq x; echo $?; zstd -tq z; echo $?
}
