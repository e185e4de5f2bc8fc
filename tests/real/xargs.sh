# needs: xargs
seq 50 | xargs -n 5 echo | tail -n 2; seq 8 | xargs -P 2 -I{} sh -c 'exit $(({} % 2))'; echo $?
find $INPUT -type f -print0 | sort -z | xargs -0 -n1 basename
find $INPUT -name words -exec wc -l {} \; | cut -d' ' -f1
