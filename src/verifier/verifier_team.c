/* Engines that replay many tracks at a time: see the header.
 *
 * A member is an engine process and the track it replays.
 *
 *             start, or as a copy
 *                     |
 *                     v    FORK            LEAVE (give_leave)      FORKED
 *      +----------> runs -----> asks -----------------> copies ----------+
 *      |             |  ^         | LEAVE (refuse)        | error        |
 *      |             |  +---------+-----------------------+              v
 *      |             +--> ended                                       stands
 *      +---------- GO (let_go), when its copy is READY or gone ----------+
 *
 * A running member has one of `most` places. A copy takes the place of its maker, which waits until
 * another place is free. So children come first, and few processes exist at a time even if the
 * program made many, one after the other. The number of members is limited, for programs with
 * deeply nested children: then waiting members continue first, and if all of them ask, one
 * continues without a copy, and the host must replay the child.
 *
 * Invariants
 *   (1) m->copy is the copy that m waits for: one that is not ready, and m copies or stands.
 *   (2) Members are in the order in which they were made.
 */
#include "verifier/verifier_team_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"

enum {
    STANDING_MOST = 24,
    DESCRIPTORS_EACH = 5, /* line, ring, track, stderr, and those shared by a family */
    DESCRIPTORS_ELSE = 16,
};

enum team_member_state { RUNS, ASKS, COPIES, STANDS };

/* An engine that was started, and all copies that come from it. */
struct team_family {
    int shared; /* members connect there; -1: no member is left that could */
    size_t members;
};

struct team_member {
    struct verifier_line *line;
    struct team_family *family;
    enum team_member_state state;
    pid_t pid;   /* 0: a copy that has not connected yet */
    int said;    /* what it writes to stderr */
    bool ready;  /* it replays its own track */
    bool silent; /* its line was closed */
    bool gone;   /* it was reaped, or never made */
    u32 child;   /* state asks: the track that begins here */
    struct team_member *copy;
    u64 number;  /* counts all members ever made */
};

struct verifier_team {
    const struct recording *rec;
    const char *settings;
    const struct verifier_team_host *host;
    size_t most, room;
    struct team_member **members;
    size_t count;
    u64 made; /* members, ever */
    int children; /* reports ended children (a signalfd) */
    bool someone_ended; /* perhaps */
    struct pollfd *polls;
};

/* Blocks SIGCHLD for the descriptor. If it were ignored, it would not be reported. */
static int watch_children(void)
{
    sigset_t mask;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The maximum number of members, if `most` run. */
static size_t room_for(size_t most)
{
    struct rlimit limit;
    size_t room = most + STANDING_MOST;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return room;
    while (room > most && limit.rlim_cur < DESCRIPTORS_ELSE + room * DESCRIPTORS_EACH)
        room--;
    return room;
}

struct verifier_team *verifier_team_create(const struct recording *rec, const char *settings,
                                           size_t most, const struct verifier_team_host *host)
{
    struct verifier_team *team = xalloc(sizeof *team);
    *team = (struct verifier_team){.rec = rec, .settings = settings, .host = host, .most = most,
                                   .room = room_for(most), .children = watch_children()};
    team->members = xalloc(team->room * sizeof *team->members);
    team->polls = xalloc((2 * team->room + 1) * sizeof *team->polls);
    return team;
}

void verifier_team_destroy(struct verifier_team *team)
{
    close(team->children);
    free(team->polls);
    free(team->members);
    free(team);
}

/* --- members ------------------------------------------------------------------------ */

static struct team_member *verifier_team_add(struct verifier_team *team, struct verifier_line *line,
                                             struct team_family *family, int said)
{
    struct team_member *m = xalloc(sizeof *m);
    *m = (struct team_member){.line = line, .family = family, .state = RUNS, .said = said,
                              .number = team->made++};
    family->members++;
    team->members[team->count++] = m;
    return m;
}

static void leave_family(struct team_family *family)
{
    if (--family->members)
        return;
    if (family->shared >= 0)
        close(family->shared);
    free(family);
}

/* Returns what it wrote, which the caller frees; NULL: nothing. */
static char *take_said(int fd)
{
    struct stat st;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        text = xalloc((size_t)st.st_size + 1);
        ssize_t got = pread(fd, text, (size_t)st.st_size, 0);
        text[got > 0 ? got : 0] = '\0';
    }
    if (fd >= 0)
        close(fd);
    return text;
}

