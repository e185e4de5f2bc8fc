/* dlopen and dlclose of two libraries that take each other's place, again and again.
 *
 * with: plugin_a.c plugin_b.c
 * libs: -ldl
 * settings: yes
 */
#include "check.h"
#include <dlfcn.h>

static int twice(int x)
{
    return 2 * x;
}

static int use(const char *name, int x)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        puts(dlerror());
    CHECK(library);
    int (*value)(int) = (int (*)(int))dlsym(library, "plugin_value");
    int (*apply)(int (*)(int), int) = (int (*)(int (*)(int), int))dlsym(library, "plugin_apply");
    int (*calls)(void) = (int (*)(void))dlsym(library, "plugin_calls");
    CHECK(value && apply && calls && !dlsym(library, "plugin_missing"));
    int result = value(x) * 1000 + apply(twice, x) * 10 + calls();
    Dl_info info;
    CHECK(dladdr((void *)value, &info) && !strcmp(info.dli_sname, "plugin_value"));
    CHECK(strstr(info.dli_fname, name) && dlclose(library) == 0);
    return result;
}

int main(void)
{
    for (int i = 0; i < 30; i++) {
        CHECK(use("plugin_a.so", i) == (3 * i + 1) * 1000 + (2 * i + 3 * i + 1) * 10 + 2);
        CHECK(use("plugin_b.so", i) == (5 * i + 2) * 1000 + (2 * i - 5 * i - 2) * 10 - 2);
    }
    CHECK(dlopen("no_such_library.so", RTLD_NOW) == NULL && dlerror());
    return done();
}
