/* A second client of the recorder and the verifier: it knows recorder.h and verifier.h, and nothing
 * of the command line.
 *
 * The recorded program is this one with a word as its argument (`guests` below).  Each case is a
 * process, since a recorder takes over signals for good.  What the process prints goes to a file,
 * which must contain what the recorded program prints, and nothing else.
 *
 * unit: src/recorder/*.c src/verifier/*.c src/log/*.c src/base/*.c -pthread -lzstd
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/types.h"
#include "base/xalloc.h"
#include "log/writer.h"
#include "recorder/recorder.h"
#include "verifier/verifier.h"

enum { TRACKS = 3, LINES = 200, GATE = 77, NO_ENGINE = 42 };

static char self[PATH_MAX], scratch[PATH_MAX];
static char *engine;
static int printed = -1; /* the file that stands in for stdout and stderr */

/* --- what is recorded ---------------------------------------------------------------- */

static int guest_family(void)
{
    for (int i = 0; i < TRACKS - 1; i++) {
        if (fork() == 0)
            _exit(3);
        wait(NULL);
    }
    return write(1, "guest\n", 6) == 6 ? 7 : 1;
}

static int guest_success(void)
{
    return 0;
}

/* Waits until the gate is closed, then writes more to the log than there is room for. */
static int guest_large(void)
{
    char bytes[4096];
    int random = open("/dev/urandom", O_RDONLY);
    if (read(GATE, bytes, 1) != 0)
        return 1;
    for (int i = 0; i < 256; i++)
        if (read(random, bytes, sizeof bytes) < 0)
            return 1;
    return 5;
}

static int guest_killer(void)
{
    kill(0, SIGKILL);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} guests[] = {
    {"family", guest_family},
    {"success", guest_success},
    {"large", guest_large},
    {"killer", guest_killer},
};

static int be_guest(const char *name)
{
    for (size_t i = 0; i < countof(guests); i++)
        if (strcmp(name, guests[i].name) == 0)
            return guests[i].run();
    return 99;
}

/* --- what cases share ---------------------------------------------------------------- */

static char why[4096]; /* what is wrong with the case; empty: nothing */

#define expect(condition, ...)                                     \
    do {                                                           \
        if (!(condition) && !*why)                                 \
            snprintf(why, sizeof why, __VA_ARGS__);                \
    } while (0)

static void hide_output(void)
{
    char *name = xformat("%s/printed", scratch);
    printed = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    free(name);
    dup2(printed, 1);
    dup2(printed, 2);
}

/* Compares the output since the last time. */
static void expect_output(const char *wanted)
{
    char text[1024] = "";
    ssize_t size = pread(printed, text, sizeof text - 1, 0);
    expect(size >= 0 && strcmp(text, wanted) == 0, "printed was '%s', not '%s'", text, wanted);
    if (ftruncate(printed, 0) < 0)
        expect(false, "the file of what is printed cannot be emptied");
}

/* What the recorder reported. */
struct heard {
    int failed, not_copied;
    char text[1024];
};

static void hear_failed(void *context, const struct recording *rec, const struct error *err)
{
    struct heard *heard = context;
    heard->failed++;
    snprintf(heard->text, sizeof heard->text, "%s: %s", rec->path, error_text(err));
}

static void hear_not_copied(void *context, const struct recording *rec, const char *path, int error)
{
    (void)rec;
    (void)path;
    (void)error;
    ((struct heard *)context)->not_copied++;
}

struct trial {
    char *guest[3], *output;
    struct engine_start start;
    struct recorder_job job;
    struct heard heard;
    struct recorder_host host;
    struct recorder *recorder;
    struct recorder_outcome outcome;
};

static struct error *trial_start(struct trial *t, const char *guest, const char *output)
{
    t->guest[0] = "guest";
    t->guest[1] = (char *)guest;
    t->output = xformat("%s/%s", scratch, output);
    t->start = (struct engine_start){engine, "", self, 2, t->guest};
    t->job.start = &t->start;
    t->job.output = t->output;
    t->host = (struct recorder_host){hear_failed, hear_not_copied, NULL, &t->heard};
    return recorder_start(&t->job, &t->host, &t->recorder);
}

static void trial_complete(struct trial *t)
{
    while (!recorder_is_over(t->recorder))
        recorder_turn(t->recorder, -1);
    recorder_finish(t->recorder, &t->outcome);
    expect(!t->outcome.err, "the recording is not removed: %s", error_text(t->outcome.err));
}

/* The most common case: a family, recorded to `output`. */
static bool trial_record(struct trial *t, const char *guest, const char *output)
{
    struct error *err = trial_start(t, guest, output);
    expect(!err, "not started: %s", error_text(err));
    if (!err)
        trial_complete(t);
    return !err;
}

