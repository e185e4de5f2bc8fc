/* Directories: mkdir, readdir, getdents, chdir, getcwd, openat, nftw.
 *
 * variants: static
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

static int visited, name_length;

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)ftw;
    visited += type == FTW_F || type == FTW_DP;
    name_length += strlen(path);
    return remove(path);
}

int main(void)
{
    char name[64], cwd[4096], again[4096];
    CHECK(mkdir("dir", 0755) == 0 && mkdir("dir", 0755) < 0 && errno == EEXIST);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "dir/file%03d", i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        CHECK(fd >= 0 && close(fd) == 0);
    }
    DIR *dir = opendir("dir");
    CHECK(dir);
    int count = 0, sum = 0;
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        count++;
        if (entry->d_name[0] == 'f')
            sum += atoi(entry->d_name + 4);
    }
    CHECK(count == 302 && sum == 299 * 300 / 2);
    rewinddir(dir);
    CHECK(readdir(dir) != NULL && closedir(dir) == 0);

    CHECK(getcwd(cwd, sizeof cwd) && chdir("dir") == 0 && getcwd(again, sizeof again));
    CHECK(!strncmp(cwd, again, strlen(cwd)) && !strcmp(again + strlen(cwd), "/dir"));
    CHECK(access("file007", R_OK) == 0 && chdir("..") == 0);
    ssize_t length = readlink("/proc/self/cwd", again, sizeof again - 1);
    CHECK(length == (ssize_t)strlen(cwd) && !memcmp(cwd, again, length));
    int fd = open("dir", O_RDONLY | O_DIRECTORY);
    CHECK(fd >= 0 && faccessat(fd, "file123", F_OK, 0) == 0);
    CHECK(mkdirat(fd, "sub", 0700) == 0 && unlinkat(fd, "file123", 0) == 0);
    CHECK(fchdir(fd) == 0 && access("sub", F_OK) == 0 && chdir(cwd) == 0);
    CHECK(rmdir("dir") < 0 && errno == ENOTEMPTY);
    CHECK(nftw("dir", visit, 10, FTW_DEPTH | FTW_PHYS) == 0);
    CHECK(visited == 301 && access("dir", F_OK) < 0);
    return done();
}
