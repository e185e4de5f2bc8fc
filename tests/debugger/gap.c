/* A function like the C library's clone3: it has lines to its end, but its unwind information ends before, for what
 * goes on there need not have been called. */
int gap(int n);

static int add(int n)
{
    int sum = gap(n);
    sum += n;
    return sum;
}

__asm__(".text\n"
        ".type gap, @function\n"
        "gap:\n"
        ".cfi_startproc\n"
        "    .loc 1 16 0\n"
        "    nop\n"
        "    .loc 1 18 0\n"
        "    leal 1(%rdi), %eax\n"
        ".cfi_endproc\n"
        "    .loc 1 21 0\n"
        "    nop\n"
        "    .loc 1 23 0\n"
        "    nop\n"
        "    .loc 1 25 0\n"
        "    ret\n"
        ".size gap, . - gap\n");

int main(void)
{
    return add(1) + add(2) - 8;
}
