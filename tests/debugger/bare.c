/* Functions without call frame information: what one does to the stack until it returns is all that is known of it. */
static volatile int seen;

static void stop_here(int what)
{
    seen += what;
}

void deeper(int n)
{
    int twice = 2 * n;
    stop_here(twice);
}

void bare(int n);
void barest(int n);

__asm__(".pushsection .text.bare, \"ax\"\n"
        ".type bare, @function\n"
        ".type barest, @function\n"
        "bare:\n"
        "    pushq %rbx\n"
        "    subq $32, %rsp\n"
        "    movl %edi, %ebx\n"
        "    call barest\n"
        "    addq $32, %rsp\n"
        "    popq %rbx\n"
        "    ret\n"
        ".size bare, . - bare\n"
        "barest:\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    subq $16, %rsp\n"
        "    call deeper\n"
        "    jmp 1f\n"
        "    ud2\n"
        "1:  leave\n"
        "    ret\n"
        ".size barest, . - barest\n"
        ".popsection\n");

int main(void)
{
    int here = 3;
    bare(here + 1);
    return seen == 8 ? 0 : 1;
}
