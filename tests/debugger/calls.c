/* Functions of all kinds, to be called by a debugger. */
#include <complex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct point { int x, y; };
struct mixed { double d; long l; };
struct pair { float a, b; };
struct large { long a[5]; char text[8]; };
struct node { int value; struct node *next; };
struct bits { unsigned a : 3; int b : 7; unsigned c : 20; };
struct packed { char c; long l; } __attribute__((packed));
union either { double d; long l; };

int total = 7;
double ratio = 0.25;
char buffer[16] = "start";
const char *message = "a message";
struct point origin = {3, 4};
struct large big = {{1, 2, 3, 4, 5}, "large"};
struct bits flags = {5, -3, 99};
struct node *head;
int (*operation)(int, int);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
static long many(int a, long b, char c, short d, unsigned e, long f, int g, long h, char i)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
double scale(double x, float y, int n) { return x * y * n; }
float halve(float x) { return x / 2; }
long double widen(long double x, int n) { return x * n; }
double complex turn(double complex z) { return z * I; }
struct point swap(struct point p) { return (struct point){p.y, p.x}; }
struct mixed mix(struct mixed m, int by) { m.d *= by; m.l += by; return m; }
struct pair split(struct pair p) { return (struct pair){p.b, p.a}; }
struct large enlarge(struct large l, int by) { l.a[0] += by; return l; }
struct packed pack(struct packed p) { p.l++; return p; }
double floats(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
struct node *make_node(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    return n;
}
void push(int value) { head = make_node(value); }
int length(const char *text) { return (int)strlen(text); }
void say(const char *text) { printf("said: %s\n", text); }
void grumble(const char *text) { fprintf(stderr, "grumbled: %s\n", text); }
_Bool is_even(int n) { return n % 2 == 0; }
int crash(int *where) { return *where; }
void stop(int status) { exit(status); }
void forever(void) { for (volatile int i = 0;; i++); }
void locked(void) { pthread_mutex_lock(&lock); total++; pthread_mutex_unlock(&lock); }
int recurse(int n) { return n ? 1 + recurse(n - 1) : 0; }
int count_bytes(const char *p, unsigned long n) { int s = 0; while (n--) s += *p++; return s; }

int work(int x)
{
    int local = x * 2;
    char text[12] = "local text";
    operation = add;
    total += local; /* stop here */
    printf("working %d %s\n", local, text);
    return local;
}

int main(void)
{
    push(1);
    push(2);
    struct mixed m = {1.5, 10};
    struct pair p = {1, 2};
    struct packed q = {1, 2};
    if (many(1, 2, 3, 4, 5, 6, 7, 8, 9) == 0 || scale(1, 1, 1) == 0 || halve(2) == 0 || widen(1, 1) == 0 ||
        creal(turn(1)) != 0 || swap(origin).x == 0 || mix(m, 1).l == 0 || split(p).a == 0 ||
        enlarge(big, 0).a[0] == 0 || pack(q).l == 0 || floats(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 0 ||
        length("x") == 0 || is_even(1) || crash(&total) == 0 || recurse(3) != 3 || count_bytes("a", 1) == 0)
        return 1;
    if (work(-2000) > 0) { grumble("x"); stop(1); forever(); locked(); say(message); return sub(1, 1); }
    return work(5) - 10;
}
