/* A debugger on a recording, without a face: what every front end shares.
 *
 * A client opens a recording, moves in it, asks what a stop was, evaluates expressions, and sets
 * and lists breakpoints, watchpoints, catchpoints, displays and bookmarks.  It decides how all of
 * this is typed, drawn or sent; what it means is decided here, once.  tests/debugger/client.c is a
 * client that was written from this header.
 *
 *   debug.c             opening a track; what the user is told
 *   debug_place.c       where one stands: thread, frames, expressions in a frame
 *   debug_moves.c       movements, undo and redo
 *   debug_marks.c       bookmarks, displays; what is saved with the recording
 *   debug_breakpoints.c breakpoints, and what they are to the session
 *   debug_break.c       making and changing them
 *   debug_watch.c       watchpoints; debug_follow.c: those that follow what they mean
 *   debug_change.c      what a watchpoint saw: the values before and after
 *   debug_stop.c        what a stop is called, and what made it
 *   debug_sites.c       breakpoints of a client that has its own list of them
 *   debug_catch.c       catchpoints on system calls, signals, processes
 *   debug_panic.c       panics of Rust
 *   debug_goal.c        until and first: to where a condition becomes true or a value changes
 *   debug_subject.c     expressions that are asked about over time
 *   debug_cover.c       which part of the run an answer covers
 *   debug_ask.c         questions over the whole run, and the rows of the last answer
 *   debug_signals.c     signals: names, which of them stop
 *   debug_call.c        assignments and calls in a copy of the process
 *   debug_motion.c      how far a movement has got, and interrupting it
 *   debug_history.c     all changes of a value, as rows
 *   debug_hits.c        every hit of a breakpoint; the entry of a frame
 *   debug_words.c       numbers and words that users type
 *
 * A struct debug is read by its clients and changed through the functions below.  Where a function
 * returns text, it is to be freed.  Movements that fail leave everything where it was.
 *
 * Invariants
 *   (1) d->session and d->source are of one track and always there.
 *   (2) d->frames is NULL or what is true of d->thread at this moment.
 *   (3) Numbers of breakpoints are the user's; each has locations, which are breakpoints of the
 *       session.
 */
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H

#include "base/error.h"
#include "base/list.h"
#include "base/types.h"
#include "log/recording.h"
#include "query/ask.h"
#include "query/change_set.h"
#include "query/history.h"
#include "query/subject.h"
#include "query/watch.h"
#include "session/movement.h"
#include "session/track_about.h"
#include "symbols/values.h"

struct debug;

/* --- opening ---------------------------------------------------------------------------------- */

/* What a client wants to hear.  Each may be NULL. */
struct debug_client {
    /* A sentence for the user, in the midst of an operation.  It ends with a line end. */
    void (*say)(void *context, const char *bytes, size_t size);
    /* Something takes a while: d->motion says how far it has got.  Called often. */
    void (*progress)(void *context, const struct session_progress *p);
    void (*moved)(void *context); /* a movement is over */
    /* The answer is about one of several symbols of this name. */
    void (*note)(void *context, const char *note);
    void *context;
};

/* Opens a track of `rec`, which is borrowed, at its end or its start. */
struct error *debug_open(struct recording *rec, u32 track, bool at_start,
                         const struct debug_client *client, struct debug **ret);
/* Another client listens from now on; who did so far is returned. */
struct debug_client debug_listen(struct debug *d, const struct debug_client *client);
/* On a session that is lent: the front end has one already. */
struct debug *debug_over(struct recording *rec, struct session *s,
                         const struct debug_client *client);
/* The session that was lent is another one, or has moved without d. */
void debug_use(struct debug *d, struct session *s);
void debug_close(struct debug *d); /* accepts NULL */
/* Goes to another track of the recording. Breakpoints stay, as far as they mean something there. */
struct error *debug_open_track(struct debug *d, u32 track, bool at_start);
struct error *debug_check_track(struct debug *d, u64 track);

/* --- what stops a movement -------------------------------------------------------------------- */

enum debug_breakpoint_type {
    BREAK_CODE, BREAK_STORE, BREAK_LOAD, BREAK_ACCESS, BREAK_SYSCALL,
    BREAK_SIGNAL, BREAK_FORK, BREAK_EXEC, BREAK_EXIT,
};

/* One place of a breakpoint. */
struct debug_location {
    u64 address;
    u32 number; /* in the session; 0: not there now */
    u32 inside; /* functions that are inlined there into the one that it is a breakpoint on */
    enum watch_role role; /* of a watchpoint */
    bool is_return;       /* of a system call: where it has been made */
};

