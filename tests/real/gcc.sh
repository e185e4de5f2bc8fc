# needs: gcc ar objdump
cat > main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "f.h"
int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += f(i) * argc;
    printf("%ld %s\n", sum, argv[1]);
    return 7;
}
C
echo 'long f(long x);' > f.h
cat > f.c <<'C'
#include "f.h"
long f(long x) { return x * x % 97 + __builtin_popcountl(x); }
C
for options in -O0 -O2 '-O3 -march=x86-64-v2' '-Os -fPIC'; do
    gcc -Wall $options -c main.c f.c && gcc -o prog main.o f.o && ./prog arg
    echo $?
    objdump -d f.o | tail -n +4 | md5sum
done
ar rcs libf.a f.o
gcc main.o -L. -lf -o prog2 && ./prog2 x
gcc -E main.c | tail -n 1
gcc -S -O2 -o - f.c | md5sum
echo 'int main( {' > bad.c
gcc -c bad.c 2>&1 | head -n 2
echo ${PIPESTATUS[0]}
