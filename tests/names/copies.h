// Both files have code of both(), of which the linker keeps one: that of the first file.
static int which = WHICH;

template <class T> struct Box {
    T value;
    template <class U> U as(U extra) const { return (U)value + extra; }
    template <class U> static U make(U extra) { return extra; }
};

inline int both(int n)
{
    int twice = 2 * n;
    return twice + 1;
}