/* Returns the member that waits for this copy, if it still does. */
static struct team_member *maker_of(const struct verifier_team *team,
                                    const struct team_member *copy)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->members[i]->copy == copy)
            return team->members[i];
    return NULL;
}

static void forget_copy(struct verifier_team *team, const struct team_member *copy)
{
    struct team_member *maker = maker_of(team, copy);
    if (maker)
        maker->copy = NULL;
}

static void verifier_team_drop(struct verifier_team *team, struct team_member *m)
{
    size_t at = 0;
    while (team->members[at] != m)
        at++;
    team->count--;
    memmove(team->members + at, team->members + at + 1,
            (team->count - at) * sizeof *team->members);
    forget_copy(team, m);
    leave_family(m->family);
    free(m);
}

/* --- starting ----------------------------------------------------------------------- */

static int open_said(void)
{
    return memfd_create("said", MFD_CLOEXEC);
}

/* If output is shown, the line has files for it. */
static int open_errors(const struct verifier_line *line)
{
    return line->errors >= 0 ? fcntl(line->errors, F_DUPFD_CLOEXEC, 0) : open_said();
}

/* An engine that was started replays its track in any case, so it is ready at once. */
static struct error *verifier_team_spawn(struct verifier_team *team, struct verifier_line *line,
                                         const struct engine_start *start)
{
    int said = open_errors(line), shared;
    pid_t pid;
    if (said < 0)
        return error_errno(errno, "track %u: cannot start a process", line->track);
    struct error *err = engine_spawn_apart(start, said, &pid, &shared);
    if (err) {
        close(said);
        return err;
    }
    struct team_family *family = xalloc(sizeof *family);
    *family = (struct team_family){.shared = shared};
    struct team_member *m = verifier_team_add(team, line, family, said);
    m->pid = pid;
    m->ready = true;
    return NULL;
}

void verifier_team_start(struct verifier_team *team, u32 track)
{
    verifier_team_start_line(team, verifier_line_create(team->rec, track));
}

void verifier_team_start_line(struct verifier_team *team, struct verifier_line *line)
{
    struct verifier_engine engine;
    bool needed = verifier_line_prepare(line, line->output < 0, team->settings, &engine);
    if (line->output >= 0)
        engine.start.output = line->output;
    struct error *err = needed ? verifier_team_spawn(team, line, &engine.start) : NULL;
    verifier_engine_deinit(&engine);
    if (err)
        verifier_line_fail(line, err, true);
    if (!needed || err) {
        verifier_line_close(line);
        team->host->ended(team->host->context, line, NULL);
    }
}

/* --- forks -------------------------------------------------------------------------- */

static void say_plainly(struct team_member *m, u32 kind)
{
    struct channel_message message;
    packet_send(verifier_line_socket(m->line), &message, kind, sizeof message, -1);
}

static void say_leave(struct team_member *m, bool copy, int said)
{
    struct channel_leave leave = {.copy = copy};
    packet_send(verifier_line_socket(m->line), &leave.message, CHANNEL_LEAVE, sizeof leave, said);
}

static void refuse(struct verifier_team *team, struct team_member *m)
{
    say_leave(m, false, -1);
    m->state = RUNS;
    team->host->lost(team->host->context, m->child);
}

static void give_leave(struct verifier_team *team, struct team_member *m)
{
    int said = open_said();
    struct verifier_line *line = verifier_line_create(team->rec, m->child);
    verifier_line_prepare_forked(line);
    if (said < 0 || line->err) {
        if (said >= 0)
            close(said);
        verifier_line_destroy(line);
        refuse(team, m);
        return;
    }
    m->copy = verifier_team_add(team, line, m->family, said);
    m->state = COPIES;
    say_leave(m, true, said);
}

static void let_go(struct team_member *m)
{
    m->state = RUNS;
    say_plainly(m, CHANNEL_GO);
}

/* --- who goes on -------------------------------------------------------------------- */