struct debug_breakpoint {
    u32 number;
    u32 type;           /* enum debug_breakpoint_type */
    bool temporary, disabled, pending;
    bool is_panic;      /* of `catch panic` */
    bool checks_here;   /* the condition could not be compiled: it is evaluated at each stop */
    bool has_failed;    /* it led nowhere once, and that was said */
    char *what;         /* the location, expression or name, as the user said it */
    char *condition;    /* NULL: none */
    char *file;         /* context of a location: the line it was said at; may be NULL */
    unsigned line;
    struct list numbers; /* u64: of calls or signals; ~0: any; of a fork or an exec one is enough */
    struct watch *watch; /* of data; NULL: of something else */
    u32 thread;
    u64 ignore, hits;
    struct list locations; /* struct debug_location */
    struct list commands;  /* char * */
    u32 version;           /* of the symbols that it was looked up in */
};

struct debug_breakpoint *debug_breakpoints_find(struct debug *d, u32 number);
/* By the number that a stop of the session has; NULL: none of the user's. */
struct debug_breakpoint *debug_breakpoints_of_location(struct debug *d, u32 location);
struct code_place debug_location_place(const struct debug_location *location);

struct debug_break_order {
    const char *location;  /* as symbols_locate() takes it; debug_fixed_location() */
    const char *condition; /* NULL: none */
    u32 thread;            /* CONTROL_THREAD_ANY: all */
    bool temporary;
};
/* *ret_pending, to be destroyed, is NULL or why the location is nowhere yet. */
struct error *debug_break_add(struct debug *d, const struct debug_break_order *order,
                              struct debug_breakpoint **ret, struct error **ret_pending);
/* The location, with an address as the number that it is now; to be freed. */
struct error *debug_fixed_location(struct debug *d, const char *text, char **ret);
/* NULL, or why its condition must be evaluated at each stop, which is slow. */
struct error *debug_breakpoint_slow(struct debug *d, const struct debug_breakpoint *p);

struct debug_watch_order {
    u32 type;               /* BREAK_STORE, BREAK_LOAD, BREAK_ACCESS */
    const char *expression; /* `is_location`: or ADDRESS LENGTH */
    const char *condition;  /* NULL: none */
    u32 thread;             /* CONTROL_THREAD_ANY: all */
    bool any_store;         /* also stores of the value that is there */
    bool is_location;       /* the memory that the expression means now */
};
struct error *debug_watch_add(struct debug *d, const struct debug_watch_order *order,
                              struct debug_breakpoint **ret);

/* syscall, signal, fork, vfork, exec or exit; `args` are names or numbers, "" for any. */
struct error *debug_catch_add(struct debug *d, const char *kind, const char *args, bool temporary,
                              struct debug_breakpoint **ret);
/* throw, rethrow and catch of C++: the function of its library; NULL for any other kind. */
const char *debug_catch_function(const char *kind);
struct error *debug_catch_panic(struct debug *d, bool temporary, struct debug_breakpoint **ret);

bool debug_is_watch(const struct debug_breakpoint *p);
void debug_breakpoints_remove(struct debug *d, struct debug_breakpoint *p);
void debug_breakpoint_enable(struct debug *d, struct debug_breakpoint *p, bool enabled);
struct error *debug_breakpoint_condition(struct debug *d, struct debug_breakpoint *p,
                                         const char *condition); /* NULL: none */
void debug_breakpoint_ignore(struct debug *d, struct debug_breakpoint *p, u64 count);
/* None of the user's breakpoints is the session's until the next movement. */
void debug_breakpoints_withdraw(struct debug *d);

/* --- of a client that has breakpoints of its own --------------------------------------------- */

/* By address and bytecode, without words: gdb's.  A list of them belongs to one session. */
struct debug_site {
    u32 type;       /* enum debug_breakpoint_type */
    bool is_return; /* BREAK_SYSCALL: where it has been made */
    u32 tag;        /* the client's own; sites with another tag are others */
    u32 number;     /* in the session; 0: not there yet */
    bool wanted;
    u64 address, size;
    u8 *condition; /* agent expression; NULL: none */
    u32 condition_size;
};
void debug_sites_want(struct list *sites, const struct debug_site *wanted); /* takes condition */
void debug_sites_unwant(struct list *sites, const struct debug_site *like); /* any condition */
void debug_sites_unwant_tag(struct list *sites, u32 tag);
/* Before something runs: the session has those that are wanted, and no others. */
struct error *debug_sites_settle(struct list *sites, struct session *s);
const struct debug_site *debug_sites_find(const struct list *sites, u32 number);
void debug_sites_forget(struct list *sites); /* all numbers: another session */
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
    u64 *pcs;                /* until: places, or */
    size_t pc_count;
    struct debug_goal *goal; /* until, first: a condition or a value */
    u64 function;            /* finish leaves it: what returned */
};