static void expect_result(const struct trial *t, enum recorder_result result, int wait_status)
{
    expect(t->outcome.result == result, "the result is %d, not %d", t->outcome.result, result);
    expect(t->outcome.wait_status == wait_status, "the program ended with 0x%x, not 0x%x",
           t->outcome.wait_status, wait_status);
}

/* What the verifier reported. */
struct verdicts {
    size_t count;
    struct {
        u32 track, ancestor;
        enum verifier_result result;
        char text[2 * LINES];
    } of[TRACKS + 1];
};

static void hear_outcome(void *context, const struct verifier_outcome *o)
{
    struct verdicts *v = context;
    if (v->count > TRACKS)
        return;
    v->of[v->count].track = o->track;
    v->of[v->count].ancestor = o->ancestor;
    v->of[v->count].result = o->result;
    if (o->result == VERIFIER_DIVERGED)
        snprintf(v->of[v->count].text, 2 * LINES, "%s / %s", o->recorded, o->happened);
    if (o->err)
        snprintf(v->of[v->count].text, 2 * LINES, "%s", error_text(o->err));
    v->count++;
}

/* Checks the verdicts on all tracks of a recording. */
static void expect_verdicts(const char *path, const enum verifier_result *wanted)
{
    struct verdicts v = {0};
    struct recording *rec;
    u32 *tracks;
    size_t count;
    struct error *err = recording_open(path, &rec);
    if (!err)
        err = recording_tracks(rec, &tracks, &count);
    expect(!err, "%s", error_text(err));
    if (err)
        return;
    verifier_replay_all(rec, tracks, count, "", hear_outcome, &v);
    expect(v.count == TRACKS, "there are %zu verdicts, not %d", v.count, TRACKS);
    for (size_t i = 0; i < v.count && !*why; i++) {
        expect(v.of[i].track == i, "verdict %zu is on track %u", i, v.of[i].track);
        expect(v.of[i].result == wanted[i], "track %zu is %d, not %d: %s", i, v.of[i].result,
               wanted[i], v.of[i].text);
        bool has_text = v.of[i].result == VERIFIER_DIVERGED || v.of[i].result == VERIFIER_UNREADABLE;
        expect(has_text == (*v.of[i].text != 0), "track %zu: '%s'", i, v.of[i].text);
        if (v.of[i].result == VERIFIER_NOT_REACHED)
            expect(v.of[i].ancestor == 0, "track %zu comes from %u", i, v.of[i].ancestor);
    }
    free(tracks);
    recording_destroy(rec);
}

/* --- recording ----------------------------------------------------------------------- */

static void record_and_verify(void)
{
    struct trial t = {0};
    if (!trial_record(&t, "family", "family"))
        return;
    expect_result(&t, RECORDER_KEPT, 7 << 8);
    expect_output("guest\n");
    expect(!t.outcome.failed && !t.heard.failed, "it failed: %s", t.heard.text);
    expect(t.outcome.events > 10, "there are %llu events", (unsigned long long)t.outcome.events);
    expect(!t.outcome.limit, "a limit: %s", t.outcome.limit);
    expect(recorder_stored(t.recorder) > 0, "nothing is stored");
    const struct recording_meta *meta = &recorder_recording(t.recorder)->meta;
    expect(meta->state == RECORDING_ENDED && meta->status == 7 && meta->tracks == TRACKS,
           "the meta file says %d, %d, %u", meta->state, meta->status, meta->tracks);
    recorder_destroy(t.recorder);

    expect_verdicts(t.output, (enum verifier_result[TRACKS]){VERIFIER_REPRODUCED});
    expect_output("");

    struct verdicts v = {0};
    struct recording *rec;
    struct error *err = recording_open(t.output, &rec);
    expect(!err, "%s", error_text(err));
    verifier_replay_track(rec, 0, "", hear_outcome, &v);
    expect(v.count == 1 && v.of[0].track == 0 && v.of[0].result == VERIFIER_REPRODUCED,
           "track 0 by itself is %d: %s", v.of[0].result, v.of[0].text);
    expect_output("guest\n");
    recording_destroy(rec);
}

static void leave_no_success(void)
{
    struct trial t = {.job.only_if_failed = true};
    if (!trial_record(&t, "success", "success"))
        return;
    expect_result(&t, RECORDER_REMOVED, 0);
    expect(access(t.output, F_OK) < 0, "it is still there");
    recorder_destroy(t.recorder);
    expect_output("");

    struct trial again = {.job.only_if_failed = true};
    if (!trial_record(&again, "family", "kept"))
        return;
    expect_result(&again, RECORDER_KEPT, 7 << 8);
    expect(access(again.output, F_OK) == 0, "it is not there");
}

