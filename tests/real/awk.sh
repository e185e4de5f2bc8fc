# needs: awk
awk 'NR % 100 == 0 { print NR, $2 | "sort -r" } END { close("sort -r"); print NR }' $INPUT/table
awk '
    BEGIN {
        while (i++ < 20000)
            s += sin(i) * i
        printf "%.6f\n", s
        if (match("foobar", /o+/))
            print RSTART, RLENGTH
        exit 3
    }'
echo $?
