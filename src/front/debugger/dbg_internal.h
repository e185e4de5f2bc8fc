/* The debugger's state, and what the files dbg*.c share.
 *
 * A command gets its row and the rest of the line.  It says what it has to say with dbg_say() and,
 * for those who read JSON, dbg_field_*(); the answer is printed when it has ended.
 *
 * Invariants
 *   (1) d->session and d->source are of one track and always there.
 *   (2) d->frames is NULL or what is true of d->thread at this moment.
 *   (3) Numbers of breakpoints are the user's; each has locations, which are breakpoints of the session.
 */
#ifndef FRONT_DBG_INTERNAL_H
#define FRONT_DBG_INTERNAL_H

#include <stdio.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/list.h"
#include "base/types.h"
#include "log/recording.h"
#include "query/followed.h"
#include "query/subject.h"
#include "session/session.h"
#include "session/source.h"
#include "symbols/values.h"

struct dbg;

/* What follows a command, for completion. */
enum dbg_argument {
    TAKES_NOTHING, TAKES_COUNT, TAKES_LOCATION, TAKES_EXPRESSION, TAKES_COMMAND, TAKES_FILE,
    TAKES_WORD, /* one of `words` */
};

enum { MOVES = 1, REPEATS = 2 };

struct dbg_command {
    const char *name;
    const char *others;        /* other names, with a blank between them; "" */
    struct error *(*run)(struct dbg *d, const struct dbg_command *c, const char *args);
    int which;                 /* the command's own: what rows of one function differ by */
    u32 flags;
    enum dbg_argument argument;
    const char *words;
    const char *usage, *summary;
    const char *more;          /* the long help, with an example */
};

enum dbg_breakpoint_type {
    BREAKPOINT_BREAK, BREAKPOINT_STORE, BREAKPOINT_LOAD, BREAKPOINT_ACCESS, BREAKPOINT_SYSCALL, BREAKPOINT_SIGNAL, BREAKPOINT_FORK,
    BREAKPOINT_EXEC, BREAKPOINT_EXIT,
};

struct dbg_location {
    u64 address;
    u32 number; /* in the session */
    u32 inside; /* functions that are inlined there into the one that it is a breakpoint on */
    /* END and BEGINNING: of the frame of a watchpoint; RETURN: of a system call. */
    enum { LOCATION_OF_DATA, LOCATION_OF_END, LOCATION_OF_BEGINNING, LOCATION_OF_RETURN } role;
};

struct dbg_watch {
    struct subject *subject;
    struct subject *condition; /* NULL: none */
    u8 *code;                  /* the condition, compiled; NULL: it is looked at */
    size_t code_size;
    bool any_store;            /* of the same value, too */
    bool follows;              /* has no data site, but questions */
    struct moment alive_from, alive_to; /* the frame of a local is known to live in between */
    struct moment begin, end;  /* of the frame; tick 0: not known */
};

struct dbg_breakpoint {
    u32 number;
    u32 type;           /* enum dbg_breakpoint_type */
    bool temporary, disabled, pending;
    bool is_panic;      /* of `catch panic` */
    bool checks_here;   /* the condition could not be compiled: it is looked at at each stop */
    bool has_failed;    /* it led nowhere once, and that was said */
    char *what;         /* the location, expression or name, as the user said it */
    char *condition;    /* NULL: none */
    char *file;         /* context of a location: the line it was said at; may be NULL */
    unsigned line;
    struct list numbers; /* u64: of calls or signals; ~0: any; of a fork or an exec one is enough */
    struct dbg_watch *watch; /* of data; NULL: of something else */
    u32 thread;
    u64 ignore, hits;
    struct list locations;    /* struct dbg_location */
    struct list commands; /* char * */
    u32 version;        /* of the symbols that it was looked up in */
};

struct dbg_bookmark {
    char *name;
    u32 track;
    struct moment at;
};

struct dbg_display {
    u32 number;
    char format;
    char *expression;
};

enum { DBG_SIGNALS = 65 };

struct dbg_settings {
    u32 context;   /* lines shown around the place, each side */
    u32 listsize;
    bool colour, echo;
    bool past_main; /* backtraces show what called main */
    u32 call_limit; /* seconds that a function may take which is called */
    struct show_settings show;
    enum dbg_frame_arguments { ARGUMENTS_SCALARS, ARGUMENTS_ALL, ARGUMENTS_NONE, ARGUMENTS_PRESENCE } frame_arguments;
    bool no_entry_values;
    bool att;       /* how instructions are written */
};