static void refuse_what_is_there(void)
{
    struct trial t = {0};
    char *taken = xformat("%s/taken", scratch), *file = xformat("%s/file", taken);
    mkdir(taken, 0700);
    close(open(file, O_WRONLY | O_CREAT, 0600));
    struct error *err = trial_start(&t, "family", "taken");
    expect(err != NULL, "it is started");
    expect(err && strstr(error_text(err), "cannot record") && strstr(error_text(err), "taken"),
           "it says: %s", error_text(err));
    expect(access(file, F_OK) == 0, "what was there is gone");
    expect_output("");
}

/* Makes the gate for the large guest; returns the descriptor that closes it. */
static int make_gate(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        exit(2);
    dup2(ends[0], GATE);
    close(ends[0]);
    return ends[1];
}

/* When the first track exists, takes away the room for more. */
static void trial_starve(struct trial *t, int gate)
{
    struct rlimit limit = {64 << 10, 64 << 10};
    while (!recorder_stored(t->recorder) && !recorder_is_over(t->recorder))
        recorder_turn(t->recorder, -1);
    setrlimit(RLIMIT_FSIZE, &limit);
    close(gate);
    trial_complete(t);
    expect_result(t, RECORDER_KEPT, 5 << 8);
    expect(t->outcome.failed, "it did not fail");
    expect(recorder_recording(t->recorder)->meta.state == RECORDING_CUT, "it is not cut");
    expect_output("");
}

static void tell_that_it_fails(void)
{
    struct trial t = {0};
    int gate = make_gate();
    struct error *err = trial_start(&t, "large", "large");
    expect(!err, "not started: %s", error_text(err));
    if (err)
        return;
    trial_starve(&t, gate);
    expect(t.heard.failed == 1, "told %d times", t.heard.failed);
    expect(strstr(t.heard.text, t.output) && strstr(t.heard.text, strerror(EFBIG)),
           "it says: %s", t.heard.text);
}

/* The second recorder of a process, with a host without functions. */
static void fail_with_nobody_to_tell(void)
{
    struct trial t = {0};
    struct recorder_host nobody = {0};
    int gate = make_gate();
    if (!trial_record(&t, "success", "first"))
        return;
    recorder_destroy(t.recorder);
    t.guest[1] = "large";
    t.job.output = xformat("%s/second", scratch);
    struct error *err = recorder_start(&t.job, &nobody, &t.recorder);
    expect(!err, "a second recorder is not started: %s", error_text(err));
    if (!err)
        trial_starve(&t, gate);
}

/* The program kills its whole group: the front ends, the recording is complete. */
static void survive_the_group(void)
{
    int said[2], status;
    if (pipe2(said, O_CLOEXEC) < 0)
        exit(2);
    pid_t front = fork();
    if (front == 0) {
        struct recorder_front divided;
        struct trial t = {.job.front = &divided};
        setpgid(0, 0);
        if (!recorder_front_divide(&divided, &status))
            _exit(98);
        if (trial_record(&t, "killer", "killer"))
            expect_result(&t, RECORDER_KEPT, SIGKILL);
        const char *text = *why ? why : "good";
        if (write(said[1], text, strlen(text)) < 0)
            _exit(97);
        _exit(0);
    }
    close(said[1]);
    waitpid(front, &status, 0);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the front ended with 0x%x", status);
    char text[sizeof why] = "";
    if (read(said[0], text, sizeof text - 1) <= 0)
        expect(false, "the recorder is gone");
    expect(strcmp(text, "good") == 0, "the recorder says: %s", text);
    expect_output("");
}

/* No process sends a hello: there is nothing to keep. */
static void find_nothing(void)
{
    struct trial t = {0};
    engine = self;
    if (!trial_record(&t, "family", "nothing"))
        return;
    expect_result(&t, RECORDER_NOTHING, NO_ENGINE << 8);
    expect(access(t.output, F_OK) < 0, "it is still there");
    expect(!t.outcome.failed && !t.heard.failed, "it failed: %s", t.heard.text);
    expect_output("");
}

/* --- verifying ----------------------------------------------------------------------- */

/* The fork with which a track begins belongs to its parent. */
static bool is_own_call(const struct event *e, const struct format_file *header)
{
    return e->kind == EVENT_SYSCALL && e->hash && e->pc != header->parent_pc;
}

