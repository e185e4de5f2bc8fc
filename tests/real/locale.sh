# needs: date iconv
date -u -d @1234567890 '+%F %T %j %a'; date -u -d '2020-02-28 + 2 days' +%F
printf 'caf\351' | iconv -f latin1 -t utf-8 | od -c | head -n 1
LC_ALL=C.UTF-8 bash -c 'x=naïve; echo ${#x} ${x^^}'; getconf PAGESIZE
