/* The server of the remote serial protocol, on a session that does not exist: every packet, and
 * what is no packet.
 *
 * unit: tests/lib/fake_session.c src/front/gdb/rsp.c src/front/gdb/rsp_threads.c src/front/gdb/rsp_registers.c src/front/gdb/rsp_memory.c src/front/gdb/rsp_lent.c src/front/gdb/rsp_breakpoints.c src/front/gdb/rsp_resume.c src/front/gdb/rsp_processes.c src/front/gdb/rsp_ahead.c src/front/gdb/rsp_lines.c src/front/gdb/rsp_call.c src/front/gdb/rsp_stop.c src/front/gdb/rsp_query.c src/front/gdb/rsp_document.c src/front/gdb/rsp_files.c src/front/gdb/library_name.c src/front/gdb/debug_file.c src/front/gdb/proc_text.c src/front/gdb/rsp_monitor.c src/front/gdb/rsp_lldb.c src/front/gdb/signal_numbers.c src/front/gdb/register_table.c src/front/gdb/reply.c src/front/gdb/wire.c src/front/gdb/link.c src/debug/debug_motion.c src/debug/debug_sites.c src/session/goal_words.c src/base/assert.c src/base/error.c src/base/complain.c src/base/xalloc.c -pthread -ldw -lelf
 *
 * gdb_server fuzz ROUNDS SEED: random packets, instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "front/gdb/rsp.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"
#include "log/recording_file.h"
#include "session/goal_words.h"
#include "session/track_about.h"

extern int fake_session_open_count, fake_session_changes;

static int failures;

static void report(const char *name, bool right, const char *why)
{
    if (right)
        printf("ok gdb_server: %s\n", name);
    else
        printf("FAIL gdb_server: %s: %.300s\n", name, why);
    failures += !right;
}

/* Replaces the facts from the log. */

struct error *rsp_facts_read(const struct recording *rec, u32 track, struct rsp_facts *ret)
{
    *ret = (struct rsp_facts){.ppid = 1, .forks = true, .arguments = strdup("fake"), .arguments_size = 5,
                              .mapped = strdup("/bin/fake"), .mapped_size = 10,
                              .forked = track == 1, .birth = {700 / 16, 0}};
    ret->signal_came[10] = true;
    return NULL;
}

void rsp_facts_deinit(struct rsp_facts *f)
{
    free(f->arguments);
    free(f->mapped);
    f->arguments = f->mapped = NULL;
}

/* Replaces the model of debugging, since there is no real session. */

void rsp_model_deinit(struct rsp *r) {}
bool rsp_model_knows(const char *line) { return false; }
struct error *rsp_model_symbols(struct rsp *r, struct symbols **ret)
{
    return error_new("there are no symbols here");
}
bool symbols_instruction(struct symbols *s, u64 pc, struct instruction *ret) { return false; }
void symbols_instructions(struct symbols *s, u64 start, u64 end, struct instruction **ret,
                          size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
}
void symbols_scopes(struct symbols *s, u64 pc, struct scope_range **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
}
struct error *rsp_model_obey(struct rsp *r, const char *line, struct reply *out, bool *ret_moved)
{
    return error_new("there is no model here");
}
struct error *rsp_model_find_moment(struct rsp *r, const char *words, struct moment *ret)
{
    return goal_words_find(r->session, r->rec->meta.started, words, ret);
}
void rsp_model_stopped(struct rsp *r, const char *args) { rsp_ok(r); }
void rsp_model_frame(struct rsp *r, const char *args) { rsp_ok(r); }
void rsp_model_moved(struct rsp *r, struct moment before) {}
struct error *rsp_model_undo(struct rsp *r, bool again)
{
    return again ? movement_redo(r->session) : movement_undo(r->session);
}

u32 rsp_facts_exec(const struct recording *rec, u32 track) { return TRACK_NONE; }
u32 rsp_facts_child(const struct recording *rec, u32 track, u32 pid)
{
    return pid == 4243 ? 1 : TRACK_NONE;
}
bool rsp_facts_executed_by(const struct recording *rec, u32 track, u32 *ret, u32 *ret_pid) { return false; }
bool rsp_facts_is_vfork(const struct rsp_facts *f, u32 pid) { return false; }

struct error *recording_file(const struct recording *rec, const char *path, int *ret)
{
    *ret = strcmp(path, "/bin/fake") == 0 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
    return *ret < 0 ? error_new("no such file") : NULL;
}

