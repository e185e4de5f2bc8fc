/* More changes of one value than are kept, with two of them far from all others. */
int wave;

int main(void)
{
    for (int i = 0; i < 700000; i++) {
        wave = i % 1000;
        if (i == 123456)
            wave = 5000;
        if (i == 600001)
            wave = -3000;
    }
    return 0;
}
