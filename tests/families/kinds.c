/* Calls of many kinds, each with the errors that it can return. */
#include "family.h"
#include <grp.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/fanotify.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_GET_MDWE 66
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif
#ifndef PR_GET_MEMORY_MERGE
#define PR_GET_MEMORY_MERGE 68
#endif
#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

CASE(pidfd_all)
{
    int fds[2];
    char byte = 0;
    if (pipe(fds))
        return;
    int high = dup2(fds[1], 40);
    signal(SIGUSR1, SIG_IGN);
    pid_t child = CHILD({
        close(fds[1]);
        char c;
        while (read(fds[0], &c, 1) == 1 && c != 'q') {
        }
        pause();
    });
    int pidfd = syscall(SYS_pidfd_open, child, 0);
    OK(pidfd);
    SYS(pidfd_open, -1, 0);
    SYS(pidfd_open, 0, 0);
    SYS(pidfd_open, child, 1);
    SYS(pidfd_open, 1 << 22, 0);
    OK(syscall(SYS_pidfd_open, child, O_NONBLOCK));
    int got = syscall(SYS_pidfd_getfd, pidfd, high, 0);
    OK(got);
    R(write(got, "a", 1));
    R(fcntl(got, F_GETFD));
    SYS(pidfd_getfd, pidfd, 500, 0);
    SYS(pidfd_getfd, pidfd, -1, 0);
    SYS(pidfd_getfd, pidfd, high, 1);
    SYS(pidfd_getfd, -1, high, 0);
    SYS(pidfd_getfd, fds[0], high, 0);
    SYS(pidfd_send_signal, pidfd, 0, NULL, 0);
    SYS(pidfd_send_signal, pidfd, SIGUSR1, NULL, 0);
    SYS(pidfd_send_signal, pidfd, 65, NULL, 0);
    SYS(pidfd_send_signal, pidfd, SIGUSR1, NULL, 64);
    SYS(pidfd_send_signal, fds[0], SIGUSR1, NULL, 0);
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    SYS(pidfd_send_signal, pidfd, SIGUSR1, &info, 0);
    info.si_signo = SIGUSR2;
    SYS(pidfd_send_signal, pidfd, SIGUSR1, &info, 0);
    SYS(pidfd_send_signal, pidfd, SIGUSR1, nowhere(), 0);
    info.si_signo = SIGUSR1, info.si_code = SI_USER;
    SYS(pidfd_send_signal, pidfd, SIGUSR1, &info, 0);
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    R(poll(&p, 1, 0));
    siginfo_t w = {0};
    R(waitid(P_PIDFD, pidfd, &w, WEXITED | WNOHANG));
    SYS(pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
    R(poll(&p, 1, -1));
    say("revents %x", p.revents);
    R(waitid(P_PIDFD, pidfd, &w, WEXITED));
    say("code %d status %d", w.si_code, w.si_status);
    R(waitid(P_PIDFD, pidfd, &w, WEXITED));
    R(waitid(P_PIDFD, 500, &w, WEXITED));
    SYS(pidfd_send_signal, pidfd, 0, NULL, 0);
    SYS(pidfd_getfd, pidfd, 0, 0);
    SYS(process_mrelease, pidfd, 0);
    (void)byte;
}

CASE(process_madvise_all)
{
    int self = syscall(SYS_pidfd_open, getpid(), 0);
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(p, 'x', 4 * PAGE);
    struct iovec iov[2] = {{p, PAGE}, {p + 2 * PAGE, PAGE}};
    SYS(process_madvise, self, iov, 2, MADV_COLD, 0);
    SYS(process_madvise, self, iov, 2, MADV_WILLNEED, 0);
    SYS(process_madvise, self, iov, 2, MADV_PAGEOUT, 0);
    SYS(process_madvise, self, iov, 2, MADV_DONTNEED, 0);
    say("after DONTNEED: %d %d %d %d", p[0], p[PAGE], p[2 * PAGE], p[3 * PAGE]);
    iov[1].iov_base = nowhere();
    SYS(process_madvise, self, iov, 2, MADV_DONTNEED, 0);
    SYS(process_madvise, self, iov, 2, MADV_COLD, 0);
    SYS(process_madvise, self, iov, 2, 999, 0);
    SYS(process_madvise, self, iov, 2, MADV_COLD, 1);
    SYS(process_madvise, -1, iov, 2, MADV_COLD, 0);
    SYS(process_madvise, 0, iov, 2, MADV_COLD, 0);
    SYS(process_madvise, self, nowhere(), 2, MADV_COLD, 0);
    SYS(process_madvise, self, iov, 2000, MADV_COLD, 0);
    SYS(process_madvise, -10000, iov, 1, MADV_DONTNEED, 0);
    SYS(process_madvise, -10001, iov, 1, MADV_COLD, 0);
    pid_t child = CHILD(pause());
    int other = syscall(SYS_pidfd_open, child, 0);
    iov[1] = (struct iovec){p + 2 * PAGE, PAGE};
    SYS(process_madvise, other, iov, 2, MADV_COLD, 0);
    SYS(process_madvise, other, iov, 2, MADV_DONTNEED, 0);
    kill(child, SIGKILL);
    reap("child", child);
}

CASE(membarriers)
{
    R(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0) > 0);
    SYS(membarrier, MEMBARRIER_CMD_QUERY, 1);
    SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    SYS(membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
    SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    SYS(membarrier, MEMBARRIER_CMD_GLOBAL, 0);
    SYS(membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0);
    SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0);
    SYS(membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0);
    SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0);
    SYS(membarrier, 1 << 20, 0);
    SYS(membarrier, -1, 0);
}

