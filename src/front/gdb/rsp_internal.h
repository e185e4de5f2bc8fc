/* The server of one client: its state, and what the files rsp*.c share.
 *
 * A packet is handled by a function that adds its answer to r->reply; an empty reply means that the
 * packet is not known. For the client threads have their ids in the recording, for the session
 * their ordinals.
 *
 * Invariants
 *   (1) r->session is set from rsp_serve on; r->attached tells whether the client may use it.
 *   (2) r->threads is NULL or lists the threads of the current moment.
 */
#ifndef FRONT_RSP_INTERNAL_H
#define FRONT_RSP_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "debug/debug.h"
#include "front/gdb/link.h"
#include "front/gdb/reply.h"
#include "front/gdb/rsp.h"
#include "log/recording.h"

/* Types of the client's breakpoints. The first are the protocol's Z0 to Z4. */
enum rsp_breakpoint_type {
    BREAKPOINT_SOFT,
    BREAKPOINT_HARD,
    BREAKPOINT_WRITE,
    BREAKPOINT_READ,
    BREAKPOINT_ACCESS,
    BREAKPOINT_Z_TYPES,
    BREAKPOINT_CALL = BREAKPOINT_Z_TYPES,
    BREAKPOINT_RETURN,
    BREAKPOINT_SIGNAL,
    BREAKPOINT_FORK,
};

struct interpreter;

struct rsp_lent {
    struct rsp_lent *next;
    u64 address, size;
    u8 bytes[];
};

struct rsp_process; /* a process that the client knows besides the current one: rsp_processes.c */

enum { RSP_FILES_MOST = 64, RSP_SIGNALS = 65, RSP_AHEAD_MOST = 16 };

/* Threads that were stepped while all others were stopped: see rsp_ahead.c. */
struct rsp_ahead {
    bool shown;                 /* the last movement was such a step */
    enum session_direction direction;
    struct moment from;         /* the moment at which the client sees the other threads */
    u64 event;                  /* event number where the last step began */
    u8 *vector;                 /* returned by rsp_ahead_registers */
    u32 count;
    struct rsp_ahead_step {
        u32 thread;
        struct moment at;
    } steps[RSP_AHEAD_MOST];
};

/* What the client's command steps by, and the line that it is in: see rsp_lines.c. */
enum { LINES_NONE, LINES_INTO_CALLS, LINES_OVER_CALLS };
struct rsp_lines {
    u32 kind;
    struct list ranges;        /* struct session_range */
    struct session_range line; /* that the client has begun to step in, and how often */
    u32 seen;
    bool usable;               /* its instructions were looked at: */
    struct list calls;         /* struct instruction */
};

/* Facts from the log of a track, found by one walk over its events. */
struct rsp_facts {
    bool signal_came[RSP_SIGNALS];
    bool forked;         /* it was forked from `parent`, by the system call at `birth` */
    u32 parent;
    struct moment birth;
    bool forks, execs;
    u32 *vforks; /* pids of children of vfork */
    size_t vfork_count;
    u32 vfork_begun; /* during the walk: the thread in a vfork, plus 1 */
    bool files_changed; /* a mapped file has been replaced since */
    u32 ppid, uid, gid;
    char *arguments, *environment, *directory; /* lists of null-terminated strings */
    char *mapped; /* names of files, likewise */
    size_t arguments_size, environment_size, mapped_size;
};

