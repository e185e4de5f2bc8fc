__asm__(".globl use; use: ret"); void use(int); static int f(int); static void g(int); int main(void) {
    int a = f(1) + f(2);
    g(a);
}
static int f(int x) {
    int y = x * 2;
    return y; }

static void g(int a) {
    int b = f(a);
    use(b); }
/* This is the program of the worked trace in docs/movement.md. Its lines have the numbers that the
 * page uses, so this explanation comes last. */
