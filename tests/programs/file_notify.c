/* inotify: what happens to files in a directory.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/inotify.h>

int main(void)
{
    int fd = inotify_init1(IN_NONBLOCK);
    CHECK(fd >= 0);
    int watch = inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE | IN_MOVED_TO);
    CHECK(watch >= 0);
    close(open("one", O_CREAT | O_WRONLY, 0600));
    CHECK(rename("one", "two") == 0 && unlink("two") == 0);
    char buf[4096] __attribute__((aligned(8)));
    ssize_t n = read(fd, buf, sizeof buf);
    CHECK(n > 0);
    for (char *p = buf; p < buf + n;) {
        struct inotify_event *event = (struct inotify_event *)p;
        CHECK(event->wd == watch);
        printf("%x %s\n", event->mask, event->name);
        p += sizeof *event + event->len;
    }
    CHECK(read(fd, buf, sizeof buf) < 0 && errno == EAGAIN);
    CHECK(inotify_rm_watch(fd, watch) == 0);
    return done();
}