/* Changes the registers of a track's first call; all checksums are right. */
static struct error *tamper(const struct recording *rec, u32 track)
{
    char *name = recording_track_name(track), *old = xformat("%s.old", name);
    struct reader *reader;
    struct writer *writer;
    const struct event *e;
    bool changed = false;
    renameat(rec->dir, name, rec->dir, old);
    struct error *err = reader_open(rec->dir, old, &reader);
    if (!err)
        err = writer_open(rec->dir, name, reader_header(reader), &writer);
    if (err)
        return err;
    while (!(err = reader_next(reader, &e)) && e) {
        struct event *copy = (struct event *)writer_room(writer);
        memcpy(copy, e, e->size);
        if (!changed && is_own_call(e, reader_header(reader))) {
            copy->hash++;
            changed = true;
        }
        if ((err = writer_commit(writer, e->size, false)))
            break;
    }
    reader_close(reader);
    if (!err)
        err = writer_close(writer);
    unlinkat(rec->dir, old, 0);
    return err ? err : changed ? NULL : error_new("no call has a hash");
}

static struct error *turn_over_a_bit(const struct recording *rec, u32 track)
{
    char *name = recording_track_name(track);
    int fd = openat(rec->dir, name, O_RDWR);
    u8 byte;
    off_t at = sizeof(struct format_file) + sizeof(struct format_chunk) + 20;
    if (fd < 0 || pread(fd, &byte, 1, at) != 1)
        return error_errno(errno, "reading %s", name);
    byte ^= 16;
    return pwrite(fd, &byte, 1, at) == 1 ? NULL : error_errno(errno, "writing %s", name);
}

static void verify_spoiled(const char *output, u32 track,
                           struct error *(*spoil)(const struct recording *rec, u32 track),
                           const enum verifier_result *wanted)
{
    struct trial t = {0};
    if (!trial_record(&t, "family", output))
        return;
    expect_output("guest\n");
    struct error *err = spoil(recorder_recording(t.recorder), track);
    expect(!err, "%s", error_text(err));
    expect_verdicts(t.output, wanted);
    expect_output("");
}

static void verify_changed(void)
{
    verify_spoiled("changed", 0, tamper, (enum verifier_result[TRACKS]){
        VERIFIER_DIVERGED, VERIFIER_NOT_REACHED, VERIFIER_NOT_REACHED});
}

static void verify_changed_child(void)
{
    verify_spoiled("changed child", 1, tamper, (enum verifier_result[TRACKS]){
        VERIFIER_REPRODUCED, VERIFIER_DIVERGED, VERIFIER_REPRODUCED});
}

static void verify_damaged(void)
{
    verify_spoiled("damaged", 1, turn_over_a_bit, (enum verifier_result[TRACKS]){
        VERIFIER_REPRODUCED, VERIFIER_UNREADABLE, VERIFIER_REPRODUCED});
}

/* --- cases --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"a run is recorded and verified", record_and_verify},
    {"a run that did not fail is removed", leave_no_success},
    {"what is there already is refused", refuse_what_is_there},
    {"a failure is told once", tell_that_it_fails},
    {"a failure with nobody to tell", fail_with_nobody_to_tell},
    {"a program that kills its group", survive_the_group},
    {"an engine that says no hello", find_nothing},
    {"a changed track differs, and its children are not reached", verify_changed},
    {"a changed child differs alone", verify_changed_child},
    {"a damaged track is told", verify_damaged},
};

static void run_case(size_t i)
{
    int said[2], status;
    char text[sizeof why] = "";
    if (pipe2(said, O_CLOEXEC) < 0)
        exit(2);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        hide_output();
        cases[i].run();
        if (write(said[1], why, strlen(why)) < 0)
            _exit(2);
        _exit(*why != 0);
    }
    close(said[1]);
    if (read(said[0], text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(said[0]);
    waitpid(pid, &status, 0);
    if (status == 0)
        printf("ok recorder: %s\n", cases[i].name);
    else
        printf("FAIL recorder: %s: %s (status 0x%x)\n", cases[i].name, text, status);
}

/* The verifier looks for the engine next to the program that it is part of. */
static void place_engine(void)
{
    char *beside = xformat("%s", self), *name;
    strcpy(strrchr(beside, '/'), "");
    name = xformat("%s/ebb-engine", beside);
    if (symlink(engine, name) < 0 && errno != EEXIST)
        exit(2);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return be_guest(argv[1]);
    if (argc > 2) /* started as an engine */
        return NO_ENGINE;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    engine = getenv("EBB_ENGINE");
    if (length <= 0 || !engine || access(engine, X_OK) < 0) {
        printf("skip recorder: EBB_ENGINE names no engine\n");
        return 0;
    }
    snprintf(scratch, sizeof scratch, "%s-XXXXXX", self);
    if (!mkdtemp(scratch))
        return 2;
    place_engine();
    for (size_t i = 0; i < countof(cases); i++)
        run_case(i);
    return 0;
}