/* The copy of the process that calls and assignments change: dbg_call.c. */
struct dbg_copy {
    bool told;                 /* what it is */
    bool changed;              /* by the user */
    bool flushed, never_flush; /* what the program had not written yet */
    u64 own_from, own_to;      /* memory that the program does not have */
    char *output;              /* of functions that this command called; NULL: none */
};

/* Where lines come from. */
struct dbg_input {
    struct dbg_input *before;
    char *(*next)(struct dbg_input *in, const char *prompt); /* to be freed; NULL: no more */
    FILE *file;
    void *context;
};

struct dbg_answer {
    FILE *text, *fields;
    char *text_bytes, *field_bytes;
    size_t text_size, field_size;
    struct json json; /* writes to fields */
};

/* What a movement may have to go through. */
enum dbg_course {
    COURSE_FORWARD,  /* all that is ahead */
    COURSE_BACKWARD, /* all that is behind */
    COURSE_TO,       /* the way to a moment that is known */
};

struct dbg_motion {
    bool on, shown;
    enum dbg_course course;
    u64 origin;          /* tick */
    u64 done, all;       /* ticks */
    double began, drawn; /* seconds */
};

/* When a frame began; it lives at alive_to. */
struct dbg_life {
    u32 thread;
    u64 cfa;
    struct moment begin, call, alive_to;
};

struct edit;
struct tui;

struct dbg {
    struct recording *rec;
    struct session *session;
    struct source *source;
    struct history *history;  /* what was found out about values of this track */
    bool json, quit, at_prompt;
    bool failed;              /* some command did not work */
    bool opens_early;         /* the track was not opened at its end: Ctrl-C came before */
    struct dbg_settings settings;
    struct dbg_input *input;
    struct dbg_answer answer;
    struct list due;          /* char *: commands of the breakpoint that was hit */
    bool obeys_due;
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
    u64 examine_next;         /* x: where it goes on */
    i64 examine_count;        /* of the last one; 0: there was none */
    char last_format, last_size; /* letters; of print and x; 0: none yet */
    struct list breakpoints;  /* struct dbg_breakpoint * */
    u32 last_breakpoint;
    u32 loader_breakpoint;          /* in the session: modules may have come; 0: none */
    u32 signal_breakpoints[DBG_SIGNALS];
    bool signal_stops[DBG_SIGNALS], signal_chosen[DBG_SIGNALS]; /* the latter: by the user */
    struct list displays;     /* struct dbg_display */
    u32 last_display;
    struct list bookmarks, skips; /* struct dbg_bookmark; char * */
    struct list undo, redo;   /* struct moment */
    struct list lives;        /* struct dbg_life */
    u32 followed_breakpoint;       /* that the last movement came to; 0: none */
    struct followed_answer followed;
    struct dbg_motion motion;
    struct dbg_copy copy;
    struct conveniences *conveniences; /* $1, $name */
    struct session_signal signal;      /* that is taken at this moment, if one is */
    struct edit *edit;        /* lines are typed; NULL: they are not */
    struct tui *tui;          /* the screen; NULL: there is only the prompt */
};

/* dbg.c */
struct error *dbg_open_track(struct dbg *d, u32 track, bool at_start);
void dbg_deinit(struct dbg *d);
bool dbg_obey(struct dbg *d, const char *line); /* false: it did not work */
bool dbg_obey_due(struct dbg *d);
struct error *dbg_run_line(struct dbg *d, const char *line); /* within another command */
struct error *dbg_read_input(struct dbg *d, struct dbg_input *in);
struct error *dbg_source_file(struct dbg *d, const char *path);
char *dbg_input_file_next(struct dbg_input *in, const char *prompt);
void dbg_strings_deinit(struct list *strings);
void dbg_strings_add(struct list *strings, const char *text);

/* dbg_answer.c */
void dbg_answer_begin(struct dbg *d);
void dbg_answer_end(struct dbg *d, const char *command, struct error *err); /* takes err */
void dbg_answer_flush(struct dbg *d); /* prints the text so far, unless it is for JSON */
__attribute__((format(printf, 2, 3))) void dbg_say(struct dbg *d, const char *format, ...);
void dbg_colour(struct dbg *d, const char *code); /* an SGR code such as "1"; "": back to normal */
char *dbg_short_path(const struct dbg *d, const char *path); /* to be freed */
struct json *dbg_fields(struct dbg *d);
/* A field is there once: what a command adds for each of several frames or threads is taken back. */
struct dbg_field_mark { long at; bool some; };
struct dbg_field_mark dbg_fields_mark(struct dbg *d);
void dbg_fields_take_back(struct dbg *d, struct dbg_field_mark mark);
char *dbg_capture(struct dbg *d, const char *line); /* what a command says: to be freed */

