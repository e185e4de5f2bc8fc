/* Names that libc has, too, of which a session at the end of a run must not speak. */
int lock = 101, state = 102;
char buffer[8] = "text";
int word = 103;
static int private_to_one = 105;
static int private_to_both = 106;

int count_calls(void);

int main(void)
{
    word++;
    count_calls();
    count_calls();
    return count_calls() != 3 || private_to_one != 105 || private_to_both != 106 || lock != 101;
}
