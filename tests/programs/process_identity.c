/* Who we are: ids, limits, names, times used; no assumption on which.
 *
 * variants: static
 */
#include "check.h"
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sched.h>

int main(void)
{
    uid_t r, e, s;
    CHECK(getpid() == (pid_t)syscall(SYS_gettid));
    CHECK(getresuid(&r, &e, &s) == 0 && r == getuid() && e == geteuid());
    CHECK(getgroups(0, NULL) >= 0 && getpgrp() == getpgid(0));
    struct utsname name;
    CHECK(uname(&name) == 0 && !strcmp(name.sysname, "Linux") && !strcmp(name.machine, "x86_64"));
    struct rlimit limit, again;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(prlimit(0, RLIMIT_NOFILE, NULL, &again) == 0 && again.rlim_cur == limit.rlim_cur);
    CHECK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0);
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0);
    struct rusage usage;
    struct tms tms;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && times(&tms) != (clock_t)-1);
    struct sysinfo info;
    CHECK(sysinfo(&info) == 0 && info.totalram > 0);
    mode_t mask = umask(077);
    CHECK(umask(mask) == 077);
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0);
    CHECK(sched_getcpu() >= 0 && sysconf(_SC_NPROCESSORS_ONLN) > 0);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0 && prctl(PR_GET_DUMPABLE) == 1);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && prctl(PR_SET_PDEATHSIG, 0) == 0);
    CHECK(getpriority(PRIO_PROCESS, 0) >= -20 && sched_getscheduler(0) >= 0);
    char random[16] = {0}, host[256];
    CHECK(syscall(SYS_getrandom, random, 16, 0) == 16 && gethostname(host, sizeof host) == 0);
    return done();
}
