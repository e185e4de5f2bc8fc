/* Types of C, for the tests of values: stops in stop_here. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <uchar.h>

enum colour { RED, GREEN = 5, BLUE };
enum flags { FLAG_A = 1, FLAG_B = 2, FLAG_C = 4, FLAG_D = 8 };
enum minus { LOW = -3, HIGH = 3 };

struct point { int x, y; };
struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 33;
    bool d : 1;
    enum flags e : 4;
};
struct node {
    int value;
    struct node *next;
    char name[16];
    union { int i; float f; };
    struct { short low, high; } half;
    int (*call)(int);
};
union both { int i; float f; char bytes[4]; };
struct flexible { int count; int items[]; };
typedef struct point point_t;
typedef point_t *point_p;
typedef unsigned char byte;
typedef int (*callback)(int, const char *);
struct opaque;
struct deep { struct point p[2]; struct { struct point q; } in; const char *text; };

int global = 42;
static int hidden_static = -7;
const int constant = 99;
_Thread_local int thread_local_value = 1234;
static _Thread_local char thread_text[8] = "tls";
int array[5] = {1, 2, 3, 4, 5};
int zeros[300];
int mixed[30] = {1, 2, 3};
int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
char text[] = "hello";
char buffer[64] = "hello";
char filled[32] = "aaaaaaaaaaaaaaaaaaaaaaa";
char odd[8] = {'a', '\n', '"', '\\', 1, '\t', 'z', 0};
char long_text[400];
unsigned char bytes[4] = {1, 2, 255, 0};
signed char small = -5;
const char *string = "a \"string\"\n";
char *null_string = NULL;
wchar_t wide[] = L"wide";
wchar_t wide_char = L'w';
char16_t sixteen[] = u"six";
char32_t thirty_two = U'x';
float single = 1.5f;
float third = 1.0f / 3;
double pi = 3.14159265358979;
double tenth = 0.1, huge = 1e300, whole = 3;
long double extended = 2.5L, extended_third = 1.0L / 3, extended_large = 1e4000L;
double infinite = 1.0 / 0.0;
double complex number = 1 + 2 * I;
bool yes = true, no = false;
__int128 wide_int = ((__int128)1 << 100) + 5;
unsigned __int128 wide_unsigned = ((unsigned __int128)1 << 127);
long negative = -123456789012L;
unsigned long large = 0xfedcba9876543210ul;
short tiny = -2;
enum colour paint = GREEN;
enum flags some = FLAG_A | FLAG_C, unknown = (enum flags)(FLAG_B | 64), none;
enum minus low = LOW;
struct bits packed = {5, -3, 0x123456789ul, true, FLAG_A | FLAG_D};
struct point origin = {3, 4};
point_t named = {5, 6};
point_p pointed = &named;
union both both = {.i = 1};
struct opaque *unknown_struct = (void *)16;
void *anything = &global;
int *to_global = &global;
int **to_pointer = &to_global;
const int *to_constant = &constant;
int (*to_row)[4] = &grid[1];
struct point points[3] = {{1, 2}, {3, 4}, {5, 6}};
struct deep nested = {{{1, 2}, {3, 4}}, {{5, 6}}, "nested"};
byte one_byte = 65;
callback hook;
struct flexible *flexible;
volatile int changing = 8;
const char *const words[] = {"one", "two", NULL};
struct node *head;
extern char **environ; /* the C library's, which the program has a copy of */
static char ***outside = &environ;

static int twice(int n) { return 2 * n; }
static int with_text(int n, const char *t) { return n + (int)strlen(t); }

__attribute__((noinline)) void stop_here(int depth)
{
    __asm__ volatile("" : : "r"(depth) : "memory");
}

__attribute__((noinline)) static int inner(int a, struct point by_value, struct node *list, int n)
{
    int local = a * 2;
    int vla[n];
    static int counter = 10;
    for (int i = 0; i < n; i++)
        vla[i] = i * i;
    {
        int local = 77, only_inner = 5;
        char c = 'q';
        stop_here(local + only_inner + c + vla[1]);
        counter += local + only_inner + c;
    }
    return local + by_value.x + list->value + counter + vla[n - 1];
}

int main(int argc, char **argv)
{
    struct node second = {2, NULL, "second", {.f = 2.5f}, {1, 2}, twice};
    struct node first = {1, &second, "first", {7}, {3, 4}, NULL};
    struct point p = {10, 20};
    head = &first;
    hook = with_text;
    memset(long_text, 'x', 399);
    for (int i = 0; i < 399; i += 2)
        long_text[i] = 'y';
    flexible = malloc(sizeof *flexible + 3 * sizeof(int));
    flexible->count = 3;
    for (int i = 0; i < 3; i++)
        flexible->items[i] = i + 100;
    int result = inner(argc + 4, p, head, 6);
    return result == 12345 + hidden_static + thread_text[0] + (argv == NULL);
}
