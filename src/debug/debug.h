/* A debugger on a recording, without a user interface: what every front end shares.
 *
 * A client opens a recording, moves in it, asks what a stop was, evaluates expressions, and sets
 * and lists breakpoints, watchpoints, catchpoints, displays and bookmarks. The client decides how
 * all of this is typed, drawn or sent. This folder decides what it means. tests/debugger/client.c
 * is a client that was written from this header.
 *
 *   debug.c             opening a track, messages to the user
 *   debug_place.c       the current place: thread, frames, expressions in a frame
 *   debug_moves.c       movements, undo and redo
 *   debug_past.c        until without an argument, advance
 *   debug_marks.c       bookmarks, displays; what is saved with the recording
 *   debug_breakpoints.c breakpoints, and their locations in the session
 *   debug_break.c       making and changing breakpoints
 *   debug_watch.c       watchpoints; debug_follow.c: those that follow pointers
 *   debug_change.c      the values before and after a watchpoint's hit
 *   debug_stop.c        the reason of a stop, and the breakpoint that caused it
 *   debug_sites.c       breakpoints of a client that keeps its own list (gdb)
 *   debug_catch.c       catchpoints on system calls, signals, processes
 *   debug_panic.c       panics of Rust
 *   debug_goal.c        until and first: go to where a condition becomes true or a value changes
 *   debug_subject.c     expressions that are followed over time
 *   debug_cover.c       which part of the run an answer covers
 *   debug_output.c      what the program wrote, line by line
 *   debug_ask.c         questions over the whole run, and the rows of the last answer
 *   debug_profile.c     how often instructions and lines ran
 *   debug_signals.c     signals: names, which of them stop
 *   debug_call.c        assignments and calls in a copy of the process
 *   debug_motion.c      the progress of a movement, and interrupting it
 *   debug_history.c     all changes of a value, as rows
 *   debug_hits.c        every hit of a breakpoint; the entry of a frame
 *   debug_words.c       numbers, moments and words that users type
 *
 * Clients may read a struct debug, and change it through the functions below. The caller frees text
 * that a function returns. A movement that fails changes nothing.
 *
 * Invariants
 *   (1) d->session and d->source belong to the same track and are never NULL.
 *   (2) d->frames is NULL, or has the frames of d->thread at the current moment.
 *   (3) Breakpoint numbers are those that the user sees. Each breakpoint has locations, which are
 *       breakpoints of the session.
 */
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H

#include <regex.h>

#include "base/error.h"
#include "base/list.h"
#include "base/types.h"
#include "log/recording.h"
#include "query/ask.h"
#include "query/change_set.h"
#include "query/history.h"
#include "query/profile.h"
#include "query/subject.h"
#include "query/watch.h"
#include "session/movement.h"
#include "session/track_about.h"
#include "symbols/values.h"

struct debug;

/* --- opening ---------------------------------------------------------------------------------- */

/* The functions of a client that are called. Each may be NULL. */
struct debug_client {
    /* Gets a sentence for the user in the middle of an operation. It ends with a newline. */
    void (*say)(void *context, const char *bytes, size_t size);
    /* Called often during a long operation; d->motion says how far it has got. */
    void (*progress)(void *context, const struct session_progress *p);
    void (*moved)(void *context); /* a movement is over */
    /* Says which of several symbols with this name was taken. */
    void (*note)(void *context, const char *note);
    void *context;
};

/* Opens a track of `rec` at its end or its start. The caller keeps ownership of `rec`. */
struct error *debug_open(struct recording *rec, u32 track, bool at_start,
                         const struct debug_client *client, struct debug **ret);
/* Replaces the client's functions and returns the previous ones. */
struct debug_client debug_listen(struct debug *d, const struct debug_client *client);
/* Makes a debugger on a session that the front end already has and keeps. */
struct debug *debug_over(struct recording *rec, struct session *s,
                         const struct debug_client *client);
/* The borrowed session was replaced, or has moved without this debugger. */
void debug_use(struct debug *d, struct session *s);
void debug_close(struct debug *d); /* accepts NULL */
/* Goes to another track of the recording. Breakpoints are kept and apply there too, if their
 * locations exist. */
