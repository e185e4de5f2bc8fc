/* A library for the library_ programs; plugin_b.c is its twin with other code in the same
 * places.
 */
static int calls;

int plugin_value(int x)
{
    calls++;
    return x * 3 + 1;
}

int plugin_calls(void)
{
    return calls;
}

int plugin_apply(int (*f)(int), int x)
{
    return f(x) + plugin_value(x);
}
