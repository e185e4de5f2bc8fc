/* Memory that the kernel writes while the program runs: samples of perf_event, received packets.
 * Natively it can be mapped. An engine that records may refuse, as a kernel without it would; if it
 * does not, a replay must show the same. What is found there is given to a system call. */
#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { PAGE = 4096, RING = 4 };

static int results;

static void look_at(const volatile unsigned char *p)
{
    for (int round = 0; round < 20; round++) {
        unsigned sum = 0;
        for (int n = 0; n < PAGE; n++)
            sum = sum * 31 + p[n];
        CHECK(write(results, &sum, sizeof sum) == sizeof sum);
    }
}

static int event(struct perf_event_attr *a)
{
    a->size = sizeof *a;
    a->exclude_kernel = a->exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, a, 0, -1, -1, 0);
}

static void *map_ring(int fd, int pages)
{
    void *p = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED || errno == ENODEV || errno == EPERM);
    return p;
}

static void samples(void)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = 100000,
        .sample_type = PERF_SAMPLE_IP,
    };
    int fd = event(&a);
    if (fd < 0)
        return; /* perf_event_paranoid */
    void *p = map_ring(fd, 1 + RING);
    if (p == MAP_FAILED)
        return;
    look_at(p);
    CHECK(munmap(p, (1 + RING) * PAGE) == 0);
    close(fd);
}

static void packets(void)
{
    struct sockaddr_in to = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    struct tpacket_req ring = {PAGE, RING, PAGE / 2, 2 * RING};
    int from = socket(AF_INET, SOCK_DGRAM, 0), all = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    if (all < 0 || setsockopt(all, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring))
        return; /* only root may */
    void *p = map_ring(all, RING);
    if (p == MAP_FAILED)
        return;
    for (int i = 0; i < 3; i++) {
        CHECK(sendto(from, "hello", 5, 0, (struct sockaddr *)&to, sizeof to) == 5);
        look_at(p);
    }
    CHECK(munmap(p, RING * PAGE) == 0);
    close(all);
}

static volatile int traps;

static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

/* A signal at the instruction that touches a word. */
static void signal_at_access(void)
{
    static volatile long word;
    struct perf_event_attr a = {
        .type = PERF_TYPE_BREAKPOINT,
        .bp_type = 3,
        .bp_addr = (unsigned long)&word,
        .bp_len = sizeof word,
        .sample_period = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
    };
    signal(SIGTRAP, on_trap);
    int fd = event(&a);
    if (fd < 0)
        return;
    word++;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    int seen = traps;
    CHECK(write(results, &seen, sizeof seen) == sizeof seen);
    close(fd);
}

int main(void)
{
    char name[] = "restless.XXXXXX";
    results = mkstemp(name);
    CHECK(results >= 0 && unlink(name) == 0);
    samples();
    packets();
    signal_at_access();
    return done();
}