struct error *recording_tracks(const struct recording *rec, u32 **ret, size_t *ret_count)
{
    *ret = xalloc(sizeof **ret);
    **ret = 0;
    *ret_count = 1;
    return NULL;
}
char *track_about(const struct recording *rec, u32 track) { return strdup("pid 4242, a test"); }
struct error *track_about_check(const struct recording *rec, u32 track)
{
    return track ? error_new("there is no track %u", track) : NULL;
}

/* Whether the process exists on this machine. */
static bool is_alive;
int kill(pid_t pid, int signal)
{
    errno = ESRCH;
    return is_alive && pid == 0x1092 && signal == 0 ? 0 : -1;
}

/* The time that the server sees can be stopped: a Ctrl-C expires by time, and this machine may be
 * slow. */
static _Atomic u64 stands_at; /* nanoseconds; 0: it goes on */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    u64 at = stands_at;
    if (!at)
        return (int)syscall(SYS_clock_gettime, clock, ret);
    *ret = (struct timespec){(time_t)(at / 1000000000), (long)(at % 1000000000)};
    return 0;
}

/* The client. */

static int client = -1;
static pthread_t server;
static bool acks;
static struct recording recording = {.path = "/fake"};

static void *serve(void *context)
{
    struct rsp *r;
    int fd = (int)(long)context;
    struct client_link *link;
    struct error *err = rsp_create(&recording, 0, false, &r);
    if (!err)
        err = link_open(fd, fd, &link);
    if (!err)
        rsp_serve(r, link);
    rsp_destroy(r);
    return err;
}

static void start(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        exit(2);
    client = pair[0];
    acks = true;
    pthread_create(&server, NULL, serve, (void *)(long)pair[1]);
}

static bool stop(void)
{
    void *err = NULL;
    close(client);
    pthread_join(server, &err);
    return !err;
}

static void send_bytes(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = send(client, bytes, size, MSG_NOSIGNAL);
        if (done <= 0)
            return;
        bytes += done;
        size -= (size_t)done;
    }
}

static void send_packet(const char *bytes, size_t size)
{
    struct reply frame = {0};
    wire_frame(&frame, bytes, size);
    send_bytes(frame.bytes, frame.size);
    reply_deinit(&frame);
}

/* Returns the content of the next frame; NULL if none comes. Console output is skipped. */
static struct wire in;
static char *receive(void)
{
    for (;;) {
        struct pollfd p = {client, POLLIN, 0};
        u8 byte;
        if (poll(&p, 1, 60000) <= 0 || recv(client, &byte, 1, 0) != 1)
            return NULL;
        enum wire_news e = wire_feed(&in, byte);
        if (e == WIRE_PACKET && acks)
            send_bytes("+", 1);
        bool is_console = in.bytes[0] == 'O' && in.bytes[1] != 'K' && in.size > 1;
        if (e == WIRE_PACKET && !is_console)
            return in.bytes;
        if (e == WIRE_DAMAGED || e == WIRE_OVERSIZED)
            return "damaged";
    }
}

static const char *ask_bytes(const char *bytes, size_t size)
{
    send_packet(bytes, size);
    char *answer = receive();
    return answer ? answer : "nothing";
}

static const char *ask(const char *packet)
{
    return ask_bytes(packet, strlen(packet));
}

/* Cases: what is sent, and how the answer begins (or, after a star, what it contains). */