/* Makes a movement of the user's: it can be undone. */
struct error *debug_move(struct debug *d, struct debug_order *o, struct session_stop *stop);
/* The same for one that is no command of the user's. */
struct error *debug_move_unnoted(struct debug *d, struct debug_order *o, struct session_stop *stop);
void debug_order_deinit(struct debug_order *o);
/* An error if the movement is about the thread that runs, and another is looked at. */
struct error *debug_check_thread(struct debug *d, enum debug_move move);
/* finish: how many frames more are to be left, since an outer one was chosen. */
u64 debug_frames_inside(const struct debug *d);

struct error *debug_goto(struct debug *d, struct moment to, struct session_stop *stop);
/* `words`: TICK, TICK:PC, start, end, here, 40%, event N, 12.5s, -1s, +0.2s or a bookmark. */
struct error *debug_find_moment(struct debug *d, const char *words, struct moment *ret);
struct error *debug_undo(struct debug *d, u64 count, struct session_stop *stop);
struct error *debug_redo(struct debug *d, u64 count, struct session_stop *stop);
void debug_moved_from(struct debug *d, struct moment before); /* for undo: by other means */
/* Back to where the selected frame was entered: its parameters are as they were passed.  Of an
 * inlined function, to the statement that calls it. */
struct error *debug_frame_entry(struct debug *d, struct session_stop *stop);
/* All hits of a breakpoint in the whole run, from the first: `visit` is called where it was hit,
 * with a number from 1, until it returns false.  In the end it stands where it stood. */
struct error *debug_each_hit(struct debug *d, struct debug_breakpoint *p,
                             bool (*visit)(void *context, u64 number), void *context);

/* What a stop means for its breakpoints: they are counted, temporary ones go, and commands of the
 * user's are added to d->due. */
void debug_count_hits(struct debug *d, const struct session_stop *stop);
void debug_count_hit(struct debug *d, struct debug_breakpoint *p);
/* All that stopped it have commands that begin with `silent`. */
bool debug_stop_is_silent(struct debug *d, const struct session_stop *stop);
/* Is the session's breakpoint one of those on signals that stop by default or by debug_handle()? */
bool debug_is_signal_stop(const struct debug *d, u32 location);

/* --- to a condition or a value ---------------------------------------------------------------- */

/* What an answer over time covers. */
struct debug_cover {
    struct moment from, to; /* set to what is asked about; of a local, debug_cover() leaves its
                             * life */
    bool from_call, from_write, to_return; /* what bounds it: its frame */
    bool from_here, to_here;
    bool is_unwritten;      /* a local that its frame does not write */
    bool interrupted;
    struct moment call;     /* of a local: the instruction that called its function */
    struct plan_hit write;  /* from_write: the first */
};

struct debug_goal {
    struct subject *subject;
    u8 *code;                   /* plain bytecode of a condition; NULL: none */
    size_t code_size;
    struct list locations;      /* u32: numbers in the session, while it moves */
    u32 bounds[SUBJECT_BOUNDS]; /* the same, of the frame */
    enum { NOT_REACHED, REACHED, FRAME_ENDED, FRAME_NOT_BEGUN, HELD } outcome;
    char *old, *new;            /* of a value */
    bool is_first;              /* it was never written before, by its frame */
    struct debug_cover cover;   /* of a question */
    struct moment at;           /* of the instruction that did it; tick 0: not known */
    u32 thread;
};
/* Either places or a goal. */
struct error *debug_read_goal(struct debug *d, const char *text, u64 **ret_pcs, size_t *ret_count,
                              struct debug_goal **ret);
void debug_goal_destroy(struct debug_goal *g); /* accepts NULL */

/* An expression in the frame that is looked at.  The first refuses what cannot change or is not
 * known here. */
struct error *debug_subject(struct debug *d, const char *text, struct subject **ret);
struct error *debug_subject_over_time(struct debug *d, const char *text, struct subject **ret);
/* -l EXPRESSION: the memory that it means now; or -l ADDRESS LENGTH. */
struct error *debug_subject_location(struct debug *d, const char *text, struct subject **ret);