struct error *debug_open_track(struct debug *d, u32 track, bool at_start);
struct error *debug_check_track(struct debug *d, u64 track);

/* --- what stops a movement -------------------------------------------------------------------- */

enum debug_breakpoint_type {
    BREAK_CODE, BREAK_STORE, BREAK_LOAD, BREAK_ACCESS, BREAK_SYSCALL,
    BREAK_SIGNAL, BREAK_FORK, BREAK_EXEC, BREAK_EXIT,
};

/* One location of a breakpoint. */
struct debug_location {
    u64 address;
    u32 number; /* breakpoint number in the session; 0: not set now */
    u32 inside; /* number of functions inlined at this address into the breakpoint's function */
    enum watch_role role; /* for a watchpoint */
    bool is_return;       /* for a system call: the stop after the call */
};

struct debug_breakpoint {
    u32 number;
    u32 type;           /* enum debug_breakpoint_type */
    bool temporary, disabled, pending;
    u64 stops_left;     /* until it is disabled; 0: it never is */
    bool is_panic;      /* made by `catch panic` */
    bool checks_here;   /* the condition could not be compiled: it is evaluated at each stop */
    bool has_failed;    /* the condition could not be evaluated once, and the user was told */
    char *what;         /* the location, expression or name as the user typed it */
    char *condition;    /* NULL: none */
    char *file;         /* the line relative to which the location was given; may be NULL */
    unsigned line;
    /* u64: of system calls or signals; ~0: any; a catchpoint on fork or exec has one entry */
    struct list numbers;
    struct watch *watch; /* for watchpoints; NULL otherwise */
    u32 thread;
    u64 ignore, hits;
    struct list locations; /* struct debug_location */
    struct list commands;  /* char * */
    u32 version;           /* version of the symbols in which it was looked up */
};

struct debug_breakpoint *debug_breakpoints_find(struct debug *d, u32 number);
/* Finds the breakpoint of a location by its number in the session; NULL: not one of the user's. */
struct debug_breakpoint *debug_breakpoints_of_location(struct debug *d, u32 location);
struct code_place debug_location_place(const struct debug_location *location);

struct debug_break_order {
    const char *location;  /* in the syntax of symbols_locate(); debug_fixed_location() makes one */
    const char *condition; /* NULL: none */
    u32 thread;            /* CONTROL_THREAD_ANY: all */
    bool temporary;
};
/* *ret_pending is NULL or says why the location does not exist yet; the caller destroys it. */
struct error *debug_break_add(struct debug *d, const struct debug_break_order *order,
                              struct debug_breakpoint **ret, struct error **ret_pending);
/* Returns the location with an address expression replaced by its current value; the caller frees
 * it. */
struct error *debug_fixed_location(struct debug *d, const char *text, char **ret);
/* Returns NULL, or why the condition must be evaluated at each stop, which is slow. */
struct error *debug_breakpoint_slow(struct debug *d, const struct debug_breakpoint *p);

struct debug_watch_order {
    u32 type;               /* BREAK_STORE, BREAK_LOAD, BREAK_ACCESS */
    const char *expression; /* if `is_location`, it may also be ADDRESS LENGTH */
    const char *condition;  /* NULL: none */
    u32 thread;             /* CONTROL_THREAD_ANY: all */
    bool any_store;         /* also stop at stores that do not change the value */
    bool is_location;       /* watch the memory that the expression names now */
};
struct error *debug_watch_add(struct debug *d, const struct debug_watch_order *order,
                              struct debug_breakpoint **ret);

/* `kind` is syscall, signal, fork, vfork, exec or exit. `args` are names or numbers; "" for any. */
struct error *debug_catch_add(struct debug *d, const char *kind, const char *args, bool temporary,
                              struct debug_breakpoint **ret);
/* Returns the C++ library function behind `throw`, `rethrow` and `catch`; NULL for any other
 * kind. */
