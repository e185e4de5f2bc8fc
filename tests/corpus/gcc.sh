# gcc and g++ under make -j2: compile, link, archive, run; what they make is the same.
# share: check
# needs: gcc g++ make ar

write_sources() {
    for i in 1 2 3 4; do
        cat >u$i.c <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
long unit$i(int n)
{
    int *v = malloc(n * sizeof *v);
    long s = 0;
    for (int i = 0; i < n; i++)
        v[i] = i * 7919L * $i % 10007;
    qsort(v, n, sizeof *v, cmp);
    for (int i = 0; i < n; i++)
        s = s * 31 + v[i];
    free(v);
    return s;
}
END
    done
    cat >main.cc <<'END'
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
extern "C" long unit1(int), unit2(int), unit3(int), unit4(int);
int main()
{
    std::map<std::string, long> m{{"a", unit1(100)}, {"b", unit2(200)}, {"c", unit3(300)}, {"d", unit4(400)}};
    for (auto &[k, v] : m)
        std::cout << k << ' ' << v << '\n';
    try {
        std::vector<int>().at(3);
    } catch (const std::out_of_range &e) {
        std::cout << "out of range\n";
    }
    return 5;
}
END
    cat >Makefile <<'END'
CFLAGS = -O2 -Wall -frandom-seed=1
all: prog shared.so
prog: main.o libu.a ; g++ -o $@ $^
libu.a: u1.o u2.o u3.o u4.o ; ar rcsD $@ $^
main.o: main.cc ; g++ -O1 -frandom-seed=1 -c $<
shared.so: u1.c u2.c ; gcc -flto -O2 -shared -fPIC -frandom-seed=1 -o $@ $^
END
}

run() {
    write_sources
    make -j2 2>&1 | sort | sha256sum
    ls -- *.o *.a prog shared.so && objdump -d prog | sha256sum
    for f in *.o; do objcopy -O binary -j .text "$f" text && sha256sum <text; done
    ./prog; echo "status $?"; make 2>&1
    gcc -fsyntax-only -x c - <<<'int f( { return x; }' 2>&1 | grep -c error
    gcc -O2 -S -o - u1.c | sha256sum; gcc -g -O0 -o g u1.c -x c - <<<'long unit1(int); int main() { return unit1(9) & 63; }'
    ./g; echo "status $?"; strip g && size g | tail -n 1 | cut -f1-3
}