CASE(randoms)
{
    char buf[600] = {0};
    R(getrandom(buf, 256, 0));
    R(getrandom(buf, 600, GRND_NONBLOCK));
    R(getrandom(buf, 0, 0));
    R(getrandom(buf, 16, GRND_RANDOM));
    R(getrandom(buf, 16, GRND_INSECURE));
    R(getrandom(buf, 16, GRND_RANDOM | GRND_INSECURE));
    R(getrandom(buf, 16, 64));
    R(getrandom(nowhere(), 16, 0));
    char *edge = two_pages_one_gone();
    R(getrandom(edge + PAGE - 10, 20, 0));
    R(getentropy(buf, 257));
    int fd = open("/dev/urandom", O_RDONLY);
    R(read(fd, buf, 600));
    R(read(fd, edge + PAGE - 10, 20));
}

CASE(personalities)
{
    R(personality(0xffffffff));
    R(personality(ADDR_NO_RANDOMIZE));
    R(personality(0xffffffff));
    R(personality(PER_LINUX32));
    struct utsname u;
    uname(&u);
    say("machine %s", u.machine);
    R(personality(0));
    uname(&u);
    say("machine %s", u.machine);
}

CASE(prctl_all)
{
    static const int options[] = {PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_GET_TIMING, PR_GET_SECUREBITS, PR_GET_TIMERSLACK,
        PR_GET_NO_NEW_PRIVS, PR_GET_THP_DISABLE, PR_GET_FP_MODE, PR_SVE_GET_VL, PR_GET_IO_FLUSHER, PR_MCE_KILL_GET,
        PR_GET_SECCOMP, PR_GET_MEMORY_MERGE, PR_GET_MDWE, PR_GET_TAGGED_ADDR_CTRL, PR_PAC_GET_ENABLED_KEYS};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        long r = prctl(options[i], 0, 0, 0, 0);
        say("prctl %d = %ld %s", options[i], r, r < 0 ? strerrorname_np(errno) : "");
    }
    int n = -1;
    R(prctl(PR_GET_PDEATHSIG, &n));
    say("%d", n);
    R(prctl(PR_SET_PDEATHSIG, 65));
    R(prctl(PR_SET_PDEATHSIG, SIGTERM));
    R(prctl(PR_GET_PDEATHSIG, &n));
    say("%d", n);
    R(prctl(PR_GET_PDEATHSIG, nowhere()));
    R(prctl(PR_GET_UNALIGN, &n));
    R(prctl(PR_GET_FPEMU, &n));
    R(prctl(PR_GET_FPEXC, &n));
    R(prctl(PR_GET_ENDIAN, &n));
    R(prctl(PR_GET_TSC, &n));
    say("%d", n);
    R(prctl(PR_GET_CHILD_SUBREAPER, &n));
    say("%d", n);
    R(prctl(PR_SET_CHILD_SUBREAPER, 1));
    R(prctl(PR_GET_CHILD_SUBREAPER, &n));
    say("%d", n);
    R(prctl(PR_SET_DUMPABLE, 2));
    R(prctl(PR_SET_DUMPABLE, 0));
    R(prctl(PR_GET_DUMPABLE));
    R(prctl(PR_SET_DUMPABLE, 1));
    R(prctl(PR_SET_TIMERSLACK, 1000));
    R(prctl(PR_GET_TIMERSLACK));
    R(prctl(PR_SET_TIMERSLACK, 0));
    R(prctl(PR_SET_KEEPCAPS, 2));
    R(prctl(PR_SET_KEEPCAPS, 1));
    R(prctl(PR_GET_KEEPCAPS));
    R(prctl(PR_CAPBSET_READ, 0));
    R(prctl(PR_CAPBSET_READ, 63));
    R(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0));
    R(prctl(PR_CAP_AMBIENT, 9, 0, 0, 0));
    R(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    R(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    R(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    R(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    R(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
    char name[17] = "";
    R(prctl(PR_SET_NAME, "a name that is far too long"));
    R(prctl(PR_GET_NAME, name));
    say("%s", name);
    R(prctl(PR_SET_NAME, nowhere()));
    R(prctl(PR_GET_NAME, nowhere()));
    R(prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0));
    R(prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 500, 0, 0));
    R(prctl(PR_SET_VMA, 0, 0, 0, 0));
    R(prctl(PR_SET_PTRACER, 1, 0, 0, 0));
    R(prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0));
    R(prctl(PR_MCE_KILL_GET, 0, 0, 0, 0));
    R(prctl(PR_SET_MDWE, 0, 0, 0, 0));
    R(prctl(PR_SPEC_STORE_BYPASS, 0, 0, 0, 0));
    R(prctl(PR_TASK_PERF_EVENTS_DISABLE));
    R(prctl(PR_TASK_PERF_EVENTS_ENABLE));
    R(prctl(9999, 0, 0, 0, 0));
    R(prctl(PR_SCHED_CORE, 0, 0, 0, 0));
    R(prctl(PR_GET_AUXV, nowhere(), 100, 0, 0));
}

CASE(system_v_messages)
{
    struct { long type; char text[64]; } m = {1, "hello"}, got;
    int q = msgget(IPC_PRIVATE, 0600);
    R(msgsnd(q, &m, 6, 0));
    m.type = 2;
    strcpy(m.text, "second");
    R(msgsnd(q, &m, 7, 0));
    m.type = 0;
    R(msgsnd(q, &m, 6, 0));
    m.type = 3;
    R(msgsnd(q, &m, -1, 0));
    R(msgsnd(q, &m, 1 << 20, 0));
    R(msgsnd(q, nowhere(), 6, 0));
    R(msgsnd(-1, &m, 6, 0));
    R(msgrcv(q, &got, 3, 0, 0));
    R(msgrcv(q, &got, 3, 0, MSG_NOERROR));
    say("%ld %.3s", got.type, got.text);
    R(msgrcv(q, &got, 64, 5, IPC_NOWAIT));
    R(msgrcv(q, &got, 64, -5, IPC_NOWAIT));
    say("%ld %s", got.type, got.text);
    R(msgrcv(q, &got, -1, 0, 0));
    m.type = 4;
    R(msgsnd(q, &m, 7, 0));
    R(msgrcv(q, &got, 64, 4, MSG_EXCEPT | IPC_NOWAIT));
    R(msgrcv(q, &got, 64, 0, MSG_COPY | IPC_NOWAIT));
    R(msgrcv(q, &got, 64, 9, MSG_COPY | IPC_NOWAIT));
    R(msgrcv(q, nowhere(), 64, 0, 0));
    struct msqid_ds ds;
    R(msgctl(q, IPC_STAT, &ds));
    say("%d messages, %d bytes", (int)ds.msg_qnum, (int)ds.msg_cbytes);
    ds.msg_qbytes = 5;
    R(msgctl(q, IPC_SET, &ds));
    m.type = 1;
    R(msgsnd(q, &m, 6, IPC_NOWAIT));
    R(msgctl(q, IPC_STAT, nowhere()));
    R(msgctl(q, 99, &ds));
    R(msgctl(-1, IPC_STAT, &ds));
    struct msginfo info;
    OK(msgctl(0, IPC_INFO, (void *)&info));
    OK(msgctl(0, MSG_INFO, (void *)&info));
    R(msgctl(q, IPC_RMID, NULL));
    R(msgsnd(q, &m, 6, 0));
    R(msgget(0x1234567, 0));
    key_t key = 0x7e000000 + getpid();
    q = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
    R(msgget(key, IPC_CREAT | IPC_EXCL | 0600));
    msgctl(q, IPC_RMID, NULL);
}

CASE(system_v_semaphores)
{
    int id = semget(IPC_PRIVATE, 3, 0600);
    unsigned short values[3] = {1, 2, 3}, out[3] = {0};
    R(semctl(id, 0, SETALL, values));
    R(semctl(id, 0, GETALL, out));
    say("%d %d %d", out[0], out[1], out[2]);
    R(semctl(id, 1, GETVAL));
    R(semctl(id, 9, GETVAL));
    R(semctl(id, 1, SETVAL, -1));
    R(semctl(id, 1, SETVAL, 40000));
    R(semctl(id, 1, SETVAL, 5));
    R(semctl(id, 1, GETPID) == getpid());
    R(semctl(id, 1, GETNCNT));
    R(semctl(id, 1, GETZCNT));
    struct semid_ds ds;
    R(semctl(id, 0, IPC_STAT, &ds));
    say("%d semaphores", (int)ds.sem_nsems);
    R(semctl(id, 0, IPC_STAT, nowhere()));
    R(semctl(id, 0, GETALL, nowhere()));
    R(semctl(id, 0, 99));
    struct seminfo info;
    OK(semctl(0, 0, IPC_INFO, &info));
    OK(semctl(0, 0, SEM_INFO, &info));
    struct sembuf ops[2] = {{0, -1, 0}, {1, -5, IPC_NOWAIT}};
    R(semop(id, ops, 2));
    ops[0] = (struct sembuf){0, -1, IPC_NOWAIT};
    R(semop(id, ops, 1));
    ops[0] = (struct sembuf){7, -1, 0};
    R(semop(id, ops, 1));
    ops[0] = (struct sembuf){0, 32767, 0};
    R(semop(id, ops, 1));
    ops[0].sem_op = 1;
    R(semop(id, ops, 1));
    R(semop(id, nowhere(), 1));
    R(semop(id, ops, 0));
    R(semop(id, ops, 5000));
    R(semop(-1, ops, 1));
    ops[0] = (struct sembuf){2, -100, 0};
    R(semtimedop(id, ops, 1, &(struct timespec){0, 1000000}));
    R(semtimedop(id, ops, 1, &(struct timespec){0, -1}));
    R(semtimedop(id, ops, 1, nowhere()));
    pid_t child = CHILD({
        struct sembuf undo = {2, 4, SEM_UNDO};
        semop(id, &undo, 1);
        say("with undo: %d", semctl(id, 2, GETVAL));
    });
    reap("child", child);
    R(semctl(id, 2, GETVAL));
    child = CHILD({ struct sembuf wait = {2, -100, 0}; long r = semop(id, &wait, 1); say("child: %ld %s", r, strerrorname_np(errno)); });
    while (semctl(id, 2, GETNCNT) != 1)
        pause_ms(2);
    R(semctl(id, 0, IPC_RMID));
    reap("child", child);
    R(semctl(id, 0, GETVAL));
    R(semget(IPC_PRIVATE, 0, 0600));
    R(semget(IPC_PRIVATE, 1 << 20, 0600));
    R(semget(0x1234567, 1, 0));
}

CASE(system_v_memory)
{
    R(shmget(IPC_PRIVATE, 0, 0600));
    R(shmget(0x1234567, 1, 0));
    int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600);
    char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
    strcpy(a, "shared");
    say("%s", b);
    struct shmid_ds ds;
    R(shmctl(id, IPC_STAT, &ds));
    say("%d attached, %d bytes", (int)ds.shm_nattch, (int)ds.shm_segsz);
    R((long)shmat(id, a, 0));
    R((long)shmat(id, (void *)1, 0));
    R((long)shmat(-1, NULL, 0));
    R((long)shmat(id, NULL, SHM_REMAP));
    R(shmat(id, a, SHM_REMAP) == a);
    R(shmctl(id, IPC_STAT, nowhere()));
    R(shmctl(-1, IPC_STAT, &ds));
    R(shmctl(id, 99, &ds));
    R(shmctl(id, SHM_LOCK, NULL));
    R(shmctl(id, SHM_UNLOCK, NULL));
    ds.shm_perm.mode = 0400;
    R(shmctl(id, IPC_SET, &ds));
    struct shminfo info;
    OK(shmctl(0, IPC_INFO, (void *)&info));
    OK(shmctl(0, SHM_INFO, (void *)&info));
    R(shmctl(id, IPC_RMID, NULL));
    R(shmctl(id, IPC_STAT, &ds));
    say("mode %o", ds.shm_perm.mode);
    pid_t child = CHILD({ strcpy(a, "by the child"); });
    reap("child", child);
    say("%s", b);
    char *c = shmat(id, NULL, 0);
    say("third: %s", c == (void *)-1 ? "none" : c);
    R(shmdt(a));
    R(shmdt(a));
    R(shmdt(b + 1));
    R(shmdt(b));
    R(shmdt(c));
    R((long)shmat(id, NULL, 0));
}