static const struct row {
    const char *name, *packet, *wanted;
} rows[] = {
    {"no acks", "QStartNoAckMode", "OK"},
    {"supported", "qSupported:multiprocess+;swbreak+;hwbreak+;fork-events+", "PacketSize=20000;"},
    {"reverse is offered", "qSupported:multiprocess+", "*ReverseContinue+"},
    {"unknown", "vMustReplyEmpty", "="},
    {"unknown letter", "A5", "="},
    {"why", "?", "T0bthread:p1092.1092;00:e803"},
    {"threads", "qfThreadInfo", "=mp1092.1092,p1092.109a"},
    {"more threads", "qsThreadInfo", "=l"},
    {"thread document", "qXfer:threads:read::0,1000", "*name=\"first&#60;&#38;&#62;\""},
    {"thread's name", "qThreadExtraInfo,p1092.109a", "=7369787465656e2d6c657474657273"},
    {"alive", "Tp1092.109a", "OK"},
    {"not alive", "Tp1092.9999", "E"},
    {"select", "Hgp1092.109a", "OK"},
    {"current", "qC", "QCp1092.109a"},
    {"select any", "Hg0", "OK"},
    {"select nobody", "Hgp1092.77", "E"},
    {"select nonsense", "Hgpx", "E"},
    {"attached", "qAttached:1092", "=1"},
    {"features", "qXfer:features:read:target.xml:0,20000", "*org.gnu.gdb.i386.sse"},
    {"features, a piece", "qXfer:features:read:target.xml:0,10", "=m<?xml version=\"1"},
    {"features, the next", "qXfer:features:read:target.xml:10,8", "=m.0\"?>\n<!"},
    {"no such features", "qXfer:features:read:other.xml:0,10", "="},
    {"program", "qXfer:exec-file:read:1092:0,100", "=l/bin/fake"},
    {"auxv", "qXfer:auxv:read::0,100", "l\006"},
    {"document, bad offset", "qXfer:auxv:read::fff,100", "E"},
    {"document, no offset", "qXfer:auxv:read::", "E"},
    {"what it died of", "qXfer:siginfo:read::0,80", "l\013"},
    {"lent memory", "_M1800,rw", "=700000000000"},
    {"it is written", "M700000001ffe,2:a1b2", "OK"},
    {"and read", "m700000001ffe,8", "=a1b2"},
    {"but not behind its end", "M700000001fff,2:0102", "E"},
    {"more of it", "_M1,rwx", "=700000002000"},
    {"given back", "_m700000000000", "OK"},
    {"and no more there", "m700000001ffe,2", "E"},
    {"not given", "_m700000000000", "E"},
    {"the rest", "_m700000002000", "OK"},
    {"too much", "_Mffffffffffff,rw", "E"},
    {"no memory", "_M0,rw", "E"},
    {"memory, nonsense", "_Mx", "E"},
    {"registers", "g", "e803000000000000030000000000000001"},
    {"register", "p10", "=2000400000000000"},
    {"xmm0", "p28", "=0102030405060708090a0b0c0d0e0f10"},
    {"fctrl", "p20", "=7f030000"},
    {"ftag", "p22", "=ffff0000"},
    {"no such register", "pfff", "E"},
    {"no register", "p", "E"},
    {"memory", "m601000,8", "=3f00000000000000"},
    {"memory, cut short", "m602ffe,10", "71720000"},
    {"memory, none", "m0,4", "E"},
    {"memory, nonsense", "mx,y", "E"},
    {"memory, no size", "m601000", "E"},
    {"memory, much", "m602000,ffffffffffffffff", "65666768"},
    {"binary", "x601000,2", "=?"},
    {"binary, probe", "x0,0", "OK"},
    {"find", "qSearch:memory:602000;1000;xyzab", "=1,602013"},
    {"find nothing", "qSearch:memory:602000;1000;zz", "=0"},
    {"find over holes", "qSearch:memory:5ff000;5000;abc", "=1,602016"},
    {"find over all there is", "qSearch:memory:602000;fffffffffffff;?", "=0"},
    {"find, no pattern", "qSearch:memory:602000;1000;", "E"},
    {"find, wraps around", "qSearch:memory:602000;ffffffffffffffff;a", "E"},
    {"step back", "bs", "T05thread:p1092.1092;00:e703"},
    {"step", "vCont;s:p1092.1092;c", "T05thread:p1092.1092;00:e803"},
    {"the end again", "vCont;s:p1092.1092", "T05replaylog:end;"},
    {"break", "Z0,400014,1", "OK"},
    {"back to it", "bc", "T05swbreak:;thread:p1092.1092;00:e503"},
    {"back again", "bc", "T05swbreak:;thread:p1092.1092;00:d503"},
    {"forward", "vCont;c", "T05swbreak:;thread:p1092.1092;00:e503"},
    {"take it away", "z0,400014,1", "OK"},
    {"false condition", "Z0,400014,1;X3,220027", "OK"},
    {"hard, true", "Z1,400018,1;X3,220127", "OK"},
    {"only the true", "bc", "T05hwbreak:;thread:p1092.1092;00:d603"},
    {"take both", "z0,400014,1", "OK"},
    {"take both 2", "z1,400018,1", "OK"},
    {"bad condition", "Z0,400014,1;X9,22", "E"},
    {"bad type", "Z7,400014,1", "E"},
    {"bad break", "Z0", "E"},
    {"watch nothing", "Z2,601000,0", "E"},
    {"watch over the edge", "Z2,ffffffffffffffff,8", "E"},
    {"watch", "Z2,601004,4", "OK"},
    {"watch back", "bc", "T05watch:601004;thread:p1092.1092;00:d203"},
    {"value before", "m601000,1", "=3d"},
    {"watch forward", "vCont;c", "T05watch:601004;thread:p1092.1092;00:e303"},
    {"value behind", "m601000,1", "=3f"},
    {"unwatch", "z2,601004,4", "OK"},
    {"fork", "bc", "T05fork:p1093.1093;thread:p1092.1092;00:bc02"},
    {"child", "Hgp1093.1093", "OK"},
    {"child's points", "z0,400014,1", "OK"},
    {"let child go", "D;1093", "OK"},
    {"select parent", "Hgp1092.1092", "OK"},
    {"signal", "bc", "T1ethread:p1092.1092;00:5802"},
    {"its info", "qXfer:siginfo:read::0,80", "l\007\007"},
    {"pass signals", "QPassSignals:e;14;1e", "OK"},
    {"bad signals", "QPassSignals:e,14", "E"},
    {"catch call", "QCatchSyscalls:1;1", "OK"},
    {"call", "bc", "T05syscall_entry:1;thread:p1092.1092;00:f401"},
    {"no calls", "QCatchSyscalls:0", "OK"},
    {"bad calls", "QCatchSyscalls:1;x", "E"},
    {"range", "vCont;r400000,400020:p1092.1092;c", "T05thread:p1092.1092;00:f801"},
    {"all gone back", "bc", "T05replaylog:begin;thread:p1092.1092;00:0000"},
    {"begin again", "bs", "T05replaylog:begin;"},
    {"bad vCont", "vCont;q", "E"},
    {"empty vCont", "vCont;", "E"},
    {"bad thread", "vCont;c:p1092.777", "E"},
    {"bad range", "vCont;r5", "E"},
    {"bad backward", "bsx", "E"},
    {"write", "M603000,2:4142", "OK"},
    {"written", "m603000,2", "=4142"},
    {"write nothing", "X603000,0:", "OK"},
    {"write where nothing is", "M0,1:41", "E."},
    {"write less than said", "M603000,2:41", "E"},
    {"write no digits", "M603000,2:zzzz", "E"},
    {"changed registers", "P10=7766000000000000", "OK"},
    {"call", "vCont;c", "T05thread:p1092.1092;00:6300"},
    {"what it returned", "p0", "=6300000000000000"},
    {"put back", "P0=0000000000000000", "OK"},
    {"put back pc", "P10=0000400000000000", "OK"},
    {"goes on", "vCont;s:p1092.1092", "T05thread:p1092.1092;00:0100"},
    {"copy is gone", "m603000,2", "=0000"},
    {"bad register", "P10=77", "E"},
    {"no register", "Pff=00", "E"},
    {"bad registers", "Gzz", "E"},
    {"monitor", "qRcmd,7768657265", "747261636b20302c20746872656164"},
    {"monitor goto", "qRcmd,676f746f20353025", "747261636b20302c"},
    {"went", "?", "T05thread:p1092.1092;00:f401"},
    {"monitor undo", "qRcmd,756e646f", "747261636b20302c"},
    {"undone", "?", "T05thread:p1092.1092;00:0100"},
    {"monitor nonsense", "qRcmd,78797a", "6562623a20"},
    {"monitor, no digits", "qRcmd,zz", "E"},
    {"monitor, half a digit", "qRcmd,7", "E"},
    {"open", "vFile:open:2f62696e2f66616b65,0,0", "=F0"},
    {"read", "vFile:pread:0,4,0", "=F4;\177ELF"},
    {"stat", "vFile:fstat:0", "F40;"},
    {"close", "vFile:close:0", "=F0"},
    {"close again", "vFile:close:0", "=F-1,9"},
    {"open to write", "vFile:open:2f62696e2f66616b65,1,0", "=F-1,1e"},
    {"open nothing", "vFile:open:2f78,0,0", "=F-1,2"},
    {"open what is none of its business", "vFile:open:2f6574632f706173737764,0,0", "=F-1,d"},
    {"stat it", "vFile:stat:2f6574632f706173737764", "=F-1,d"},
    {"over a directory", "vFile:open:2f6574632f2e2e2f6574632f706173737764,0,0", "=F-1,d"},
    {"by a relative name", "vFile:open:6574632f706173737764,0,0", "=F-1,2"},
    {"open maps", "vFile:open:2f70726f632f343234322f6d617073,0,0", "=F0"},
    {"read maps", "vFile:pread:0,1000,0", "F7?;00400000-00401000 r-xp 00000000 08:01 5  "},
    {"read behind", "vFile:pread:0,10,1000", "=F0;"},
    {"close maps", "vFile:close:0", "=F0"},
    {"read closed", "vFile:pread:0,10,0", "=F-1,9"},
    {"link", "vFile:readlink:2f70726f632f343234322f657865", "=F9;/bin/fake"},
    {"no such operation", "vFile:explode:0", "="},
    {"file system", "vFile:setfs:0", "=F0"},
    {"check sum", "qCRC:400000,4", "C"},
    {"check sum of nothing", "qCRC:0,4", "E"},
    {"symbols", "qSymbol::", "qSymbol:5f7468726561645f6462"},
    {"no symbol", "qSymbol::5f7468726561645f6462", "OK"},
    {"host", "qHostInfo", "triple:"},
    {"process", "qProcessInfo", "pid:1092;"},
    {"region", "qMemoryRegionInfo:400010", "start:400000;size:1000;permissions:rx;"},
    {"hole", "qMemoryRegionInfo:0", "=start:0;size:400000;"},
    {"threads, json", "jThreadsInfo", "[{\"tid\":4242,"},
    {"run", "vRun;", "T05thread:p1092.1092;00:0000"},
    {"detach", "D;1092", "OK"},
    {"nobody", "g", "E"},
    {"attach", "vAttach;1092", "T05thread:p1092.1092;"},
    {"attach to none", "vAttach;5", "E."},
    {"kill what", "vKill", "=E16"},
    {"kill nobody", "vKill;", "E"},
    {"kill nonsense", "vKill;x", "E"},
    {"kill, and more", "vKill;1092;1", "E"},
    {"kill another", "vKill;1093", "E"},
    {"selected", "qebb.selected:p1092.1092", "OK"},
    {"selected nobody", "qebb.selected:p1092.7", "E"},
    {"selected, and more", "qebb.selected:p1092.1092;", "E"},
    {"selected nonsense", "qebb.selected:", "E"},
    {"kill", "vKill;1092", "OK"},
    {"gone", "?", "W00"},
};

