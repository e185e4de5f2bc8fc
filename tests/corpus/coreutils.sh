# Text, files, sums, dates: the small tools of every day.
# share: check
# needs: sort join sha256sum shuf split tar find

run() {
    seq 3000 | awk '{ print $1 * 7919 % 3001, "name" $1 % 97, $1 % 13 }' >table
    sort -n table | head -n 3
    sort -k2,2 -k1,1nr table | sha256sum
    sort --parallel=2 -S 64K -k3,3n -s table | md5sum
    cut -d' ' -f2 table | sort | uniq -c | sort -k1,1nr -k2 | head -n 4
    join <(sort table) <(sort -r table | sort) | wc
    comm -12 <(seq 1 3 99 | sort) <(seq 1 5 99 | sort) | paste -sd,
    shuf --random-source=table -n 5 table
    tr a-z A-Z <table | fold -w 11 | tail -n 2 | od -c
    split -l 100 -d table piece. && cat piece.* | cmp - table && ls | wc -l
    for sum in cksum md5sum sha1sum sha512sum b2sum; do $sum table; done
    mkdir -p a/b/c && cp table a/b/ && ln -s b/table a/link && mv piece.00 a/b/c/
    touch -d '2001-02-03 04:05:06 UTC' a/b/table && stat -L -c '%s %Y %F' a/b/table a/link
    tar -C a --sort=name --mtime=@0 --owner=0 --group=0 -cf - . | sha256sum
    find a | sort; du -a --apparent-size -b a/b/c/piece.00; rm -r a; ls a; echo "status $?"
    date -u -d '2024-02-28 + 2 days' '+%F %A'; numfmt --to=iec 123456789; factor 1234567890123
    base64 table | base64 -d | cmp - table && dd if=table bs=1k count=3 2>&1 >/dev/null | head -n 2
    timeout 0.2 sleep 60; echo "status $?"; nice -n 3 nice; env -i A=1 env; expr 6 \* 7
}