CASE(posix_queues)
{
    char name[64], text[128];
    snprintf(name, sizeof name, "/ebb-kinds-%d", getpid());
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 32};
    R(mq_open("noslash", O_RDWR));
    R(mq_open("/does-not-exist", O_RDWR));
    R(mq_open("/a/b", O_RDWR | O_CREAT, 0600, &attr));
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    if (q < 0) { say("no queue: %s", strerrorname_np(errno)); return; }
    R(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr));
    R(mq_send(q, "one", 4, 1));
    R(mq_send(q, "two", 4, 9));
    R(mq_timedsend(q, "three", 6, 1, &(struct timespec){1, 0}));
    R(mq_send(q, text, 33, 1));
    R(mq_send(q, text, 3, 40000));
    R(mq_timedsend(q, "x", 1, 1, &(struct timespec){1, -1}));
    unsigned priority = 0;
    R(mq_receive(q, text, 5, &priority));
    R(mq_receive(q, text, 32, &priority));
    say("%s %u", text, priority);
    R(mq_receive(q, nowhere(), 32, &priority));
    R(mq_timedreceive(q, text, 32, &priority, &(struct timespec){1, 0}));
    struct mq_attr old;
    attr.mq_flags = O_NONBLOCK;
    R(mq_setattr(q, &attr, &old));
    R(mq_receive(q, text, 32, &priority));
    attr.mq_flags = 12345;
    R(mq_setattr(q, &attr, &old));
    R(mq_getattr(q, &old));
    say("%ld %ld %ld", old.mq_flags, old.mq_maxmsg, old.mq_curmsgs);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 33};
    R(mq_notify(q, &event));
    R(mq_notify(q, &event));
    pid_t child = CHILD(mq_send(q, "note", 5, 0));
    siginfo_t info;
    R(sigwaitinfo(&set, &info));
    say("code %d value %d", info.si_code, info.si_value.sival_int);
    reap("child", child);
    event.sigev_signo = 70;
    R(mq_notify(q, &event));
    R(mq_notify(q, NULL));
    R(mq_close(q));
    R(mq_close(q));
    R(mq_unlink(name));
    R(mq_unlink(name));
}