/* A `?` in the expected text matches any byte. */
static bool begins(const char *text, const char *with)
{
    for (; *with; text++, with++)
        if (*with != '?' && *text != *with)
            return false;
    return true;
}

static bool fits(const char *answer, const char *wanted)
{
    if (wanted[0] == '=')
        return strlen(answer) == strlen(wanted + 1) && begins(answer, wanted + 1);
    if (wanted[0] == '*')
        return strstr(answer, wanted + 1) != NULL;
    return begins(answer, wanted);
}

static void check_rows(void)
{
    start();
    for (size_t i = 0; i < countof(rows); i++) {
        const char *answer = ask(rows[i].packet);
        if (i == 0)
            acks = false;
        report(rows[i].name, fits(answer, rows[i].wanted), answer);
    }
    report("end", stop() && fake_session_open_count == 0, "the session is still open");
}

/* Removing breakpoints and inserting them again must not reach the session. */
static void check_quiet_points(void)
{
    start();
    ask("Z0,400014,1");
    ask("bc");
    int before = fake_session_changes;
    for (int i = 0; i < 3; i++) {
        ask("z0,400014,1");
        ask("Z0,400014,1");
        ask("bc");
    }
    report("points stay", fake_session_changes == before, "the session was told");
    stop();
}

static void check_acks(void)
{
    start();
    send_bytes("$g#00", 5); /* a wrong sum */
    char ack = 0;
    recv(client, &ack, 1, 0);
    report("nack", ack == '-', "it was accepted");
    report("after a nack", fits(ask("qAttached"), "=1"), "no answer");
    send_bytes("-", 1);
    char *again = receive();
    report("sent again", again && strcmp(again, "1") == 0, again ? again : "nothing");
    send_bytes("garbage\003\003$half", 14);
    send_packet("qAttached", 9);
    again = receive();
    report("garbage", again && strcmp(again, "1") == 0, again ? again : "nothing");
    stop();
}