static size_t running(const struct verifier_team *team)
{
    size_t n = 0;
    for (size_t i = 0; i < team->count; i++)
        n += team->members[i]->state == RUNS;
    return n;
}

/* Returns the youngest in this state that does not wait for another. */
static struct team_member *youngest(const struct verifier_team *team, enum team_member_state state)
{
    for (size_t i = team->count; i > 0; i--) {
        struct team_member *m = team->members[i - 1];
        if (m->state == state && !m->copy && !m->silent)
            return m;
    }
    return NULL;
}

/* Makes one more step towards `most` running members; false: there is none. */
static bool advance_one(struct verifier_team *team)
{
    size_t busy = running(team);
    struct team_member *asks = youngest(team, ASKS), *stands = youngest(team, STANDS);
    if (busy >= team->most)
        return false;
    if (asks && team->count < team->room)
        give_leave(team, asks);
    else if (stands)
        let_go(stands);
    else if (asks && busy == 0)
        refuse(team, asks);
    else
        return false;
    return true;
}

bool verifier_team_has_room(const struct verifier_team *team)
{
    return team->count < team->most;
}

bool verifier_team_is_empty(const struct verifier_team *team)
{
    return team->count == 0;
}

/* --- listening ---------------------------------------------------------------------- */

static void hear_fork(struct verifier_team *team, struct team_member *m,
                      const struct channel_fork *fork)
{
    if (team->host->forks(team->host->context, m->line->track, fork->tick, fork->pc, &m->child))
        m->state = ASKS;
    else
        say_leave(m, false, -1);
}

/* An error is treated as the end of the copy, and handled with the ends of others. */
static void hear_forked(struct verifier_team *team, struct team_member *m,
                        const struct channel_forked *forked)
{
    struct team_member *copy = m->copy;
    m->state = forked->error ? RUNS : STANDS;
    if (copy) {
        copy->pid = (pid_t)forked->pid;
        copy->gone = forked->error;
    }
    team->someone_ended = true; /* it may have ended before its pid was known */
}

static void hear_ready(struct verifier_team *team, struct team_member *m)
{
    m->ready = true;
    forget_copy(team, m);
}

/* False: there was no message. */
static bool hear_line(struct verifier_team *team, struct team_member *m)
{
    union packet packet;
    if (m->silent || verifier_line_socket(m->line) < 0)
        return false;
    enum packet_result result = verifier_line_hear(m->line, &packet);
    m->silent = result == PACKET_CLOSED;
    if (m->line->err && m->pid > 0 && !m->gone)
        kill(m->pid, SIGKILL); /* the replay has failed */
    if (result != PACKET_GOT)
        return result == PACKET_MALFORMED;
    if (packet.message.kind == CHANNEL_FORK && m->state == RUNS)
        hear_fork(team, m, &packet.fork);
    else if (packet.message.kind == CHANNEL_FORKED && m->state == COPIES)
        hear_forked(team, m, &packet.forked);
    else if (packet.message.kind == CHANNEL_READY)
        hear_ready(team, m);
    return true;
}

/* A copy is recognized by its pid, or by the member that waits for it. */
static bool is_from(const struct verifier_team *team, const struct team_member *m,
                    const struct channel_hello *hello)
{
    const struct team_member *maker = maker_of(team, m);
    if (verifier_line_socket(m->line) >= 0)
        return false;
    return m->pid == (pid_t)hello->pid || (maker && maker->line->track == hello->parent);
}

static struct team_member *who_says(const struct verifier_team *team,
                                    const struct team_family *family,
                                    const struct channel_hello *hello)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->members[i]->family == family && is_from(team, team->members[i], hello))
            return team->members[i];
    return NULL;
}

static void hear_hello(struct verifier_team *team, struct team_family *family,
                       const struct channel_hello *hello, int fd)
{
    struct team_member *m = who_says(team, family, hello);
    if (!m) {
        close(fd);
        return;
    }
    m->pid = (pid_t)hello->pid;
    verifier_line_welcome(m->line, hello, fd, CHANNEL_TREE);
    if (m->line->err)
        kill(m->pid, SIGKILL);
    team->someone_ended = true;
}