CASE(keys)
{
    char buf[64];
    long ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    OK(ring);
    long key = syscall(SYS_add_key, "user", "ebb:test", "payload", 7, KEY_SPEC_SESSION_KEYRING);
    OK(key);
    SYS(add_key, "user", "ebb:test", nowhere(), 7, KEY_SPEC_SESSION_KEYRING);
    SYS(add_key, "nosuch", "ebb:test", "p", 1, KEY_SPEC_SESSION_KEYRING);
    SYS(add_key, "user", NULL, "p", 1, KEY_SPEC_SESSION_KEYRING);
    SYS(add_key, "user", "x", "p", 1 << 21, KEY_SPEC_SESSION_KEYRING);
    SYS(request_key, "user", "ebb:absent", NULL, 0);
    R(syscall(SYS_request_key, "user", "ebb:test", NULL, 0) == key);
    R(syscall(SYS_keyctl, KEYCTL_READ, key, buf, sizeof buf));
    say("%.7s", buf);
    R(syscall(SYS_keyctl, KEYCTL_READ, key, buf, 3));
    R(syscall(SYS_keyctl, KEYCTL_READ, key, NULL, 0));
    R(syscall(SYS_keyctl, KEYCTL_READ, key, nowhere(), 64));
    R(syscall(SYS_keyctl, KEYCTL_UPDATE, key, "changed", 7));
    R(syscall(SYS_keyctl, KEYCTL_READ, key, buf, sizeof buf));
    say("%.7s", buf);
    R(syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f0000));
    OK(syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buf, sizeof buf));
    R(syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "ebb:test", 0) == key);
    R(syscall(SYS_keyctl, KEYCTL_REVOKE, key));
    R(syscall(SYS_keyctl, KEYCTL_READ, key, buf, sizeof buf));
    R(syscall(SYS_keyctl, KEYCTL_CLEAR, KEY_SPEC_SESSION_KEYRING));
    R(syscall(SYS_keyctl, 9999));
    R(syscall(SYS_keyctl, KEYCTL_INVALIDATE, 12345));
}