/* `alive`: a moment at which its frame lives. Its end is looked for only on request. */
struct error *debug_cover(struct debug *d, const struct subject *s, struct moment alive,
                          bool to_end, struct debug_cover *c);
bool debug_cover_is_empty(const struct debug_cover *c);
/* "4 bytes at 0x404040, over the whole run (tick 1 to 900)". */
char *debug_cover_text(const struct debug *d, const struct subject *s, const struct debug_cover *c);
char *debug_cover_call(const struct subject *s);  /* " in this call of walk", or "" */
char *debug_subject_frame(const struct subject *s); /* "the frame of walk" */
/* "the compiler keeps i in registers at lines 3-9"; NULL: it is in one place all the time. */
char *debug_keeping(const struct subject *s);

/* All changes of a value. */
struct debug_history_row {
    struct moment at;    /* of the instruction that did it */
    struct moment after; /* where it had */
    u32 thread;
    char *old, *new;
    char *function, *file; /* NULL: not known */
    unsigned line;
};
struct debug_history {
    struct list rows; /* struct debug_history_row, newest first */
    u64 left_out;     /* how many are missing between those: they were too many */
    bool more;        /* there are older ones, which were not asked for */
    bool interrupted;
    char *covers;     /* what and which part of the run the answer is about */
};
/* `most` of the newest, 0: all; `to_here`: what happened up to now.  *ret is to be deinitialised
 * unless there was an error. */
struct error *debug_history_ask(struct debug *d, const char *expression, u64 most, bool to_here,
                                struct debug_history *ret);
void debug_history_deinit(struct debug_history *h);

/* --- questions (query/ask.h) ------------------------------------------------------------------ */

struct debug_asking {
    u64 most;        /* rows; 0: all */
    bool counts_only, whole_calls;
    bool (*row)(void *context, const struct ask_row *row); /* may be NULL; false: enough */
    void *context;
};
/* Rows are places to go to from then on: debug_find_moment() knows `row N`. */
struct error *debug_ask(struct debug *d, struct ask_question *q, const struct debug_asking *how,
                        struct ask_answer *ret);
/* goto: the moment that the question leads to. */
struct error *debug_ask_moment(struct debug *d, struct ask_question *q, struct moment *ret);

/* --- what a stop was -------------------------------------------------------------------------- */

/* What a watchpoint saw. */
struct debug_change {
    enum { CHANGE_OF_DATA, CHANGE_FRAME_BEGINS, CHANGE_FRAME_ENDED } kind;
    char *what;      /* the expression, or the part of it that was touched */
    char *old, *new; /* old NULL: a local that its frame has not written before */
};
void debug_watch_change(struct debug *d, struct debug_breakpoint *p, u32 location,
                        const struct plan_hit *hit, struct debug_change *ret);
/* The same for a watchpoint that is followed: d->followed. */
void debug_followed_change(struct debug *d, struct debug_breakpoint *p, struct debug_change *ret);
void debug_change_deinit(struct debug_change *c);

/* What a stop is called, and what made it.  Asked once for each stop: a watchpoint whose frame has
 * ended or begun takes note of it. */
enum debug_reason {
    REASON_STEP, /* as far as was asked */
    REASON_BREAKPOINT,
    REASON_WATCHPOINT,
    REASON_CATCHPOINT,
    REASON_PANIC,
    REASON_SIGNAL,
    REASON_FRAME, /* of a watchpoint: it has ended, or has not begun yet */
    REASON_START,
    REASON_END,
    REASON_THREAD_START,
    REASON_THREAD_END,
    REASON_INTERRUPTED,
    REASON_GOTO,
};
struct debug_stop {
    enum debug_reason reason;
    /* The user's: that stopped it, or a watchpoint that the last step passed; NULL: none. */
    struct debug_breakpoint *breakpoint;
    u32 location;        /* of it, in the session */
    struct plan_hit hit; /* its */
    bool is_followed;    /* a watchpoint that debug_count_hits() does not know of */
    bool has_change;     /* of a watchpoint: */
    struct debug_change change;
};
void debug_describe_stop(struct debug *d, const struct session_stop *stop, struct debug_stop *ret);
void debug_stop_deinit(struct debug_stop *s);
const char *debug_reason_name(enum debug_reason reason); /* "thread-start" */