static void check_oversized(void)
{
    size_t size = 3 * WIRE_PACKET_MOST;
    char *bytes = xalloc(size);
    memset(bytes, 'm', size);
    start();
    report("oversized", fits(ask_bytes(bytes, size), "E"), in.bytes);
    report("after it", fits(ask("qAttached"), "=1"), in.bytes);
    stop();
    free(bytes);
}

/* Ctrl-C during a movement and at its start; and the end of the client in the middle of one. */
static void check_interrupt(void)
{
    start();
    ask("Z0,dead,1");
    send_packet("bc", 2);
    usleep(20000);
    send_bytes("\003", 1);
    char *answer = receive();
    report("interrupted", answer && begins(answer, "T02thread:"), answer ? answer : "nothing");
    for (int i = 0; i < 50; i++) {
        send_bytes("$vCont;c#a8\003", 12);
        answer = receive();
        if (!answer || !begins(answer, "T02thread:"))
            break;
        send_bytes("\003", 1); /* too late: for nobody */
        answer = (char *)ask("qAttached");
        if (strcmp(answer, "1") != 0)
            break;
    }
    report("interrupted at once", answer && strcmp(answer, "1") == 0, answer ? answer : "nothing");
    usleep(300000); /* the last one lapses */
    send_packet("vCont;c", 7);
    usleep(20000);
    report("hung up in a movement", stop() && fake_session_open_count == 0, "a session is open");
}