CASE(landlocks)
{
    struct { unsigned long fs, net, scoped; } attr = {1, 0, 0};
    OK(syscall(SYS_landlock_create_ruleset, NULL, 0, 1));
    int fd = syscall(SYS_landlock_create_ruleset, &attr, 8, 0);
    if (fd < 0) { say("%s", strerrorname_np(errno)); return; }
    SYS(landlock_create_ruleset, &attr, 4, 0);
    SYS(landlock_create_ruleset, &attr, 1 << 20, 0);
    SYS(landlock_create_ruleset, nowhere(), 8, 0);
    SYS(landlock_create_ruleset, &attr, 8, 5);
    int dir = open("/tmp", O_PATH);
    struct __attribute__((packed)) { unsigned long access; int fd; } rule = {1, dir};
    SYS(landlock_add_rule, fd, 1, &rule, 0);
    SYS(landlock_add_rule, fd, 9, &rule, 0);
    SYS(landlock_add_rule, fd, 1, nowhere(), 0);
    rule.access = 0;
    SYS(landlock_add_rule, fd, 1, &rule, 0);
    SYS(landlock_add_rule, 0, 1, &rule, 0);
    pid_t child = CHILD({
        R(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
        SYS(landlock_restrict_self, fd, 99);
        SYS(landlock_restrict_self, fd, 0);
        execl("/bin/true", "true", NULL);
        say("exec: %s", strerrorname_np(errno));
    });
    reap("child", child);
}

CASE(quotas)
{
    struct dqblk q;
    R(quotactl(QCMD(Q_GETQUOTA, USRQUOTA), "/dev/nonexistent", 0, (char *)&q));
    R(quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL));
    R(quotactl(QCMD(99, USRQUOTA), NULL, 0, NULL));
    R(quotactl(QCMD(Q_GETQUOTA, 99), "/", 0, NULL));
    int fd = open("/", O_RDONLY);
    R(syscall(443, fd, QCMD(Q_GETQUOTA, USRQUOTA), 0, &q));
    R(syscall(443, -1, QCMD(Q_GETQUOTA, USRQUOTA), 0, &q));
}