/* A catchpoint on system calls stops where a call is about to be made, and where it has been. */
bool debug_catch_is_return(const struct debug_breakpoint *p, u32 location);
char *debug_call_text(struct debug *d, const struct plan_hit *hit, bool made); /* as strace has
                                                                                * it */
const char *debug_call_name(u64 number, char room[32]);

char *debug_panic_message(struct debug *d); /* NULL: not known */
/* Is this how a run of Rust ends that has panicked? */
bool debug_panicked(struct debug *d, u32 status);

/* --- signals ---------------------------------------------------------------------------------- */

enum { DEBUG_SIGNALS = 65 };

const char *debug_signal_name(u32 number, char room[32]);
struct error *debug_signal_number(const char *name, u64 *ret); /* "" and all: ~0 */
/* The one at this moment: a fault with its code and address. */
char *debug_signal_text(struct debug *d, u32 number);
void debug_handle(struct debug *d, u32 signal, bool stops);

/* --- where one stands ------------------------------------------------------------------------- */

struct error *debug_symbols(struct debug *d, struct symbols **ret);
struct error *debug_frames(struct debug *d); /* d->frames is there then */
void debug_forget_frames(struct debug *d);
/* Looks at other frames than the thread's own, which are taken over. */
struct error *debug_take_frames(struct debug *d, struct unwinding *unwinding);
void debug_arrive(struct debug *d); /* after a movement: the thread and frame that matter */
const struct frame *debug_frame(struct debug *d); /* the selected; NULL: there is none */
/* The frame that is executing, or that the user chose: movements and registers are about that
 * one.  NULL: none. */
const struct frame *debug_real_frame(struct debug *d);
void debug_choose_frame(struct debug *d, size_t index);
void debug_choose_thread(struct debug *d, u32 thread);
/* How many frames there are to be shown, without what called main.  At least `least` of them
 * have been found, unless there are fewer; *ret_all (may be NULL): there are no more. */
size_t debug_shown_frames(struct debug *d, size_t least, bool *ret_all);
/* Of a thread: the innermost frame of the program, and the innermost of all. */
bool debug_thread_frames(struct debug *d, u32 thread, struct frame *ret_shown,
                         struct frame *ret_innermost);
/* The file that a line alone is in: what was listed, where one is, or where main is; NULL: none. */
char *debug_current_file(struct debug *d);
void debug_set_current_file(struct debug *d, const char *file, unsigned next_line);

/* Around looking at other moments: it returns to the same moment, thread and frame. */
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

struct error *debug_request(struct debug *d, struct values_request *ret); /* the selected frame */
struct error *debug_evaluation(struct debug *d, struct evaluation **ret);
/* For a request whose expressions may assign and call, in the copy of the process. */
const struct values_actions *debug_request_actions(void);
struct error *debug_integer(struct debug *d, const char *text, u64 *ret); /* an expression's */
/* Of an array or a struct: where it is. */
struct error *debug_address_of(struct debug *d, const char *expression, u64 *ret);

/* The copy of the process that calls and assignments change. */
struct debug_copy {
    bool told;                 /* what it is */
    bool changed;              /* by the user */
    bool flushed, never_flush; /* what the program had not written yet */
    u64 own_from, own_to;      /* memory that the program does not have */
    char *output;              /* of functions that were called since this was taken; NULL: none */
};

/* --- bookmarks and displays ------------------------------------------------------------------- */

struct debug_bookmark {
    char *name;
    u32 track;
    struct moment at;
};
/* Names this moment, or names it anew.  It is saved with the recording. */
struct error *debug_bookmark_add(struct debug *d, const char *name);
struct error *debug_bookmark_remove(struct debug *d, const char *name);
struct debug_bookmark *debug_bookmark_find(struct debug *d, const char *name);

struct debug_display {
    u32 number;
    char format;
    char *memory; /* the letters of `x`, if that shows it; NULL: `print` does */
    char *expression;
};

struct debug_display *debug_display_add(struct debug *d, char format, const char *expression);
bool debug_display_remove(struct debug *d, u64 number); /* 0: all; false: there is none */

/* Crosses a file or function as one operation, in every track; or enters it again. */
struct error *debug_skip(struct debug *d, const char *what, bool skip);

/* --- how long it takes ------------------------------------------------------------------------ */

/* The part of the run that a movement may have to go through. */
enum debug_course {
    COURSE_FORWARD,  /* all that is ahead */
    COURSE_BACKWARD, /* all that lies before */
    COURSE_TO,       /* the way to a moment that is known */
};