const char *debug_catch_function(const char *kind);
struct error *debug_catch_panic(struct debug *d, bool temporary, struct debug_breakpoint **ret);

bool debug_is_watch(const struct debug_breakpoint *p);
void debug_breakpoints_remove(struct debug *d, struct debug_breakpoint *p);
void debug_breakpoint_enable(struct debug *d, struct debug_breakpoint *p, bool enabled);
struct error *debug_breakpoint_condition(struct debug *d, struct debug_breakpoint *p,
                                         const char *condition); /* NULL: none */
void debug_breakpoint_ignore(struct debug *d, struct debug_breakpoint *p, u64 count);
/* Removes the user's breakpoints from the session until the next movement. */
void debug_breakpoints_withdraw(struct debug *d);

/* --- of a client that has breakpoints of its own --------------------------------------------- */

/* A breakpoint of a client such as gdb: an address and bytecode, without text. A list of them
 * belongs to one session. */
struct debug_site {
    u32 type;       /* enum debug_breakpoint_type */
    bool is_return; /* BREAK_SYSCALL: the stop after the call */
    u32 tag;        /* chosen by the client; sites with different tags are different sites */
    u32 number;     /* breakpoint number in the session; 0: not set yet */
    bool wanted;
    u64 address, size;
    u8 *condition; /* agent expression; NULL: none */
    u32 condition_size;
};
void debug_sites_want(struct list *sites, const struct debug_site *wanted); /* takes condition */
void debug_sites_unwant(struct list *sites, const struct debug_site *like); /* any condition */
void debug_sites_unwant_tag(struct list *sites, u32 tag);
/* Called before something runs: sets the wanted sites in the session, and removes all others. */
struct error *debug_sites_settle(struct list *sites, struct session *s);
const struct debug_site *debug_sites_find(const struct list *sites, u32 number);
/* forgets the session's numbers, since there is a new session */
void debug_sites_forget(struct list *sites);
void debug_sites_clear(struct list *sites, struct session *s);
void debug_sites_deinit(struct list *sites);

/* --- movements -------------------------------------------------------------------------------- */

enum debug_move {
    MOVE_STEP, MOVE_NEXT, MOVE_CONTINUE, MOVE_FINISH, MOVE_STEPI, MOVE_NEXTI, MOVE_UNTIL, MOVE_OUT,
    MOVE_FIRST,
};

struct debug_goal;

struct debug_order {
    enum debug_move move;
    enum session_direction direction;
    u64 count;
    u64 *pcs;                /* until: addresses, or */
    size_t pc_count;
    struct debug_goal *goal; /* until, first: a condition or a value */
    u64 function;            /* result of finish: the function that returned */
};

/* Makes a movement for the user, which can be undone. */
struct error *debug_move(struct debug *d, struct debug_order *o, struct session_stop *stop);
/* Makes a movement that is not a command of the user and is not added to the undo list. */
struct error *debug_move_unnoted(struct debug *d, struct debug_order *o, struct session_stop *stop);
void debug_order_deinit(struct debug_order *o);
/* Returns an error if the movement is of the running thread, but the user has selected another
 * thread. */
struct error *debug_check_thread(struct debug *d, enum debug_move move);
/* The number of frames inside the selected one, which `finish` has to leave as well. */
u64 debug_frames_inside(const struct debug *d);

/* until without an argument: `next`, but never back, so that it leaves a loop. */
struct error *debug_move_past(struct debug *d, struct session_stop *stop);
/* To one of the places in any frame, or to where the current frame has returned to. */
struct error *debug_advance(struct debug *d, const u64 *pcs, size_t count,
                            struct session_stop *stop);
struct error *debug_goto(struct debug *d, struct moment to, struct session_stop *stop);
/* Finds a moment: TICK, TICK:PC, start, end, here, 40%, event N, 12.5s, -1s, +0.2s or a
 * bookmark. */