CASE(refusals)
{
    char buf[256] = {0};
    long r = syscall(SYS_rseq, NULL, 0, 0, 0);
    say("rseq %s", r < 0 ? "fails" : "succeeds");
    SYS(uselib, "/nonexistent");
    R(syscall(SYS__sysctl, buf));
    R(syscall(SYS_create_module, buf, 1));
    R(syscall(SYS_get_kernel_syms, buf));
    R(syscall(SYS_query_module, buf, 0, buf, 1, buf));
    R(syscall(SYS_nfsservctl, 0, 0, 0));
    R(syscall(SYS_getpmsg, 0, 0, 0, 0, 0));
    R(syscall(SYS_putpmsg, 0, 0, 0, 0, 0));
    R(syscall(SYS_afs_syscall));
    R(syscall(SYS_tuxcall));
    R(syscall(SYS_security));
    R(syscall(SYS_vserver));
    R(syscall(SYS_epoll_ctl_old, 0, 0, 0, 0));
    R(syscall(SYS_set_thread_area, buf));
    R(syscall(SYS_get_thread_area, buf));
    R(syscall(500));
    R(syscall(-1));
    R(syscall(1000000));
    R(syscall(SYS_lookup_dcookie, 0, buf, 100));
    R(syscall(SYS_iopl, 9));
    R(syscall(SYS_ioperm, -1, 10, 1));
    R(syscall(SYS_init_module, nowhere(), 10, ""));
    R(syscall(SYS_delete_module, "nosuchmodule", O_NONBLOCK));
    R(syscall(SYS_kexec_load, 0, 100, NULL, 0));
    R(syscall(SYS_swapoff, "/nonexistent"));
    R(syscall(SYS_swapon, "/nonexistent", 0));
    R(syscall(SYS_acct, "/nonexistent/x"));
    R(syscall(SYS_vhangup) ? 1 : 1);
    R(syscall(SYS_reboot, 1, 2, 3, 0));
    R(syscall(SYS_sethostname, buf, -1));
    R(syscall(SYS_setdomainname, buf, 1000));
    R(syscall(SYS_settimeofday, nowhere(), NULL));
    R(syscall(SYS_clock_settime, 1, buf));
    R(syscall(SYS_clock_settime, 99, buf));
}

