# needs: busybox
cat > script <<'SH'
for i in 1 2 3; do echo $i; done | busybox sort -r
busybox seq 100 | busybox awk '{ s += $1 } END { print s }'
busybox sha256sum < $INPUT/words
busybox gzip -c < $INPUT/words | busybox gunzip | busybox md5sum
exit 8
SH
busybox sh script
echo $?