struct error *debug_find_moment(struct debug *d, const char *words, struct moment *ret);
struct error *debug_undo(struct debug *d, u64 count, struct session_stop *stop);
struct error *debug_redo(struct debug *d, u64 count, struct session_stop *stop);
/* adds to the undo list a movement made by other means */
void debug_moved_from(struct debug *d, struct moment before);
/* Goes back to the entry of the selected frame, where its parameters are as they were passed. For
 * an inlined function, goes to the statement that calls it. */
struct error *debug_frame_entry(struct debug *d, struct session_stop *stop);
/* Calls `visit` at every hit of a breakpoint in the whole run, from the first, with a number from
 * 1, until it returns false. Then returns to the current moment. */
struct error *debug_each_hit(struct debug *d, struct debug_breakpoint *p,
                             bool (*visit)(void *context, u64 number), void *context);

/* Updates the breakpoints of a stop: counts hits, removes temporary breakpoints, and adds the
 * user's commands to d->due. */
void debug_count_hits(struct debug *d, const struct session_stop *stop);
void debug_count_hit(struct debug *d, struct debug_breakpoint *p);
/* True if all breakpoints of the stop have commands that begin with `silent`. */
bool debug_stop_is_silent(struct debug *d, const struct session_stop *stop);
/* True if the session's breakpoint is one of those on signals that stop by default or by
 * debug_handle(). */
bool debug_is_signal_stop(const struct debug *d, u32 location);

/* --- to a condition or a value ---------------------------------------------------------------- */

/* The part of the run that an answer covers. */
struct debug_cover {
    /* set by the caller to the part asked about; debug_cover() limits it to the life of a local */
    struct moment from, to;
    /* the bound is the call, the first write, or the return of the local's frame */
    bool from_call, from_write, to_return;
    bool from_here, to_here;
    bool is_unwritten;      /* a local that its frame never writes */
    bool interrupted;
    struct moment call;     /* for a local: the instruction that called its function */
    struct plan_hit write;  /* from_write: the first write */
};

struct debug_goal {
    struct subject *subject;
    u8 *code;                   /* plain bytecode of a condition; NULL: none */
    size_t code_size;
    struct list locations;      /* u32: their numbers in the session during the movement */
    u32 bounds[SUBJECT_BOUNDS]; /* the same for the ends of the frame */
    enum { NOT_REACHED, REACHED, FRAME_ENDED, FRAME_NOT_BEGUN, HELD } outcome;
    char *old, *new;            /* the value before and after */
    bool is_first;              /* the frame had not written the value before */
    struct debug_cover cover;   /* for the answer of a question */
    struct moment at;           /* the instruction that made the change; tick 0: not known */
    u32 thread;
};
/* Reads the argument of `until`: either places or a goal. */
struct error *debug_read_goal(struct debug *d, const char *text, u64 **ret_pcs, size_t *ret_count,
                              struct debug_goal **ret);
void debug_goal_destroy(struct debug_goal *g); /* accepts NULL */

/* Makes a subject from an expression in the selected frame. debug_subject refuses expressions that
 * cannot change or have no value here. */
struct error *debug_subject(struct debug *d, const char *text, struct subject **ret);
struct error *debug_subject_over_time(struct debug *d, const char *text, struct subject **ret);
/* Reads "EXPRESSION", meaning the memory that it names now, or "ADDRESS LENGTH". */
struct error *debug_subject_location(struct debug *d, const char *text, struct subject **ret);

/* Limits the cover of a subject to the life of its frame. `alive` is a moment at which the frame
 * lives. The end of the frame is searched only if `to_end` is set. */
struct error *debug_cover(struct debug *d, const struct subject *s, struct moment alive,
                          bool to_end, struct debug_cover *c);
bool debug_cover_is_empty(const struct debug_cover *c);
/* "4 bytes at 0x404040, over the whole run (tick 1 to 900)". */
char *debug_cover_text(const struct debug *d, const struct subject *s, const struct debug_cover *c);
char *debug_cover_call(const struct subject *s);  /* " in this call of walk", or "" */
char *debug_subject_frame(const struct subject *s); /* "the frame of walk" */
/* "the compiler keeps i in registers at lines 3-9"; NULL: it stays in one place. */
char *debug_keeping(const struct subject *s);