struct rsp {
    struct recording *rec;
    struct session *session;
    struct client_link *link;
    struct reply reply;
    const char *end;        /* end of the current packet */
    bool attached, over;
    bool is_lldb;           /* uses the kernel's signal numbers, appends threads to packets */
    bool is_gdb;
    bool hides_pid;         /* another process of this machine has the same pid */
    bool multiprocess, swbreak, hwbreak, fork_events, vfork_events, exec_events;
    bool lists_threads;     /* stop replies name all threads */
    bool binary_upload;     /* answers to `x` begin with a letter, as in gdb 16 */
    u32 general, resumed;   /* ordinals set by H; CONTROL_THREAD_ANY: the one that runs */
    u32 selected;           /* the thread that steps if the client names none; likewise */
    struct rsp_ahead ahead;
    struct rsp_lines lines;
    bool backward;          /* the client's movements go backward: see monitor direction */
    bool tells_stops;       /* the client reports when a command of its user has ended */
    u32 phantom;            /* pid of a forked process that exists only for the client, 0: none */
    bool in_phantom;        /* H selected it */
    bool vfork_due;         /* the end of a vfork must be reported before its parent continues */
    bool begins_program;    /* a child of vfork has executed its program, which must be reported */
    bool before_fork;       /* forked track: the client was told that this is before the fork */
    struct rsp_process *others;
    struct control_thread *threads;
    size_t thread_count;
    struct moment threads_at; /* the moment of `threads` */
    struct list sites;        /* struct debug_site: the client's breakpoints */
    bool pass[RSP_SIGNALS]; /* signals that do not stop, by kernel number */
    struct session_stop stop; /* how the last movement ended */
    u32 stop_thread;        /* the thread that stopped; CONTROL_THREAD_ANY: the one that runs */
    bool stop_is_movement, stop_repeats_end;
    u32 stop_signal;        /* signal of the copy that was run; 0: none */
    struct control_registers original; /* the registers before the copy was made */
    bool has_original;
    /* a call in the copy: the stack address of its return address, and the original value */
    u64 call_slot, call_back;
    struct rsp_facts facts;
    struct interpreter *model; /* rsp_model.c; NULL: not used yet */
    u32 model_frame;        /* frame that the client has selected, for the next command */
    struct moment model_stood; /* where the user last saw a stop */
    struct rsp_lent *lent;  /* memory that only the client uses */
    struct { int fd; char *bytes; size_t size; bool used; } files[RSP_FILES_MOST];
    struct reply document;  /* the document of qXfer that is being read */
    u32 document_which;     /* its number from 1; 0: none */
    double opening_since;   /* seconds; progress is shown as long as there is no client */
    bool opening_shown;
    u64 tls_module_at;      /* offset of the module's number in a link map; 0: not known */
};

/* rsp.c */
void rsp_error(struct rsp *r, struct error *err); /* answers with the error, and destroys it */
void rsp_fail(struct rsp *r, int number);
void rsp_ok(struct rsp *r);
/* prints on the client's console, before a stop reply */
void rsp_say(struct rsp *r, const char *text);
void rsp_say_bytes(struct rsp *r, const char *bytes, size_t size);
bool rsp_starts(const char *text, const char *with, const char **rest);
struct error *rsp_choose_track(struct rsp *r, u32 track, bool at_start);
struct error *rsp_open_track(struct rsp *r, u32 track, bool at_start, struct session **ret,
                             struct rsp_facts *ret_facts);

/* rsp_processes.c */
bool rsp_processes_before(struct rsp *r, const char *packet); /* true: it has been handled */
bool rsp_processes_has(struct rsp *r, u32 pid); /* true for a process other than the current one */
void rsp_processes_keep(struct rsp *r);
bool rsp_processes_pass_fork(struct rsp *r, bool step); /* true: the movement must continue */
bool rsp_processes_let_go(struct rsp *r, u32 pid, struct error **ret); /* true: others are left */
void rsp_processes_clear(struct rsp *r);
void rsp_processes_threads(struct rsp *r, struct reply *to, bool xml); /* adds theirs */
/* Called when a movement has come to the end of its program by an exec, or to its beginning. *ret:
 * another program was entered, and reported. */
struct error *rsp_processes_follow_exec(struct rsp *r, enum session_direction direction, bool *ret);

/* rsp_facts.c */
struct error *rsp_facts_read(const struct recording *rec, u32 track, struct rsp_facts *ret);
void rsp_facts_deinit(struct rsp_facts *f);
/* rsp_facts_exec: the track with which the process of `track` continued after an exec, or
 * TRACK_NONE. rsp_facts_child: the track that was forked from it as `pid`. */
