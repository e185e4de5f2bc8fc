/* Stores beside what is watched, and to it, with alignment checks on.
 *
 * What is watched is the byte WATCHED.  It shares eight bytes with one of the stores beside it, so
 * translated code looks at the map of single bytes, at a place of the map that is not aligned.
 */
enum { STORES = 64, ROUNDS = 5, APART = 8, WATCHED = 60 };

unsigned char bytes[STORES * APART] __attribute__((aligned(64)));

static void check_alignment(unsigned long on)
{
    unsigned long flags;
    __asm__ volatile("pushf\n\tpop %0" : "=r"(flags) : : "memory");
    flags = on ? flags | 0x40000 : flags & ~0x40000ul;
    __asm__ volatile("push %0\n\tpopf" : : "r"(flags) : "cc", "memory");
}

int main(void)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        check_alignment(1);
        for (unsigned k = 0; k < STORES; k++)
            *(volatile unsigned *)(bytes + k * APART) = n;
        *(volatile unsigned char *)(bytes + WATCHED) = (unsigned char)(n + 1);
        check_alignment(0);
    }
    return 0;
}