/* A question about all changes of a value, and one of the changes. */
struct debug_history_asked {
    const char *expression;
    bool location;          /* -l: the memory that it means now */
    struct moment from, to;
    u64 most;               /* the newest ones; 0: all */
};
struct debug_history_row {
    struct moment at;    /* the instruction that made the change */
    struct moment after; /* the moment after the change */
    u32 thread;
    char *old, *new;     /* `old` NULL: a local had none before */
    bool is_seen_first;  /* before that it was optimised out */
    bool unseen;         /* it was optimised out in between */
    char *function, *file; /* NULL: not known */
    unsigned line;
};
struct debug_history {
    struct subject *subject;
    struct debug_cover cover;
    struct history_answer answer; /* lent: until the next question */
    struct list rows;             /* struct debug_history_row, newest first */
    /* The first write of a local, if all changes since are there: */
    bool has_first;
    struct debug_history_row first;
    char *covers; /* what and which part of the run the answer is about */
};
/* The rows are made when debug_history_make_rows() is called, before the next question: at most so
 * many, evenly between the newest and the oldest; 0: all.  *ret is to be deinitialised unless
 * there was an error. */
struct error *debug_history_ask(struct debug *d, const struct debug_history_asked *asked,
                                struct debug_history *ret);
struct error *debug_history_make_rows(struct debug *d, struct debug_history *h, size_t most);
void debug_history_deinit(struct debug_history *h);

/* --- questions (query/ask.h) ------------------------------------------------------------------ */

struct debug_asking {
    u64 most;        /* maximum number of rows; 0: all */
    bool counts_only, whole_calls;
    const char *location;  /* line: only there; or NULL */
    char *const *shown;    /* line: expressions whose values rows have */
    size_t shown_count;
    bool (*row)(void *context, const struct ask_row *row); /* may be NULL; returns false to stop */
    void *context;
};
/* Answers a question. Afterwards debug_find_moment() knows its rows as `row N`. */
struct error *debug_ask(struct debug *d, struct ask_question *q, const struct debug_asking *how,
                        struct ask_answer *ret);
/* Finds the moment to which `goto QUESTION` leads. */
struct error *debug_ask_moment(struct debug *d, struct ask_question *q, struct moment *ret);

/* What the program wrote, line by line.  Lines are in the order in which they ended. */
struct debug_printed {
    struct moment at; /* the call that wrote its first character */
    u32 thread;
    u64 fd;
    const char *text; /* without the newline; valid during the call of `line` */
    size_t size;
};
enum { DEBUG_FD_STANDARD = -1, DEBUG_FD_ALL = -2 };
struct debug_output {
    i64 fd;              /* or one of the above: 1 and 2; every descriptor */
    const regex_t *like; /* lines that it fits; NULL: all */
    bool (*line)(void *context, const struct debug_printed *line); /* false: enough */
    void *context;
};
/* /REGEX/, whose last slash may be missing. */
struct error *debug_compile_output(const char *words, regex_t *ret);
/* Lines are places to go to from then on, as rows are.  *ret_interrupted: there may be more. */
struct error *debug_output_ask(struct debug *d, const struct debug_output *how,
                               bool *ret_interrupted);

/* How often everything ran (query/profile.h). `words` is "[from A] [to B]". */
struct debug_tallied {
    bool interrupted; /* at: */
    struct moment reached;
};
struct error *debug_profile(struct debug *d, const char *words, struct profile *ret,
                            struct debug_tallied *how);
/* The result is kept for debug_coverage_of(). */
struct error *debug_coverage(struct debug *d, const char *words, struct debug_tallied *how);
void debug_coverage_forget(struct debug *d);
/* How often the line ran, by the last debug_coverage(); false: there was none, or it has no
 * code. */
bool debug_coverage_of(const struct debug *d, const char *file, unsigned line, u64 *ret);

/* --- what a stop was -------------------------------------------------------------------------- */