u32 rsp_facts_exec(const struct recording *rec, u32 track);
u32 rsp_facts_child(const struct recording *rec, u32 track, u32 pid);
/* Finds the track whose program executed this one's, and its pid; false: none did. */
bool rsp_facts_executed_by(const struct recording *rec, u32 track, u32 *ret, u32 *ret_pid);
bool rsp_facts_is_vfork(const struct rsp_facts *f, u32 pid);

/* rsp_threads.c */
struct error *rsp_threads_know(struct rsp *r);
void rsp_threads_forget(struct rsp *r);
u32 rsp_threads_tid(struct rsp *r, u32 ordinal);
/* Parses a thread: `p1.2`, `2`, `-1`, `0`. *pid is 0 if there is none; all or any is
 * CONTROL_THREAD_ANY. */
bool rsp_threads_parse(struct rsp *r, const char **at, u32 *ret_pid, u32 *ret_ordinal,
                       bool *ret_known);
void rsp_threads_name(struct rsp *r, struct reply *to, u32 tid);
void rsp_select(struct rsp *r, const char *args);
void rsp_alive(struct rsp *r, const char *args);
void rsp_threads_list(struct rsp *r, struct reply *to); /* "p1.2,p1.3" */
void rsp_threads_document(struct rsp *r, struct reply *to);
void rsp_threads_label(struct rsp *r, const char *args);
void rsp_threads_current(struct rsp *r);
void rsp_threads_tls(struct rsp *r, const char *args);
void rsp_threads_symbol(struct rsp *r, const char *args);

void rsp_threads_selected(struct rsp *r, const char *args);

/* rsp_registers.c */
void rsp_read_registers(struct rsp *r, const char *args);
void rsp_write_registers(struct rsp *r, const char *args);
void rsp_read_register(struct rsp *r, const char *args);
void rsp_write_register(struct rsp *r, const char *args);
void rsp_registers_expedite(struct rsp *r, struct reply *to, u32 ordinal);
void rsp_registers_document(struct rsp *r, struct reply *to);
/* True if the registers are those from when the copy was made. */
bool rsp_registers_original(struct rsp *r);

/* rsp_memory.c */
void rsp_read_memory(struct rsp *r, const char *args);
void rsp_read_binary(struct rsp *r, const char *args);
void rsp_write_memory(struct rsp *r, const char *args);
void rsp_write_binary(struct rsp *r, const char *args);
void rsp_search(struct rsp *r, const char *args);
void rsp_check_sum(struct rsp *r, const char *args);
struct error *rsp_write(struct rsp *r, u64 address, const void *from, size_t size);
struct error *rsp_keep_original(struct rsp *r);

struct error *rsp_read(struct rsp *r, u64 address, void *to, size_t size, size_t *ret);

/* rsp_lent.c: true if the address is in the client's memory. */
void rsp_lend(struct rsp *r, const char *args);
void rsp_take_back(struct rsp *r, const char *args);
bool rsp_lent_read(const struct rsp *r, u64 address, void *to, size_t size, size_t *ret);
bool rsp_lent_write(struct rsp *r, u64 address, const void *from, size_t size);
struct error *rsp_lent_enter(struct rsp *r); /* before a copy runs, and after it */
void rsp_lent_leave(struct rsp *r);
void rsp_lent_deinit(struct rsp *r);

/* rsp_breakpoints.c */
void rsp_insert_breakpoint(struct rsp *r, const char *args);
void rsp_remove_breakpoint(struct rsp *r, const char *args);
void rsp_catch_calls(struct rsp *r, const char *args);
void rsp_pass_signals(struct rsp *r, const char *args);
void rsp_breakpoints_default_signals(struct rsp *r);
/* sets the wanted breakpoints */
struct error *rsp_breakpoints_settle(struct rsp *r, bool signals);
/* another program is entered: its addresses mean nothing there */
void rsp_breakpoints_leave_code(struct rsp *r);

