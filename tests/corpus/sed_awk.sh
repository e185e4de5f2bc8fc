# sed and gawk.
# share: check
# needs: sed gawk

run() {
    seq 2000 | gawk '{ printf "%d\t%s\t%.3f\n", $1, ($1 % 3 ? "odd" : "third"), sqrt($1) }' >t
    sed -n -e '5,8s/\t/|/gp' -e '$p' t
    sed -E ':a; N; $!ba; s/([0-9]+)\tthird\t[0-9.]+\n/<\1>/g' t | tail -c 200
    sed -E 's/(.)(.)/\2\1/g; y/abc/xyz/; 10q' t | tail -n 2; sed -i 1,1990d t; wc -l <t
    gawk 'BEGIN { for (i = 0; i < 100000; i++) { x = (x * 16807 + 7) % 2147483647; n[x % 101]++ }
          PROCINFO["sorted_in"] = "@val_num_desc"; for (k in n) { print k, n[k]; if (++c == 3) break } }'
    gawk -F'\t' '{ s += $3 } END { printf "%.3f %s %s\n", s, toupper($2), gensub(/(.)$/, "<\\1>", 1, $1) }' t
    gawk 'BEGIN { while (("seq 5" | getline x) > 0) t += x; close("seq 5"); print t
          "date -u -d @0 +%F" | getline d; print d; print strftime("%H:%M", 3600, 1)
          print length(sprintf("%1000s", "x")), substr("hello", 2, 3), index("banana", "nan")
          print 2 ** 0.5, exp(1), atan2(0, -1), int(-3.7), "10" < "9", 10 < 9; exit 3 }'
}
