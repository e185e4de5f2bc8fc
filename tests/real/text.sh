# needs: cut tr paste join
cut -d' ' -f2,3 $INPUT/table | tr a-z A-Z | head -n 5
paste -d, <(seq 5) <(seq 6 10) | tac
join <(sort -k1,1 $INPUT/table) <(sort -k1,1 $INPUT/table) | tail -n 3
fold -w 20 $INPUT/words | nl | sed -n 5,10p
comm -12 <(sort -u $INPUT/words | head -n 50) <(sort -u $INPUT/words | tail -n +25) | wc -l
fmt -w 60 $INPUT/words | head -n 5; expand -t4 <<<$'a\tb'; printf '%5.2f|%-8s|%x\n' 3.14159 left 255