/* rsp_ahead.c: called around a step of one thread while all others are stopped. */
struct error *rsp_ahead_begin(struct rsp *r, enum session_direction direction, u32 thread);
void rsp_ahead_end(struct rsp *r, u32 thread);
/* rsp_ahead_rejoin goes to where a movement of all threads begins. rsp_ahead_knows is true if the
 * client has already seen the stop. rsp_ahead_settle updates the steps after the movement. */
struct error *rsp_ahead_rejoin(struct rsp *r, enum session_direction direction);
bool rsp_ahead_knows(struct rsp *r, const struct session_stop *stop);
void rsp_ahead_settle(struct rsp *r);
void rsp_ahead_forget(struct rsp *r);
/* Returns registers and threads as the client sees them. */
struct error *rsp_ahead_registers(struct rsp *r, u32 thread, struct control_registers *ret,
                                  const u8 **vector);
bool rsp_ahead_find_tid(struct rsp *r, u64 tid, u32 *ret_ordinal);

/* rsp_lines.c: loops on one line.  *ret_made: several steps were made at once; r->stop has the
 * end. */
struct error *rsp_lines_step(struct rsp *r, enum session_direction direction, u32 thread,
                             struct session_range range, bool *ret_made);
void rsp_lines_tell(struct rsp *r, const char *args);
void rsp_lines_forget(struct rsp *r);

/* rsp_resume.c */
void rsp_continue(struct rsp *r, const char *args);
void rsp_step(struct rsp *r, const char *args);
void rsp_backward(struct rsp *r, const char *args);
void rsp_vcont(struct rsp *r, const char *args);
/* Called after a movement that was not requested by a packet. */
void rsp_moved(struct rsp *r);

/* rsp_call.c: called around a run of the copy. True: rsp_call_finish must be called, with the
 * number. */
bool rsp_call_prepare(struct rsp *r, u32 *ret);
struct error *rsp_call_finish(struct rsp *r, u32 number);
void rsp_call_show_output(struct rsp *r); /* prints the copy's output on the client's console */

/* rsp_stop.c */
void rsp_stop_reply(struct rsp *r);

/* rsp_query.c */
void rsp_query(struct rsp *r, const char *args);
void rsp_set(struct rsp *r, const char *args);

/* rsp_document.c */
void rsp_document(struct rsp *r, const char *args);

/* rsp_files.c */
void rsp_file(struct rsp *r, const char *args);
void rsp_files_close(struct rsp *r);

/* proc_text.c: makes the content of a file below /proc; false: there is no such file. */
bool proc_text(struct rsp *r, const char *path, struct reply *to);
bool proc_text_link(struct rsp *r, const char *path, struct reply *to);

/* rsp_monitor.c */
void rsp_monitor(struct rsp *r, const char *args);

/* rsp_model.c */
void rsp_model_deinit(struct rsp *r);
bool rsp_model_knows(const char *line);
struct error *rsp_model_obey(struct rsp *r, const char *line, struct reply *out, bool *ret_moved);
struct error *rsp_model_find_moment(struct rsp *r, const char *words, struct moment *ret);
struct error *rsp_model_symbols(struct rsp *r, struct symbols **ret);
void rsp_model_stopped(struct rsp *r, const char *args);
void rsp_model_frame(struct rsp *r, const char *args);
void rsp_model_moved(struct rsp *r, struct moment before);
struct error *rsp_model_undo(struct rsp *r, bool again);

/* rsp_lldb.c: true if it handled the packet. */
bool rsp_lldb(struct rsp *r, const char *packet);
u32 rsp_shown_pid(const struct rsp *r); /* the pid that the client sees */

/* signal_numbers.c: converts between the kernel's numbers and those of gdb's protocol. */
u32 signal_number_to_gdb(u32 signal);
u32 signal_number_of_gdb(u32 number);
const char *signal_number_name(u32 signal);

#endif