/* The old version has half the data. */
CASE(old_capabilities)
{
    char *edge = two_pages_one_gone();
    static const unsigned versions[] = {0x19980330, 0x20071026, 0x20080522, 0};
    for (int i = 0; i < 4; i++) {
        int size = i == 0 || i == 3 ? 12 : 24;
        unsigned header[2] = {versions[i], 0};
        memset(edge + PAGE - 64, 0x55, 64);
        R(syscall(SYS_capget, header, edge + PAGE - size));
        say("version %x, sum %u", header[0], sum_of(edge + PAGE - 64, 64));
        header[0] = versions[i];
        R(syscall(SYS_capset, header, edge + PAGE - size));
        R(syscall(SYS_capget, header, NULL));
        unsigned *at_edge = (unsigned *)(edge + PAGE - 8);
        at_edge[0] = versions[i], at_edge[1] = 0;
        R(syscall(SYS_capget, at_edge, edge));
        R(syscall(SYS_capget, edge + PAGE - 4, edge));
    }
}
static void *other(void *unused)
{
    pause_ms(100);
    return unused;
}

CASE(old_capabilities_with_threads)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    case_old_capabilities();
    pthread_join(t, NULL);
}

CASE(packet_filters)
{
    char table[256] = "no such table";
    static const int levels[] = {0, 0, 0, 41};
    static const int options[] = {64, 96, 128, 64};
    int fd = socket(AF_INET, SOCK_RAW, 255), fd6 = socket(AF_INET6, SOCK_DGRAM, 0);
    if (fd < 0)
        fd = socket(AF_INET, SOCK_DGRAM, 0);
    for (int i = 0; i < 4; i++) {
        R(setsockopt(i == 3 ? fd6 : fd, levels[i], options[i], table, sizeof table));
        R(setsockopt(i == 3 ? fd6 : fd, levels[i], options[i], nowhere(), sizeof table));
        R(setsockopt(i == 3 ? fd6 : fd, levels[i], options[i], table, 4));
    }
}
