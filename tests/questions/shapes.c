#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <wchar.h>
enum colour { RED, GREEN = 5, BLUE };
enum flags { F_A = 1, F_B = 2, F_C = 4, F_D = 64 };
typedef unsigned char byte;
typedef int (*callback)(int, void *);
struct point { short x, y; };
struct bits { unsigned a : 3; int b : 5; unsigned long c : 40; enum colour d : 4; _Bool e : 1; };
union value { int i; float f; double d; char bytes[8]; struct { short lo, hi; } parts; };
struct node { struct node *next, *prev; char name[12]; const char *label; enum colour colour; union value v; struct bits bits;
    struct point path[3]; callback cb; int *counts; };
struct anon { int kind; union { long n; double d; }; struct { char c; short s; }; };
struct flex { int n; int data[]; };
struct packed { char a; int b; long double c; } __attribute__((packed));
typedef struct { float re, im; } pair_t;
static struct node nodes[4];
struct node *head = &nodes[0];
int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static const char *words[] = {"alpha", "beta", "a \"quoted\"\n\t\x01 line", "", 0};
double doubles[5] = {0, -1.5, 1e100, 3.14159265358979, 1.0 / 3};
float floats[3] = {1.5f, 0.1f, -2e-20f};
long double ld = 1.25L;
_Complex double cd = 1.0 + 2.5i;
_Complex float cf = 3.0f - 1.5fi;
__int128 wide = ((__int128)7 << 80) + 3;
unsigned __int128 uwide = 12;
wchar_t ws[] = L"wide \x20ac";
unsigned short u16[] = {1, 65535, 300};
signed char sc[4] = {-1, 2, -3, 4};
byte blob[20] = {0, 1, 2, 255, 254, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
_Bool yes = 1, no;
volatile int counter;
int zero[300];
char big[500];
struct anon an = {1, {77}, {'x', 3}};
struct flex *fl;
struct packed pk = {'p', -77, 2.5L};
pair_t pairs[2] = {{1, 2}, {3, 4}};
typedef int v4si __attribute__((vector_size(16)));
v4si vec = {1, -2, 3, 4};
void *nothing, *anything = &table;
enum flags flags = F_A | F_C;
enum flags odd = 8;
static int file_static = 42;
int twice(int n, void *data) { struct point *p = data; int r = n * 2 + (p ? p->x : 0); counter += r; return r; }
static int shadow(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int m = i * 10;
        { double total = m + 0.5; counter += (int)total; }
        total += m;
    }
    static int calls;
    calls++;
    return total + calls;
}
int by_value(struct point p, union value v, pair_t c, struct packed q) { p.x += 1; return p.x + v.i + (int)c.re + q.b; }
double mixed(int a, double b, float c, long d, char e, long double f, unsigned short g, _Bool h) { double r = a + b + c + d + e + f + g + h; return r; }
int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * i; int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
struct node *find(struct node *list, const char *name)
{
    for (struct node *at = list; at; at = at->next) {
        int d = strcmp(at->name, name);
        if (!d) return at;
    }
    return NULL;
}
int recurse(int depth, struct node *n) { char here[16]; snprintf(here, sizeof here, "d%d", depth); if (!depth) return strlen(n->name); return recurse(depth - 1, n->next ? n->next : n) + here[1]; }
struct point make_point(int x, int y) { struct point p = {x, y}; return p; }
struct node make_node(int k) { struct node n = nodes[k & 3]; n.colour = GREEN; return n; }
float half(float f) { return f / 2; }
unsigned char low(unsigned n) { return n & 255; }
const char *name_of(enum colour c) { return c == RED ? "red" : c == GREEN ? "green" : "blue"; }
void setup(void)
{
    for (int i = 0; i < 4; i++) {
        struct node *n = &nodes[i];
        n->next = i < 3 ? n + 1 : NULL;
        n->prev = i ? n - 1 : NULL;
        snprintf(n->name, sizeof n->name, "node-%d", i);
        n->label = words[i];
        n->colour = i == 3 ? (enum colour)9 : i ? BLUE : RED;
        n->v.d = i * 1.5;
        n->bits.a = i; n->bits.b = -i; n->bits.c = 1ul << (i * 10); n->bits.d = GREEN; n->bits.e = i & 1;
        n->path[i % 3].x = i; n->path[i % 3].y = -i;
        n->cb = i & 1 ? twice : NULL;
        n->counts = &table[i % 3][0];
    }
    fl = malloc(sizeof *fl + 3 * sizeof(int));
    fl->n = 3;
    for (int i = 0; i < 3; i++) fl->data[i] = i + 100;
    memset(big, 'x', 400);
}
int main(int argc, char **argv)
{
    struct point where = {3, -4};
    union value v = {.f = 2.5f};
    setup();
    int sum = twice(argc, &where) + shadow(4) + file_static;
    sum += by_value(where, v, pairs[1], pk);
    double d = mixed(1, 2.5, 0.5f, -9, 'e', 1.125L, 500, 1);
    sum += vla(5);
    struct node *n = find(head, "node-2");
    sum += recurse(3, head);
    struct point made = make_point(sum, 8);
    struct node copy = make_node(2);
    float h = half(d);
    printf("%d %g %s %d %d %g %d %s\n", sum, d, n->name, made.x, copy.colour, h, low(sum), name_of(copy.colour));
    return 0;
}
