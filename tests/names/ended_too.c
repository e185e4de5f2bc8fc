/* The other file of ended.c. */
static int private_to_both = 107;

int count_calls(void)
{
    static int calls;
    return ++calls + private_to_both - 107;
}
