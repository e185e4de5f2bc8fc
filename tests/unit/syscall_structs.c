/* The structures of system calls have the sizes that the kernel's headers say.
 *
 * unit: src/log/syscall_rows.c
 *
 * No header of the C library that has structures of its own can be included here.
 */
#include <asm/stat.h>
#include <asm/statfs.h>
#include <asm/termbits.h>
#include <asm/termios.h>
#include <linux/capability.h>
#include <linux/dqblk_xfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/hdreg.h>
#include <linux/ipc.h>
#include <linux/loop.h>
#include <linux/mqueue.h>
#include <linux/msg.h>
#include <linux/openat2.h>
#include <linux/quota.h>
#include <linux/resource.h>
#include <linux/rtc.h>
#include <linux/sched/types.h>
#include <linux/sem.h>
#include <linux/serial.h>
#include <linux/shm.h>
#include <linux/stat.h>
#include <linux/sysinfo.h>
#include <linux/times.h>
#include <linux/timex.h>
#include <linux/utsname.h>
#include <linux/vt.h>
#include <stdio.h>

#include "log/syscall_structs.h"

static int failures;

#define SAME_SIZE(ours, theirs) {#ours, sizeof(struct k_##ours), sizeof(struct theirs)}
static const struct {
    const char *name;
    size_t ours, theirs;
} sizes[] = {
    SAME_SIZE(stat, stat),
    SAME_SIZE(statx, statx),
    SAME_SIZE(statfs, statfs),
    SAME_SIZE(sysinfo, sysinfo),
    SAME_SIZE(tms, tms),
    SAME_SIZE(rusage, rusage),
    SAME_SIZE(rlimit, rlimit64),
    SAME_SIZE(timex, timex),
    SAME_SIZE(utsname, new_utsname),
    SAME_SIZE(mq_attr, mq_attr),
    SAME_SIZE(sched_attr, sched_attr),
    SAME_SIZE(open_how, open_how),
    SAME_SIZE(futex_waitv, futex_waitv),
    SAME_SIZE(cap_header, __user_cap_header_struct),
    SAME_SIZE(shmid_ds, shmid64_ds),
    SAME_SIZE(shminfo, shminfo64),
    SAME_SIZE(shm_info, shm_info),
    SAME_SIZE(msqid_ds, msqid64_ds),
    SAME_SIZE(msginfo, msginfo),
    SAME_SIZE(semid_ds, semid64_ds),
    SAME_SIZE(seminfo, seminfo),
    SAME_SIZE(sembuf, sembuf),
    SAME_SIZE(dqblk, if_dqblk),
    SAME_SIZE(nextdqblk, if_nextdqblk),
    SAME_SIZE(dqinfo, if_dqinfo),
    SAME_SIZE(fs_disk_quota, fs_disk_quota),
    SAME_SIZE(fs_quota_stat, fs_quota_stat),
    SAME_SIZE(fs_quota_statv, fs_quota_statv),
    SAME_SIZE(termio, termio),
    SAME_SIZE(termios, termios),
    SAME_SIZE(termios2, termios2),
    SAME_SIZE(winsize, winsize),
    SAME_SIZE(serial, serial_struct),
    SAME_SIZE(serial_counts, serial_icounter_struct),
    SAME_SIZE(rs485, serial_rs485),
    SAME_SIZE(vt_mode, vt_mode),
    SAME_SIZE(vt_stat, vt_stat),
    SAME_SIZE(fsxattr, fsxattr),
    SAME_SIZE(fstrim, fstrim_range),
    SAME_SIZE(clone_range, file_clone_range),
    SAME_SIZE(fiemap, fiemap),
    SAME_SIZE(geometry, hd_geometry),
    SAME_SIZE(loop_info, loop_info),
    SAME_SIZE(loop_info64, loop_info64),
    SAME_SIZE(loop_config, loop_config),
    SAME_SIZE(rtc_time, rtc_time),
    SAME_SIZE(rtc_alarm, rtc_wkalrm),
};

int main(void)
{
    for (size_t i = 0; i < countof(sizes); i++) {
        bool same = sizes[i].ours == sizes[i].theirs;
        failures += !same;
        if (same)
            printf("ok syscall_structs: %s\n", sizes[i].name);
        else
            printf("FAIL syscall_structs: %s: %zu bytes, the header has %zu\n", sizes[i].name,
                   sizes[i].ours, sizes[i].theirs);
    }
    return failures != 0;
}