/* The hit of a watchpoint. */
struct debug_change {
    enum { CHANGE_OF_DATA, CHANGE_FRAME_BEGINS, CHANGE_FRAME_ENDED } kind;
    char *what;      /* the expression, or the part of it that was accessed */
    char *old, *new; /* old is NULL for a local that its frame had not written before */
};
void debug_watch_change(struct debug *d, struct debug_breakpoint *p, u32 location,
                        const struct plan_hit *hit, struct debug_change *ret);
/* The same for a watchpoint that follows pointers: d->followed. */
void debug_followed_change(struct debug *d, struct debug_breakpoint *p, struct debug_change *ret);
void debug_change_deinit(struct debug_change *c);

/* The reason of a stop, and what caused it. Call debug_describe_stop() once for each stop: it
 * updates a watchpoint whose frame has ended or begun. */
enum debug_reason {
    REASON_STEP, /* the movement was made as requested */
    REASON_BREAKPOINT,
    REASON_WATCHPOINT,
    REASON_CATCHPOINT,
    REASON_PANIC,
    REASON_SIGNAL,
    REASON_FRAME, /* the frame of a watchpoint's local has ended, or has not begun yet */
    REASON_START,
    REASON_END,
    REASON_THREAD_START,
    REASON_THREAD_END,
    REASON_INTERRUPTED,
    REASON_GOTO,
};
struct debug_stop {
    enum debug_reason reason;
    /* The user's breakpoint that caused the stop, or a watchpoint that the last step met; NULL:
     * none. */
    struct debug_breakpoint *breakpoint;
    u32 location;        /* its location in the session */
    struct plan_hit hit; /* its */
    bool is_followed;    /* a watchpoint that debug_count_hits() does not count */
    bool has_change;     /* for a watchpoint: */
    struct debug_change change;
};
void debug_describe_stop(struct debug *d, const struct session_stop *stop, struct debug_stop *ret);
void debug_stop_deinit(struct debug_stop *s);
const char *debug_reason_name(enum debug_reason reason); /* "thread-start" */

/* A catchpoint on system calls stops before and after a call. True for the stop after it. */
bool debug_catch_is_return(const struct debug_breakpoint *p, u32 location);
/* in the form that strace prints */
char *debug_call_text(struct debug *d, const struct plan_hit *hit, bool made);
const char *debug_call_name(u64 number, char room[32]);

char *debug_panic_message(struct debug *d); /* NULL: not known */
/* True if a Rust program that ends with this status has panicked. */
bool debug_panicked(struct debug *d, u32 status);

/* --- signals ---------------------------------------------------------------------------------- */

enum { DEBUG_SIGNALS = 65 };

const char *debug_signal_name(u32 number, char room[32]);
struct error *debug_signal_number(const char *name, u64 *ret); /* "" and "all" give ~0 */
/* Describes the signal at this moment; a fault with its code and address. */
char *debug_signal_text(struct debug *d, u32 number);
void debug_handle(struct debug *d, u32 signal, bool stops);

/* --- where one stands ------------------------------------------------------------------------- */

struct error *debug_symbols(struct debug *d, struct symbols **ret);
struct error *debug_frames(struct debug *d); /* fills d->frames */
void debug_forget_frames(struct debug *d);
/* Shows other frames than those of the thread, for instance of a goroutine. Takes ownership. */
struct error *debug_take_frames(struct debug *d, struct unwinding *unwinding);
/* Finds all frames at once, for what may name a function that any frame is of. */
void debug_reach_all_frames(struct debug *d);
void debug_arrive(struct debug *d); /* after a movement: selects the thread and the frame to show */
const struct frame *debug_frame(struct debug *d); /* the selected frame; NULL: none */
/* Returns the frame that is executing or that the user selected, to which movements and registers
 * apply. NULL: none. */
const struct frame *debug_real_frame(struct debug *d);
void debug_choose_frame(struct debug *d, size_t index);
void debug_choose_thread(struct debug *d, u32 thread);
/* The number of frames to show, without the callers of main. At least `least` of them are found,
 * unless there are fewer. *ret_all (may be NULL): there are no more. */