static void verifier_team_hear_shared(struct verifier_team *team, struct team_family *family)
{
    union packet packet;
    int fd;
    enum packet_result result = packet_receive(family->shared, &packet, &fd);
    if (result == PACKET_CLOSED) {
        close(family->shared);
        family->shared = -1;
    } else if (result == PACKET_GOT && packet.message.kind == CHANNEL_HELLO && fd >= 0) {
        hear_hello(team, family, &packet.hello, fd);
    } else if (fd >= 0) {
        close(fd);
    }
}

/* --- ends --------------------------------------------------------------------------- */

/* The process has ended, or never existed. */
static void verifier_team_end(struct verifier_team *team, struct team_member *m)
{
    const struct verifier_team_host *host = team->host;
    while (hear_line(team, m)) {
        /* messages sent before it ended */
    }
    if (m->state == ASKS)
        host->lost(host->context, m->child);
    if (m->copy && !m->copy->pid)
        m->copy->gone = true; /* it can no longer be known whether the copy was made */
    struct verifier_line *line = m->line;
    bool begun = m->ready;
    char *said = NULL;
    if (line->errors < 0)
        said = take_said(m->said);
    else
        close(m->said);
    verifier_team_drop(team, m);
    verifier_line_close(line);
    if (begun) {
        host->ended(host->context, line, said);
        return;
    }
    host->lost(host->context, line->track);
    verifier_line_destroy(line);
    free(said);
}

static bool has_ended(struct team_member *m)
{
    if (m->pid > 0 && waitpid(m->pid, &m->line->wait_status, WNOHANG) == m->pid)
        m->gone = true;
    return m->gone;
}

/* NULL: there is none. */
static struct team_member *find_ended(struct verifier_team *team)
{
    for (size_t i = 0; i < team->count; i++)
        if (has_ended(team->members[i]))
            return team->members[i];
    return NULL;
}

static void verifier_team_reap(struct verifier_team *team)
{
    struct signalfd_siginfo info;
    while (read(team->children, &info, sizeof info) == sizeof info)
        team->someone_ended = true;
    if (!team->someone_ended)
        return;
    team->someone_ended = false;
    for (struct team_member *m; (m = find_ended(team));)
        verifier_team_end(team, m);
}

/* --- a turn ------------------------------------------------------------------------- */

/* True for the oldest member of a family, so that each family is polled once. */
static bool is_oldest(const struct verifier_team *team, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (team->members[i]->family == team->members[which]->family)
            return false;
    return true;
}

static struct pollfd awaited(int fd)
{
    return (struct pollfd){.fd = fd, .events = POLLIN};
}

/* Polls two descriptors for each member: its line, and the shared one of its family, unless that
 * was added already. */
static void poll_all(struct verifier_team *team)
{
    for (size_t i = 0; i < team->count; i++) {
        const struct team_member *m = team->members[i];
        team->polls[2 * i] = awaited(m->silent ? -1 : verifier_line_socket(m->line));
        team->polls[2 * i + 1] = awaited(is_oldest(team, i) ? m->family->shared : -1);
    }
    team->polls[2 * team->count] = awaited(team->children);
    if (poll(team->polls, 2 * team->count + 1, -1) < 0)
        memset(team->polls, 0, (2 * team->count + 1) * sizeof *team->polls);
}

static void check_members(const struct verifier_team *team)
{
    for (size_t i = 0; i < team->count; i++) {
        const struct team_member *m = team->members[i];
        bool waits = m->state == COPIES || m->state == STANDS;
        invariant(1, !m->copy || (waits && !m->copy->ready));
        invariant(2, i == 0 || team->members[i - 1]->number < m->number);
    }
}

/* Members are added and removed only at the end of the turn, not while lines are read. */
void verifier_team_turn(struct verifier_team *team)
{
    while (advance_one(team)) {
        /* as long as there are places */
    }
    poll_all(team);
    for (size_t i = 0; i < team->count; i++) {
        if (team->polls[2 * i].revents)
            hear_line(team, team->members[i]);
        if (team->polls[2 * i + 1].revents)
            verifier_team_hear_shared(team, team->members[i]->family);
    }
    verifier_team_reap(team);
    check_members(team);
}