/* LLDB would take the program of a live process with that number for the recorded one. */
static void check_pid(void)
{
    start();
    is_alive = true;
    ask("QThreadSuffixSupported");
    report("a number that another has", fits(ask("qProcessInfo"), "pid:40001092;"), in.bytes);
    is_alive = false;
    ask("QThreadSuffixSupported");
    report("a number that nobody has", fits(ask("qProcessInfo"), "pid:1092;"), in.bytes);
    stop();
}

/* Threads: which one moves, and which one a stop belongs to. Thread 109a has the moments 801 to
 * 840. */

static void go_to(int at)
{
    char text[64], packet[160] = "qRcmd,";
    int size = snprintf(text, sizeof text, "goto %d:0x%x", at / 16, 0x400000 + 4 * (at % 16));
    for (int i = 0; i < size; i++)
        snprintf(packet + 6 + 2 * i, 3, "%02x", text[i]);
    ask(packet);
}

static const struct thread_row {
    const char *name;
    int from;              /* 0: from where it is */
    const char *packets[6]; /* the last one is looked at */
    const char *wanted;
} thread_rows[] = {
    {"Hc names it", 845, {"Hcp1092.109a", "bs"}, "T05thread:p1092.109a;00:4803"},
    {"Hg names it", 845, {"Hc0", "Hgp1092.109a", "bs"}, "T05thread:p1092.109a;00:4803"},
    {"Hc -1 and Hg", 845, {"Hc-1", "Hgp1092.109a", "bs"}, "T05thread:p1092.109a;00:4803"},
    {"the one that runs", 842, {"Hc0", "Hg0", "bs"}, "T05thread:p1092.1092;00:4903"},
    {"over another", 841, {"Hc0", "Hg0", "bs"}, "T05thread:p1092.1092;00:2003"},
    {"forward over another", 800, {"s"}, "T05thread:p1092.1092;00:4903"},
    {"one that waits", 790, {"vCont;s:p1092.109a;c"}, "T05thread:p1092.109a;00:2203"},
    {"one that waits, alone", 790, {"vCont;s:p1092.109a"}, "T05thread:p1092.109a;00:2203"},
    {"no first instruction", 801, {"bs"}, "T05replaylog:begin;thread:p1092.109a;00:2103"},
    {"nor alone", 802, {"Hcp1092.109a", "bc"}, "T05replaylog:begin;thread:p1092.109a;00:2103"},
    {"of all", 845, {"Hc0", "Z0,400010,1", "bc"}, "T05swbreak:;thread:p1092.109a;00:4403"},
    {"of one", 845, {"Hcp1092.1092", "bc"}, "T05swbreak:;thread:p1092.1092;00:1403"},
    {"steps of all", 841, {"Hc0", "bs"}, "T05swbreak:;thread:p1092.109a;00:4403"},
    {"steps of one", 841, {"Hcp1092.1092", "bs"}, "T05thread:p1092.1092;00:2003"},
    {"vCont of one", 790, {"vCont;c:p1092.1092"}, "T05swbreak:;thread:p1092.1092;00:5403"},
    {"vCont of all", 790, {"vCont;c"}, "T05swbreak:;thread:p1092.109a;00:2403"},
    {"vCont of all by name", 790, {"vCont;c:p1092.1092;c:p1092.109a"},
     "T05swbreak:;thread:p1092.109a;00:2403"},
    {"vCont, one stopped", 790, {"vCont;t:p1092.109a;c:p1092.1092"},
     "T05swbreak:;thread:p1092.1092;00:5403"},
    {"vCont, step of all", 800, {"vCont;s:p1092.1092;c"}, "T05swbreak:;thread:p1092.109a;00:2403"},
    {"vCont, step of one", 800, {"vCont;s:p1092.1092"}, "T05thread:p1092.1092;00:4903"},
    {"end of one", 845, {"z0,400010,1", "Hcp1092.109a", "c"},
     "T0bthread:p1092.109a;00:4903"}, /* it waits there */
    /* A step past a breakpoint leaves other threads where they are, and what they do to be told. */
    {"hit", 843, {"Hc0", "Z0,400024,1", "Z0,400010,1", "bc"},
     "T05swbreak:;thread:p1092.1092;00:4903"},
    {"past it", 0, {"z0,400024,1", "QPassSignals:", "Hcp1092.1092", "bs"},
     "T05thread:p1092.1092;00:2003"},
    {"others stand", 0, {"Hgp1092.109a", "p0"}, "=4903000000000000"},
    {"what was owed", 0, {"Z0,400024,1", "QPassSignals:e", "Hc0", "bc"},
     "T05swbreak:;thread:p1092.109a;00:4403"},
    {"others show the moment", 0, {"Hgp1092.1092", "p0"}, "=4903000000000000"},
    {"hit ahead", 798, {"Z0,400000,1", "vCont;c"}, "T05swbreak:;thread:p1092.1092;00:2003"},
    {"past it ahead", 0, {"z0,400000,1", "QPassSignals:", "vCont;s:p1092.1092"},
     "T05thread:p1092.1092;00:4903"},
    {"others stand ahead", 0, {"Hgp1092.109a", "p0"}, "=2103000000000000"},
    {"what was owed ahead", 0, {"Z0,400000,1", "QPassSignals:e", "vCont;c"},
     "T05swbreak:;thread:p1092.109a;00:2403"},
    /* gdb names with Hg what it looks at. */
    {"gdb", 845, {"qSupported:multiprocess+;swbreak+;xmlRegisters=i386", "z0,400010,1",
                  "z0,400000,1", "z0,400024,1", "Hgp1092.109a", "bs"},
     "T05thread:p1092.1092;00:4c03"},
    {"gdb asks for it", 845, {"Tp1092.109a", "bs"}, "T05thread:p1092.109a;00:4803"},
    {"gdb says it", 845, {"qebb.selected:p1092.109a", "bs"}, "T05thread:p1092.109a;00:4803"},
};