size_t debug_shown_frames(struct debug *d, size_t least, bool *ret_all);
/* Finds the innermost frame of a thread that belongs to the program, and its innermost frame. */
bool debug_thread_frames(struct debug *d, u32 thread, struct frame *ret_shown,
                         struct frame *ret_innermost);
/* The file for a line number without a file: that of the last `list`, of the current place, or of
 * main; NULL: none. */
char *debug_current_file(struct debug *d);
void debug_set_current_file(struct debug *d, const char *file, unsigned next_line);

/* Used around looking at other moments: returns to the same moment, thread and frame. */
struct debug_standing {
    struct moment at;
    u32 thread, inlined;
    size_t selected;
    bool auto_selected;
    char *list_file;
    unsigned list_line;
};
void debug_standing_keep(struct debug *d, struct debug_standing *s);
struct error *debug_standing_return(struct debug *d, struct debug_standing *s);

/* --- expressions ------------------------------------------------------------------------------ */

/* in the selected frame */
struct error *debug_request(struct debug *d, struct values_request *ret);
struct error *debug_evaluation(struct debug *d, struct evaluation **ret);
/* The functions by which expressions assign and call, in the copy of the process. */
const struct values_actions *debug_request_actions(void);
struct error *debug_integer(struct debug *d, const char *text, u64 *ret); /* an expression's */
/* Evaluates an expression to an address. An array or a struct gives its own address. */
struct error *debug_address_of(struct debug *d, const char *expression, u64 *ret);

/* State of the copy of the process that calls and assignments change. */
struct debug_copy {
    bool told;                 /* the user was told about the copy */
    bool changed;              /* the user has changed it */
    /* the program's buffered output was flushed before the first call; flushing failed and is not
     * tried again */
    bool flushed, never_flush;
    u64 own_from, own_to;      /* memory that only the copy has */
    /* what called functions printed and the client has not yet taken; NULL: nothing */
    char *output;
};

/* --- bookmarks and displays ------------------------------------------------------------------- */

struct debug_bookmark {
    char *name;
    u32 track;
    struct moment at;
};
/* Names the current moment. An existing name is moved here. Bookmarks are saved with the
 * recording. */
struct error *debug_bookmark_add(struct debug *d, const char *name);
struct error *debug_bookmark_remove(struct debug *d, const char *name);
struct debug_bookmark *debug_bookmark_find(struct debug *d, const char *name);

struct debug_display {
    u32 number;
    char format;
    char *memory; /* the format letters for `x`; NULL: `print` shows it */
    char *expression;
};

struct debug_display *debug_display_add(struct debug *d, char format, const char *expression);
bool debug_display_remove(struct debug *d, u64 number); /* 0: all; returns false if there is none */

/* Makes steps go over a file or function, in every track; or into it again. */
struct error *debug_skip(struct debug *d, const char *what, bool skip);

/* --- how long it takes ------------------------------------------------------------------------ */

/* The part of the run that a movement may have to search. */
enum debug_course {
    COURSE_FORWARD,  /* everything after the current moment */
    COURSE_BACKWARD, /* everything before it */
    COURSE_TO,       /* up to a known moment */
};

struct debug_motion {
    bool on;
    enum debug_course course;
    u64 origin;    /* tick */
    u64 done, all; /* ticks */
    double began;  /* seconds */
};

/* Called around every operation that may take a while, so that the user can interrupt it. */
void debug_begin_moving(struct debug *d, enum debug_course course);
void debug_end_moving(struct debug *d);
/* Ends the current movement with WHY_INTERRUPTED. Called from a signal handler or another
 * thread. */
void debug_interrupt(void);
bool debug_interrupted(void); /* true if debug_interrupt() was called since the operation began */
/* For movements that a client makes itself with a session: debug_interrupt() then ends that
 * session's movement. NULL: no movement. */
void debug_attend(struct session *s);
/* For session_options.begun, so that debug_interrupt() also works while a track is opened. */
void debug_moving_begun(void *context, struct session *s);
unsigned debug_motion_percent(const struct debug_motion *m);
char *debug_motion_words(const struct debug_motion *m); /* "0.32 of 1.5 billion ticks back to the
                                                         * start" */
