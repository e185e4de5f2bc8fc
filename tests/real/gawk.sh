# needs: gawk
gawk '
    { n[$2] += $3; s += length($1) }
    END {
        PROCINFO["sorted_in"] = "@ind_str_asc"
        for (k in n)
            print k, n[k]
        print s
    }' $INPUT/table | md5sum
gawk '
    BEGIN {
        for (i = 0; i < 50000; i++)
            x = (x * 31 + i) % 1000003
        print x
        printf "%.10f %s\n", atan2(0, -1), toupper(substr("hello", 2, 3))
        print strftime("%F", 0, 1)
        "echo sub" | getline y
        print y
        print gensub(/(b+)/, "<\\1>", "g", "abbbcb")
    }'