static void check_threads(void)
{
    start();
    ask("QStartNoAckMode");
    acks = false;
    ask("qSupported:multiprocess+;swbreak+");
    for (size_t i = 0; i < countof(thread_rows); i++) {
        const struct thread_row *row = &thread_rows[i];
        const char *answer = "";
        if (row->from)
            go_to(row->from);
        for (size_t n = 0; n < countof(row->packets) && row->packets[n]; n++)
            answer = ask(row->packets[n]);
        report(row->name, fits(answer, row->wanted), answer);
    }
    stop();
}

/* `monitor direction`, for clients without commands to go back. */
static void check_direction(void)
{
    start();
    ask("qRcmd,646972656374696f6e206261636b77617264");
    report("forward is backward", fits(ask("c"), "T1ethread:"), in.bytes); /* a signal that came before */
    ask("qRcmd,64697220666f7277617264");
    report("and forward again", fits(ask("vCont;s"), "T05thread:"), in.bytes);
    stop();
}

/* For the client, many small movements are one: Ctrl-C comes between two of them as often as during
 * one. */
static void check_interrupt_steps(void)
{
    const char *answer = NULL;
    bool right = true;
    stands_at = 1000000000;
    start();
    for (int i = 0; i < 20 && right; i++) {
        send_bytes("\003$vCont;s#b8", 12);
        answer = receive();
        right = answer && begins(answer, "T02thread:");
    }
    report("interrupted before a step", right, answer ? answer : "nothing");
    right = fits(ask("vCont;s"), "T05");
    report("and one stop for one Ctrl-C", right, in.bytes);
    send_bytes("$m1000,4#8e\003", 12);
    receive();
    report("interrupted between steps", fits(ask("vCont;s"), "T02"), in.bytes);
    right = false;
    for (int i = 1; i <= 50 && !right; i++) { /* when it has been received is not known */
        send_bytes("\003", 1);
        usleep(i * 10000);
        stands_at += 300000000;
        right = fits(ask("vCont;s"), "T05");
    }
    report("a Ctrl-C that has lapsed", right, in.bytes);
    stop();
    stands_at = 0;
}

