/* Data of many types, for commands that look at memory and types. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum colour { RED, GREEN = 5, BLUE };
enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_RUN = 4 };

typedef int number;
typedef struct { short x, y; } point;
typedef union { int whole; float part; char bytes[8]; } mixed;

struct empty {};

struct bits {
    unsigned a : 3;
    unsigned b : 5;
    int c : 12;
    unsigned : 4;
    unsigned d : 1;
    long e : 40;
    unsigned char f : 2;
};

struct holes {
    char tag;
    int number;
    char other;
    double value;
    char last;
};

struct packed {
    char tag;
    int number;
    short last;
} __attribute__((packed));

struct inner {
    char c;
    struct { int i; char k; } deep;
    union { long l; double d; struct { char low, high; } pair; };
    short tail;
};

struct nest {
    struct holes h;
    point p[3];
    mixed m;
    struct inner in;
    struct nest *next;
    int (*call)(int, const char *);
    const char *text;
    enum colour colour;
    volatile int flag;
    number counts[2][3];
    char flexible[];
};

struct list { int value; struct list *next; };

signed char small = -7;
unsigned char byte = 200;
short two = -300;
unsigned short utwo = 65000;
int four = -70000;
unsigned ufour = 4000000000u;
long eight = -5000000000;
unsigned long ueight = 18000000000000000000ul;
__int128 huge = (__int128)-3 << 80;
float single = 1.5f;
double real = -2.25e10;
long double wide = 3.25L;
_Bool yes = true;
char letter = 'x';
wchar_t letters[] = L"wide \u00e9";
enum colour colour = BLUE;
enum mode mode = MODE_READ | MODE_RUN;
char text[] = "some text\twith\001 odd \"bytes\" \377";
char filled[40] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
char nulls[16] = "ab\0cd";
const char *pointer = text + 5;
int numbers[] = {1, -2, 3, 0x7fffffff, -0x7fffffff - 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
short shorts[6] = {1, 2, 3, 500, -4, 7};
double reals[4] = {0.1, 1e300, -0.0, 12345678.875};
float singles[3] = {0.1f, 3e38f, -8};
unsigned char raw[64];
int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
struct bits bits = {5, 17, -100, 1, -123456789, 2};
struct holes holes = {'h', 42, 'o', 2.5, 'l'};
struct packed packed = {'p', 77, -1};
struct list second = {2, NULL}, first = {1, &second};
static int add(int a, const char *b) { return a + (b ? b[0] : 0); }
struct nest nest = {.h = {'a', 1, 'b', 0.5, 'c'}, .p = {{1, 2}, {3, 4}, {5, 6}}, .m = {.whole = 99},
                    .next = &nest, .call = add, .text = text, .colour = GREEN, .flag = 3,
                    .counts = {{1, 2, 3}, {4, 5, 6}}};
struct empty nothing;
struct list *none;
void *anywhere = &four;
int (*call)(int, const char *) = add;
static int hidden_total = 11;
const char *const words[] = {"zero", "one", "two", NULL};

static int look(int depth, const struct list *from, double d)
{
    int local = depth * 2;
    char room[24];
    snprintf(room, sizeof room, "depth %d", depth);
    if (depth)
        return look(depth - 1, from, d / 2) + local;
    puts(room); /* stop */
    return local + from->value + add(2, room);
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof raw; i++)
        raw[i] = (unsigned char)(i * 37 + 11);
    for (int i = 0; i < argc; i++)
        hidden_total += (int)strlen(argv[i]) > 0;
    memcpy(raw + 40, "needle", 6);
    memcpy(raw + 50, "needle", 6);
    hidden_total += look(3, &first, 10);
    void heard(int);
    signal(SIGURG, heard);
    raise(SIGURG);
    printf("%d\n", hidden_total);
    return 3;
}

void heard(int number)
{
    hidden_total += number;
}

/* Other names of functions and data: which one is shown. */
extern __typeof__(heard) zheard __attribute__((alias("heard"))), aheard __attribute__((alias("heard")));
extern __typeof__(nest) znest __attribute__((alias("nest"))), anest __attribute__((alias("nest")));