/* dbg_table.c */
const struct dbg_command *dbg_commands(size_t *ret_count);
struct error *dbg_find_command(const char *word, size_t length, const struct dbg_command **ret);

/* dbg_help.c */
struct error *dbg_help(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_help_words[]; /* what it is given besides commands */

/* dbg_words.c */
struct error *dbg_no_arguments(const char *args);
struct error *dbg_count(const char *args, u64 *ret); /* empty: 1 */
struct error *dbg_number(const char *args, const char *what, u64 *ret);
bool dbg_take_word(const char **args, const char *word); /* and the blanks behind it */
char *dbg_next_word(const char **args); /* to be freed; NULL: none */
char *dbg_cut_behind(char *text, const char *word); /* ends it before the word; what is behind, or NULL */

/* dbg_panic.c */
struct error *dbg_panic_location(struct dbg *d, char **ret); /* of rust_panic; to be freed */
void dbg_say_panic(struct dbg *d, const struct dbg_breakpoint *p);
/* The frame of the program in which a panic that is under way began; false: none is. */
bool dbg_panic_frame(const struct dbg *d, size_t *ret);
/* At the end of a run of Rust that has the status of a panic. */
void dbg_say_panic_hint(struct dbg *d, u32 status);

/* dbg_place.c */
struct error *dbg_symbols(struct dbg *d, struct symbols **ret);
struct error *dbg_frames(struct dbg *d);
void dbg_forget_frames(struct dbg *d);
/* Looks at other frames than the thread's own, which are taken over. */
struct error *dbg_take_frames(struct dbg *d, struct unwinding *unwinding);
void dbg_arrive(struct dbg *d);          /* after a movement: the thread and frame that matter */
const struct frame *dbg_frame(struct dbg *d); /* the selected; NULL: there is none */
struct error *dbg_request(struct dbg *d, struct values_request *ret); /* the selected frame */
struct error *dbg_evaluation(struct dbg *d, struct evaluation **ret);
void dbg_say_frame(struct dbg *d, size_t index, bool numbered);
void dbg_say_here(struct dbg *d);
/* How many frames there are to be shown, without what called main.  At least `least` of them
 * have been found, unless there are fewer; *ret_all (may be NULL): there are no more. */
size_t dbg_shown_frames(struct dbg *d, size_t least, bool *ret_all);
/* The frame that is executing, or that the user chose: movements and registers are about that
 * one.  NULL: none. */
const struct frame *dbg_real_frame(struct dbg *d);
/* Of a thread: the innermost frame of the program, and the innermost of all. */
bool dbg_thread_frames(struct dbg *d, u32 thread, struct frame *ret_shown, struct frame *ret_innermost);
void dbg_say_thread(struct dbg *d, u32 thread);
void dbg_json_place(struct dbg *d, struct json *j);
struct error *dbg_backtrace(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_frame(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_thread(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_goroutine.c */
struct error *dbg_info_goroutines(struct dbg *d, const char *args);
struct error *dbg_goroutine(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_moves.c */
enum dbg_move { MOVE_STEP, MOVE_NEXT, MOVE_CONTINUE, MOVE_FINISH, MOVE_STEPI, MOVE_NEXTI, MOVE_UNTIL,
                MOVE_OUT, MOVE_FIRST, MOVE_BACKWARD = 16 };
struct error *dbg_move(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_goto(struct dbg *d, const struct dbg_command *c, const char *args);
enum { UNDO, REDO };
struct error *dbg_undo(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_bookmark(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_track(struct dbg *d, const struct dbg_command *c, const char *args);
/* One statement, with calls stepped over or not: nothing is said, and nothing kept for undo. */
struct error *dbg_move_quietly(struct dbg *d, bool over, enum session_direction direction,
                               struct session_stop *ret);
/* A movement that only finds out where it would stop: the same. */
struct error *dbg_move_unseen(struct dbg *d, const struct dbg_command *c, const char *args);
void dbg_moves_moved(struct dbg *d, struct moment before); /* for undo */
struct error *dbg_check_running(struct dbg *d); /* an error if another thread is looked at */
/* `reason`: it has been said why already; may be NULL. */
void dbg_say_stop(struct dbg *d, u32 thread_before, const char *reason, const struct session_stop *stop);
void dbg_say_end(struct dbg *d);
void dbg_say_opened(struct dbg *d);
struct error *dbg_find_moment(struct dbg *d, const char *words, struct moment *ret);

/* dbg_play.c */
struct error *dbg_play(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_progress.c: around whatever may take a while, so that it can be interrupted, and is shown. */
void dbg_begin_moving(struct dbg *d, enum dbg_course course);
void dbg_moving_begun(void *context, struct session *s); /* of session_options */
void dbg_end_moving(struct dbg *d);
void dbg_interrupt(void); /* from a signal handler */
bool dbg_interrupted(void);
void dbg_progress(void *context, const struct session_progress *p);
unsigned dbg_motion_percent(const struct dbg_motion *m);
char *dbg_motion_words(const struct dbg_motion *m); /* to be freed */
double dbg_seconds_now(void); /* of a clock that only goes on */
unsigned dbg_terminal_width(void);
bool dbg_speaks_utf8(void);

/* dbg_subject.c: an expression in the frame that is looked at.  The first refuses what cannot change or is not known here. */
struct error *dbg_subject(struct dbg *d, const char *text, struct subject **ret);
struct error *dbg_subject_over_time(struct dbg *d, const char *text, struct subject **ret);
/* -l EXPRESSION: the memory that it means now; or -l ADDRESS LENGTH. */
struct error *dbg_subject_location(struct dbg *d, const char *text, struct subject **ret);

/* dbg_cover.c */
struct dbg_cover {
    struct moment from, to; /* set to what is asked about; of a local, dbg_cover() leaves its life */
    bool from_call, from_write, to_return; /* what bounds it: its frame */
    bool from_here, to_here;
    bool is_unwritten;      /* a local that its frame does not write */
    bool interrupted;
    struct moment call;     /* of a local: the instruction that called its function */
    struct plan_hit write;  /* from_write: the first */
};
/* `alive`: a moment at which its frame lives.  Where that ends is looked for only if it is asked. */
struct error *dbg_cover(struct dbg *d, const struct subject *s, struct moment alive, bool to_end,
                        struct dbg_cover *c);
bool dbg_cover_is_empty(const struct dbg_cover *c);
void dbg_cover_say(struct dbg *d, const struct subject *s, const struct dbg_cover *c);
void dbg_cover_json(struct json *j, const struct subject *s, const struct dbg_cover *c);
char *dbg_cover_text(const struct dbg *d, const struct subject *s, const struct dbg_cover *c);
char *dbg_cover_call(const struct subject *s);
char *dbg_keeping(struct dbg *d, const struct subject *s);
char *dbg_subject_frame(const struct subject *s);

/* dbg_until.c */
struct dbg_goal; /* a condition or a value that one moves to */
struct error *dbg_read_goal(struct dbg *d, const char *text, u64 **ret_pcs, size_t *ret_count,
                            struct dbg_goal **ret); /* a location, or it */
void dbg_goal_destroy(struct dbg_goal *g); /* accepts NULL */
struct error *dbg_goal_go(struct dbg *d, struct dbg_goal *g, enum session_direction direction,
                          struct session_stop *stop);
struct error *dbg_goal_first(struct dbg *d, struct dbg_goal *g, struct session_stop *stop);
const char *dbg_goal_say(struct dbg *d, const struct dbg_goal *g, enum session_direction direction,
                         const struct session_stop *stop);

/* dbg_history.c */
struct error *dbg_history(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_changes.c */
struct error *dbg_changes(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_plot.c */
void dbg_plot(struct dbg *d, struct subject *s, const struct history_answer *a);

/* dbg_watch.c */
struct error *dbg_watch(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_watch_condition(struct dbg *d, struct dbg_breakpoint *p); /* has another */
struct error *dbg_watch_settle(struct dbg *d, struct dbg_breakpoint *p);
u32 dbg_watch_kind(const struct dbg_breakpoint *p); /* enum plan_site_kind */
void dbg_watch_destroy(struct dbg_watch *w);   /* accepts NULL */
void dbg_watches_moved(struct dbg *d);
void dbg_watches_rebind(struct dbg *d);
struct error *dbg_integer(struct dbg *d, const char *text, u64 *ret); /* an expression's */

/* dbg_watch_say.c */
const char *dbg_watch_say(struct dbg *d, struct dbg_breakpoint *p, u32 location, const struct plan_hit *hit);
void dbg_say_values(struct dbg *d, const struct dbg_breakpoint *p, const struct plan_hit *hit,
                    const char *what, const char *old, const char *new);
void dbg_say_doer(struct dbg *d, struct moment at, u32 thread);

/* dbg_follow.c */
bool dbg_follows(const struct dbg *d);
struct error *dbg_follow_continue(struct dbg *d, enum session_direction direction,
                                  struct session_stop *stop);
struct error *dbg_follow_between(struct dbg *d, struct moment from, struct session_stop *stop);
const char *dbg_followed_say(struct dbg *d);
void dbg_followed_forget(struct dbg *d);

/* dbg_breakpoints.c */
struct error *dbg_breakpoints_settle(struct dbg *d); /* before something moves */
void dbg_breakpoints_forget(struct dbg *d);          /* another session */
void dbg_breakpoints_deinit(struct dbg *d);
struct dbg_breakpoint *dbg_breakpoints_find(struct dbg *d, u32 number);
struct dbg_breakpoint *dbg_breakpoints_of_location(struct dbg *d, u32 location);
struct dbg_breakpoint *dbg_breakpoints_add(struct dbg *d, u32 type, const char *what);
void dbg_breakpoints_remove(struct dbg *d, struct dbg_breakpoint *p);
struct error *dbg_breakpoint_resolve(struct dbg *d, struct dbg_breakpoint *p);
void dbg_breakpoint_unsettle(struct dbg *d, struct dbg_breakpoint *p);
struct code_place dbg_location_place(const struct dbg_location *location);
/* dbg_arrive() where the movement stopped: at a breakpoint on a function one stands in that
 * function. */
void dbg_breakpoints_arrive(struct dbg *d, const struct session_stop *stop);
struct error *dbg_breakpoint_holds(struct dbg *d, struct dbg_breakpoint *p, bool *ret);

/* dbg_break.c */
struct error *dbg_break(struct dbg *d, const struct dbg_command *c, const char *args);
/* The location, with an address as the number that it is now; to be freed. */
struct error *dbg_fixed_location(struct dbg *d, const char *text, char **ret);
struct error *dbg_read_thread(const char *text, u32 *ret);
enum { DO_DELETE, DO_DISABLE, DO_ENABLE };
struct error *dbg_breakpoints_change(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_condition(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ignore(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_breakpoint_commands(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_breakpoints(struct dbg *d, const char *args);
struct error *dbg_info_watches(struct dbg *d, const char *args);
struct error *dbg_break_add(struct dbg *d, const char *what, const char *condition,
                            const char *thread, bool temporary);
void dbg_break_take_back(struct dbg *d, struct dbg_breakpoint *p);

/* dbg_catch.c */
struct error *dbg_catch(struct dbg *d, const struct dbg_command *c, const char *args);
const char *dbg_call_name(u64 number, char room[32]);
void dbg_say_catch(struct dbg *d, const struct dbg_breakpoint *p, u32 location,
                   const struct plan_hit *hit);

/* dbg_signals.c */
void dbg_default_signals(struct dbg *d); /* of a track that has just been opened */
const char *dbg_signal_name(u32 number, char room[32]);
struct error *dbg_signal_number(const char *name, u64 *ret); /* "" and all: ~0 */
struct error *dbg_handle(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_signals(struct dbg *d, const char *args);
void dbg_say_signal(struct dbg *d, u32 number); /* the one at this moment */
void dbg_say_faults(struct dbg *d); /* at the end: those that the program handled, if any */

/* dbg_call.c */
extern const struct values_actions dbg_actions;
/* at the end of a command: that there is a copy, or no more */
void dbg_say_copy(struct dbg *d, bool was_there);

/* dbg_print.c */
struct error *dbg_print(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_display(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_undisplay(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ptype(struct dbg *d, const struct dbg_command *c, const char *args);
/* Each on a line, behind `indent`. */
struct error *dbg_variables(struct dbg *d, bool parameters, const char *indent);
char *dbg_display_label(const struct dbg_display *display); /* to be freed */
void dbg_say_displays(struct dbg *d);
/* Which of several symbols a name was taken for; NULL: nothing is said. */
void dbg_say_note(struct dbg *d, const char *note);
struct error *dbg_evaluate_silently(struct dbg *d, const char *expression); /* for its effect */
void dbg_say_arguments(struct dbg *d, size_t frame);
void dbg_say_returned(struct dbg *d, u64 function);
struct error *dbg_split_format(const char **args, char *room, size_t size);
struct error *dbg_output(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_print_settings.c */
struct error *dbg_set_print(struct dbg *d, const char *args);
struct error *dbg_show_print(struct dbg *d, const char *args);
/* `-elements 3 -pretty --` at the beginning of what print is given, into `show`. */
struct error *dbg_print_options(const char **args, struct show_settings *show);
extern const char dbg_print_words[];

/* dbg_printf.c */
struct error *dbg_printf(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_echo(struct dbg *d, const struct dbg_command *c, const char *args);
size_t dbg_argument_length(const char *text); /* up to a comma between expressions, or the end */

/* dbg_names.c */
struct error *dbg_info_functions(struct dbg *d, const char *args);
struct error *dbg_info_variables(struct dbg *d, const char *args);
struct error *dbg_info_types(struct dbg *d, const char *args);
struct error *dbg_info_proc(struct dbg *d, const char *args);

/* dbg_find.c */
struct error *dbg_find(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_memory.c */
struct error *dbg_address_of(struct dbg *d, const char *expression, u64 *ret);
struct error *dbg_examine(struct dbg *d, const struct dbg_command *c, const char *args);
bool dbg_memory_read(struct dbg *d, u64 address, void *to, size_t size); /* all of it, or false */
/* `$_` is its address. */
void dbg_note_examined(struct value *value);

/* dbg_disassemble.c */
void dbg_say_symbol(struct dbg *d, u64 address);
/* Of the frame that is looked at. */
u64 dbg_pc(struct dbg *d);
/* Its length; 0: there is none. */
size_t dbg_say_instruction(struct dbg *d, u64 at, bool with_bytes);
struct error *dbg_disassemble(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_about.c */
struct error *dbg_info_line(struct dbg *d, const char *args);
struct error *dbg_info_source(struct dbg *d, const char *args);
struct error *dbg_info_symbol(struct dbg *d, const char *args);
struct error *dbg_info_address(struct dbg *d, const char *args);
struct error *dbg_info_scope(struct dbg *d, const char *args);

/* dbg_info.c */
struct error *dbg_info(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_info_words[];

/* dbg_list.c */
struct error *dbg_list(struct dbg *d, const struct dbg_command *c, const char *args);
/* Of which a line alone is meant: what was listed, where one is, or where main is; to be freed; NULL: none. */
char *dbg_current_file(struct dbg *d);

/* dbg_source.c */
void dbg_say_source(struct dbg *d, const char *file, unsigned line, unsigned before, unsigned after);
struct error *dbg_skip(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_set(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_show(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_source(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_quit(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_setting_words[];

/* dbg_complete.c: what Tab puts behind the line, to be freed.  *ret_choices, to be freed, is NULL or the words it could become, in
 * columns. */
char *dbg_complete_tab(struct dbg *d, const char *line, unsigned width, char **ret_choices);

/* dbg_wait.c: until a key was struck; Ctrl-C is told once, and forgotten by dbg_wait_calm(). */
enum dbg_wake { WAKE_KEY, WAKE_INTERRUPT, WAKE_CHANGED /* the terminal: look at its size */, WAKE_GONE };
void dbg_wait_begin(void);
void dbg_wait_end(void);
void dbg_wait_calm(void);
enum dbg_wake dbg_wait(struct dbg *d);
/* Until the time of dbg_seconds_now(), or until Ctrl-C, or, on the full screen, a key, which is gone then. */
enum dbg_pause { PAUSE_OVER, PAUSE_INTERRUPTED, PAUSE_KEY };
enum dbg_pause dbg_pause(struct dbg *d, double until);

/* dbg_edit.c */
struct dbg_input *dbg_edit_open(struct dbg *d);
void dbg_edit_close(struct dbg_input *in);
/* For a line that was typed elsewhere: what it stands for, to be freed.  It goes into the history; an empty one is the last
 * command again. */
char *dbg_edit_take(struct dbg *d, const char *text, const char *prompt);
void dbg_edit_note(struct dbg *d, const char *line); /* it becomes the last command */
const char *dbg_edit_recall(struct dbg *d, size_t back); /* of the history, 0 the newest; NULL: none */

/* dbg_tui.c: the full screen.  While d->tui is there, lines come from it, and what is printed is shown by it. */
struct error *dbg_layout(struct dbg *d, const struct dbg_command *c, const char *args);
char *dbg_tui_next(struct dbg *d, const char *prompt);
void dbg_tui_close(struct dbg *d);
void dbg_tui_progress(struct dbg *d, const struct session_progress *p);
void dbg_tui_show(struct dbg *d); /* what has changed, in the midst of a command */
void dbg_tui_help(struct dbg *d);

#endif