/* Random packets: made of real ones and of noise. */

static u64 seed;

static u32 roll(u32 below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)((seed * 0x2545F4914F6CDD1Dull) >> 33) % below;
}

static const char *any_packet(void)
{
    const struct thread_row *row = &thread_rows[roll(countof(thread_rows))];
    u32 count = 0;
    if (roll(3))
        return rows[roll(countof(rows))].packet;
    while (count < countof(row->packets) && row->packets[count])
        count++;
    return row->packets[roll(count)];
}

static size_t make_packet(char *room)
{
    static const char spice[] = "0123456789abcdef,;:.-pXZz}*#$\003\0\377";
    const char *from = any_packet();
    size_t size = strlen(from);
    memcpy(room, from, size);
    for (u32 changes = roll(6); changes; changes--) {
        size_t at = roll((u32)size + 1);
        char c = spice[roll(sizeof spice)];
        switch (roll(4)) {
        case 0:
            room[at] = c;
            size += at == size;
            break;
        case 1:
            memmove(room + at + 1, room + at, size - at);
            room[at] = c;
            size++;
            break;
        case 2:
            size = at;
            break;
        default:
            from = any_packet();
            at = roll((u32)size + 1);
            strcpy(room + at, from);
            size = at + strlen(from);
        }
    }
    return size;
}

/* An endless movement is only requested together with its end. */
static bool is_safe(const char *packet, size_t size)
{
    return !memmem(packet, size, "dead", 4) && packet[0] != 'k' &&
           !(size > 2 && memcmp(packet, "QSt", 3) == 0);
}

/* Makes the server wait for a packet again, whatever it has received. */
static bool resynchronise(void)
{
    char *answer;
    send_bytes("#00#00", 6);
    send_packet("qSupported", 10);
    while ((answer = receive()) && !begins(answer, "PacketSize"))
        ;
    return answer != NULL;
}

static bool send_noise(const char *bytes, size_t size)
{
    send_bytes(bytes, size);
    return resynchronise();
}

static bool fuzz(unsigned rounds)
{
    char room[4096];
    struct reply packet = {0};
    bool right = true;
    start();
    ask("QStartNoAckMode");
    acks = false;
    for (unsigned i = 0; i < rounds && right; i++) {
        size_t size = make_packet(room);
        if (!is_safe(room, size))
            continue;
        reply_clear(&packet);
        reply_binary(&packet, room, size);
        right = strcmp(ask_bytes(packet.bytes, packet.size), "nothing") != 0;
        if (right && roll(50) == 0)
            right = send_noise(room, size);
        if (right && roll(50) == 0)
            right = send_noise("$x#a", roll(5));
        if (!right)
            printf("no answer to %.*s\n", (int)size, room);
    }
    reply_deinit(&packet);
    return right && resynchronise() && stop() && fake_session_open_count == 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0) {
        seed = strtoull(argv[3], NULL, 10) | 1;
        return !fuzz((unsigned)atoi(argv[2]));
    }
    check_rows();
    check_quiet_points();
    check_acks();
    check_oversized();
    check_interrupt();
    check_interrupt_steps();
    check_pid();
    check_direction();
    check_threads();
    seed = 20240229;
    report("random packets", fuzz(20000), "the server is not as it was");
    return failures != 0;
}
