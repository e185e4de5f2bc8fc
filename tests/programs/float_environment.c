/* What the x87 unit tells of its last instruction, stored again and again, at once or after a
 * sleep.  Some processors forget it at a context switch, so it is not printed; but a replay must
 * find the same in memory.  With an exception pending it is not forgotten.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"

enum { ROUNDS = 40, LATER = 300000 };

static struct environment {
    unsigned control, status, tags, code, selector, operand, operand_selector;
} kept[ROUNDS], pending[ROUNDS];
static char whole[108];

static void use_unit(double number)
{
    __asm__ volatile("fldl %0\n\tfstp %%st(0)" : : "m"(number));
}

static void store(struct environment *to)
{
    __asm__ volatile("fnstenv %0" : "=m"(*to));
    __asm__ volatile("fldenv %0" : : "m"(*to));
}

/* A division by zero that is pending: the address of its instruction. */
static unsigned leave_pending(double zero)
{
    unsigned short divides = 0x37b;
    unsigned long at;
    __asm__ volatile("fninit\n\tfldcw %1\n\tlea 1f(%%rip), %0\n\tfld1\n1:\tfdivl %2"
                     : "=r"(at) : "m"(divides), "m"(zero));
    return (unsigned)at;
}

int main(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        use_unit(n);
        if (n % 2)
            usleep(300);
        store(&kept[n]);
        CHECK((kept[n].control & 0xffff) == 0x37f && (kept[n].status & 0xffff) == 0);
        unsigned at = leave_pending(0);
        if (n % 4 < 2)
            usleep(300);
        __asm__ volatile("fnstenv %0" : "=m"(pending[n]));
        __asm__ volatile("fnclex\n\tfninit");
        CHECK(pending[n].code == at && (pending[n].status & 0x84) == 0x84);
    }
    use_unit(1);
    __asm__ volatile("fnsave %0" : "=m"(whole));
    for (volatile int n = 0; n < LATER; n++) /* until memory is compared */
        continue;
    return done();
}