struct debug_motion {
    bool on;
    enum debug_course course;
    u64 origin;    /* tick */
    u64 done, all; /* ticks */
    double began;  /* seconds */
};

/* Around every operation that may take a while, so that the user can interrupt it. */
void debug_begin_moving(struct debug *d, enum debug_course course);
void debug_end_moving(struct debug *d);
/* From a signal handler or another thread: what moves ends, with WHY_INTERRUPTED. */
void debug_interrupt(void);
bool debug_interrupted(void); /* since something began to move */
/* For movements of a session that a client makes itself: debug_interrupt() ends what this one does.
 * NULL: nothing moves. */
void debug_attend(struct session *s);
/* For session_options.begun: it ends the way to the end of the track, too. */
void debug_moving_begun(void *context, struct session *s);
unsigned debug_motion_percent(const struct debug_motion *m);
char *debug_motion_words(const struct debug_motion *m); /* "0.32 of 1.5 billion ticks back to the
                                                         * start" */
double debug_motion_rest(const struct debug_motion *m); /* seconds, estimated; negative: not
                                                         * known */
double debug_seconds_now(void); /* of a clock that only goes on */

/* --- words ------------------------------------------------------------------------------------ */

struct error *debug_no_arguments(const char *args);
struct error *debug_count(const char *args, u64 *ret); /* empty: 1 */
struct error *debug_number(const char *args, const char *what, u64 *ret);
/* 300, 64K, 500M, 2G; seconds. */
struct error *debug_size(const char *text, u64 *ret);
struct error *debug_seconds(const char *text, double *ret);
struct error *debug_read_thread(const char *text, u32 *ret);
bool debug_take_word(const char **args, const char *word); /* and the blanks after it */
char *debug_next_word(const char **args); /* NULL: none */
/* Ends the text before the word; what follows it, or NULL. */
char *debug_cut_behind(char *text, const char *word);
void debug_strings_add(struct list *strings, const char *text);
void debug_strings_deinit(struct list *strings);

/* --- all of it -------------------------------------------------------------------------------- */

struct debug_settings {
    bool past_main; /* backtraces show what called main */
    u32 call_limit; /* seconds that a function may take which is called */
    struct show_settings show;
    bool is_keeping_set;
    struct session_keeping keeping; /* checkpoints, in every track */
};
/* How many checkpoints are kept, and where, from now on. */
void debug_keep(struct debug *d, const struct session_keeping *k);

struct debug {
    struct recording *rec;
    struct session *session;
    bool is_lent;             /* the session: it is not closed */
    struct source *source;
    struct history *history;  /* what was found out about values of this track */
    struct debug_client client;
    struct debug_settings settings;
    bool opens_early;         /* the track was not opened at its end: Ctrl-C came before */
    struct list due;          /* char *: commands of breakpoints that were hit, for the client to
                               * obey */

    u32 thread;               /* that is looked at: ordinal */
    /* Frames of the thread, as far as they were asked for; NULL: not yet. */
    struct unwinding *unwinding;
    struct frame *frames;
    size_t frame_count, selected;
    size_t main_sought;       /* so many of the frames have been asked whether they are main's */
    size_t frame_limit;       /* the frames that are shown end there: with main; ~0: not known to */
    struct moment frames_at;  /* what frames are of */
    u32 frames_thread;
    bool auto_selected;       /* ebb chose the frame: it is for looking at variables alone */
    char *list_file;          /* `list` goes on here */
    unsigned list_line;

    struct list breakpoints;  /* struct debug_breakpoint * */
    u32 last_breakpoint;
    u32 loader_breakpoint;    /* in the session: modules may have come; 0: none */
    u32 signal_breakpoints[DEBUG_SIGNALS];
    bool signal_stops[DEBUG_SIGNALS], signal_chosen[DEBUG_SIGNALS]; /* the latter: by the user */
    u32 followed_breakpoint;  /* that the last movement came to; 0: none */
    struct watch_answer followed;
    struct list lives;        /* struct debug_life */

    struct list displays;     /* struct debug_display */
    u32 last_display;
    struct list bookmarks;    /* struct debug_bookmark */
    struct list skips;        /* char * */
    struct list undo, redo;   /* struct moment */

    struct list rows;         /* struct moment: of the last table, of this track: */
    u32 rows_track;

    struct debug_motion motion;
    struct debug_copy copy;
    struct conveniences *conveniences; /* $1, $name */
    struct session_signal signal;      /* that is taken at this moment, if one is */
};

#endif