/* estimated remaining seconds; negative: not known */
double debug_motion_rest(const struct debug_motion *m);
double debug_seconds_now(void); /* of a monotonic clock */

/* --- words ------------------------------------------------------------------------------------ */

struct error *debug_no_arguments(const char *args);
struct error *debug_count(const char *args, u64 *ret); /* empty: 1 */
struct error *debug_number(const char *args, const char *what, u64 *ret);
/* Returns a moment as users type it, TICK:PC; the caller frees it. */
char *debug_moment_text(struct moment at);
/* debug_size reads sizes such as 300, 64K, 500M, 2G; debug_seconds reads seconds. */
struct error *debug_size(const char *text, u64 *ret);
struct error *debug_seconds(const char *text, double *ret);
struct error *debug_read_thread(const char *text, u32 *ret);
bool debug_take_word(const char **args, const char *word); /* also skips the blanks after it */
char *debug_next_word(const char **args); /* NULL: none */
/* Cuts the text before the word and returns what follows the word; NULL if it is not there. */
char *debug_cut_behind(char *text, const char *word);
void debug_strings_add(struct list *strings, const char *text);
void debug_strings_deinit(struct list *strings);

/* --- all of it -------------------------------------------------------------------------------- */

struct debug_settings {
    bool past_main; /* backtraces include the callers of main */
    u32 call_limit; /* seconds that a called function may take */
    struct show_settings show;
    bool is_keeping_set;
    struct session_keeping keeping; /* which checkpoints are kept, in every track */
};
/* Sets how many checkpoints are kept, and where. */
void debug_keep(struct debug *d, const struct session_keeping *k);

struct debug {
    struct recording *rec;
    struct session *session;
    bool is_lent;             /* the session belongs to the caller, who closes it */
    struct source *source;
    struct history *history;  /* cached answers about values of this track */
    struct debug_client client;
    struct debug_settings settings;
    bool opens_early;         /* Ctrl-C ended opening the track, which is not at its end */
    struct list due; /* char *: commands of breakpoints that were hit; the client executes them */

    u32 thread;               /* the selected thread: ordinal */
    /* The frames of the thread that were found so far; NULL: none yet. */
    struct unwinding *unwinding;
    struct frame *frames;
    size_t frame_count, selected;
    size_t main_sought;       /* number of frames that were checked for being main's */
    size_t frame_limit;       /* the frames to show end there, with main; ~0: not found yet */
    struct moment frames_at;  /* the moment for which the frames are valid */
    u32 frames_thread;
    /* ebb selected the frame, which only matters for variables, not for movements */
    bool auto_selected;
    char *list_file;          /* where the next `list` continues */
    unsigned list_line;

    struct list breakpoints;  /* struct debug_breakpoint * */
    u32 last_breakpoint;
    /* the session's breakpoint where the dynamic linker reports new modules; 0: none */
    u32 loader_breakpoint;
    u32 signal_breakpoints[DEBUG_SIGNALS];
    /* the latter: set by the user */
    bool signal_stops[DEBUG_SIGNALS], signal_chosen[DEBUG_SIGNALS];
    u32 followed_breakpoint;  /* watchpoint that the last movement hit; 0: none */
    struct watch_answer followed;
    struct list lives;        /* struct debug_life */

    struct list displays;     /* struct debug_display */
    u32 last_display;
    struct list bookmarks;    /* struct debug_bookmark */
    struct list skips;        /* char * */
    struct list undo, redo;   /* struct moment */

    struct list rows;         /* struct moment: rows of the last table, in the track: */
    u32 rows_track;

    struct coverage coverage; /* the last one; empty: none was made */
    bool has_coverage;

    struct debug_motion motion;
    struct debug_copy copy;
    struct conveniences *conveniences; /* $1, $name */
    struct session_signal signal;      /* the signal delivered at this moment, if there is one */
};

#endif
