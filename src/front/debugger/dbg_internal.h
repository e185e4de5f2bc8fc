/* The debugger's state, and what the files dbg*.c share.
 *
 * A command gets its row and the rest of the line. It answers with dbg_say() and, for readers of
 * JSON, dbg_field_*(). The answer is printed when the command has ended.
 *
 * src/debug does the work of commands; these files parse arguments and print results.
 */
#ifndef FRONT_DBG_INTERNAL_H
#define FRONT_DBG_INTERNAL_H

#include <regex.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/list.h"
#include "base/types.h"
#include "debug/debug.h"

struct dbg;

/* The kind of argument of a command, for completion. */
enum dbg_argument {
    TAKES_NOTHING, TAKES_COUNT, TAKES_LOCATION, TAKES_EXPRESSION, TAKES_COMMAND, TAKES_FILE,
    TAKES_WORD, /* one of `words` */
};

enum { MOVES = 1, REPEATS = 2 };

struct dbg_command {
    const char *name;
    const char *others;        /* other names, separated by blanks; "" */
    struct error *(*run)(struct dbg *d, const struct dbg_command *c, const char *args);
    int which;                 /* for the function: tells rows with the same function apart */
    u32 flags;
    enum dbg_argument argument;
    const char *words;
    const char *usage;
    const char *summary;       /* one sentence, without its capital letter and full stop */
    const char *more;          /* further help text */
    const char *examples;      /* one or two command lines, separated by a newline */
};

struct dbg_settings {
    u32 context;   /* lines shown before and after the current one */
    u32 listsize;
    bool colour, echo;
    enum dbg_frame_arguments {
        ARGUMENTS_SCALARS,
        ARGUMENTS_ALL,
        ARGUMENTS_NONE,
        ARGUMENTS_PRESENCE
    } frame_arguments;
    bool no_entry_values;
    bool att;       /* AT&T syntax for instructions */
};

/* A source of command lines. */
struct dbg_input {
    struct dbg_input *before;
    /* the caller frees the line; NULL: no more */
    char *(*next)(struct dbg_input *in, const char *prompt);
    FILE *file;
    void *context;
};

enum dbg_leaves { LEAVES_NOTHING, LEAVES_ROUND, LEAVES_LOOP };

struct dbg_answer {
    FILE *text, *fields;
    char *text_bytes, *field_bytes;
    size_t text_size, field_size;
    struct json json; /* writes to fields */
};

struct edit;
struct tui;

struct dbg {
    struct debug *debug;      /* the debugger; never NULL while commands are executed */
    bool json, quit, at_prompt;
    bool is_lent;             /* used by another front end, which shows the current place itself */
    bool failed;              /* some command failed */
    struct dbg_settings settings;
    struct dbg_input *input;
    struct dbg_answer answer;
    bool obeys_due;
    struct list user_commands; /* dbg_script.c */
    bool in_hook;
    unsigned loops;           /* nesting of `while` */
    int leaves;               /* enum dbg_leaves: which lines are skipped */
    unsigned searched, search_listed; /* the line that `search` found, and where `list` was then */
    u64 examine_next;         /* x: where it continues */
    i64 examine_count;        /* count of the last x; 0: there was none */
    char last_format, last_size; /* letters of the last print or x; 0: none yet */
    bool shows_motion;        /* progress is shown on the terminal */
    double motion_drawn;      /* seconds */
    struct edit *edit;        /* line editing; NULL: lines are not typed */
    struct tui *tui;          /* the full screen; NULL: there is only the prompt */
    struct list thread_names; /* struct dbg_thread_name */
};

/* By `thread name`. */
struct dbg_thread_name {
    u32 track, thread;
    char name[16];
};

/* dbg.c */
/* functions that add src/debug's messages to answers */
struct debug_client dbg_client(struct dbg *d);
const struct dbg_command *dbg_command_of(const char *line); /* NULL: there is none */
bool dbg_obey(struct dbg *d, const char *line); /* false: it failed */
bool dbg_obey_due(struct dbg *d);
struct error *dbg_run_line(struct dbg *d, const char *line); /* within another command */
/* Executes all lines, or with `stops` those up to the first that fails. */
struct error *dbg_read_input(struct dbg *d, struct dbg_input *in, bool stops);
struct error *dbg_source_file(struct dbg *d, const char *path, bool stops);
char *dbg_input_file_next(struct dbg_input *in, const char *prompt);

/* dbg_threads.c */
void dbg_thread_named(struct dbg *d, struct control_thread *t);
struct error *dbg_thread_name(struct dbg *d, const char *name);
struct error *dbg_thread_find(struct dbg *d, const char *text);
struct error *dbg_read_numbers(const char *args, const char *what, struct list *ret);
bool dbg_has_number(const struct list *numbers, u64 number);

/* dbg_answer.c */
void dbg_answer_begin(struct dbg *d);
void dbg_answer_end(struct dbg *d, const char *command, struct error *err); /* takes err */
void dbg_answer_flush(struct dbg *d); /* prints the text so far, except in JSON mode */
__attribute__((format(printf, 2, 3))) void dbg_say(struct dbg *d, const char *format, ...);
void dbg_colour(struct dbg *d, const char *code); /* an SGR code such as "1"; "": normal */
char *dbg_short_path(const struct dbg *d, const char *path); /* the caller frees it */
struct json *dbg_fields(struct dbg *d);
/* A field may occur only once: fields that a command added for one of several frames or threads are
 * removed. */
struct dbg_field_mark { long at; bool some; };
struct dbg_field_mark dbg_fields_mark(struct dbg *d);
void dbg_fields_take_back(struct dbg *d, struct dbg_field_mark mark);
char *dbg_capture(struct dbg *d, const char *line);
/* The same, with the error apart: *ret_failed is NULL or to be destroyed. */
char *dbg_capture_line(struct dbg *d, const char *line, struct error **ret_failed);

/* dbg_script.c */
struct error *dbg_define(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_document(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_alias(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_if(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_while(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_leave(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_show_user(struct dbg *d, const char *args);
/* Reads the lines up to the `end` of a block into `ret` (char *); *ret_else (may be NULL): how many
 * come before `else`. */
struct error *dbg_read_block(struct dbg *d, struct list *ret, size_t *ret_else);
/* False: the first `length` characters of the line are not a user command or alias. */
bool dbg_user_run(struct dbg *d, const char *line, size_t length, struct error **ret);
bool dbg_user_help(struct dbg *d, const char *name); /* false: there is none */
struct error *dbg_hook(struct dbg *d, const char *kind, const char *name);
void dbg_user_commands_deinit(struct dbg *d);

/* dbg_apply.c */
struct error *dbg_frame_apply(struct dbg *d, const char *args);
struct error *dbg_thread_apply(struct dbg *d, const char *args);
enum { APPLY_FRAMES, APPLY_THREADS, APPLY_BOTH };
struct error *dbg_apply_all(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_with(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_shell(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_pipe(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_directory(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_elsewhere.c */
/* Returns what to type instead of a gdb command; NULL: not known. */
const char *dbg_elsewhere(const char *name, size_t length);

/* dbg_break_more.c */
struct error *dbg_rbreak(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_clear(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_save(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_table.c */
const struct dbg_command *dbg_commands(size_t *ret_count);
struct error *dbg_find_command(const char *word, size_t length, const struct dbg_command **ret);

/* dbg_help.c */
struct error *dbg_help(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_apropos(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_help_words[]; /* arguments of help other than commands */

/* dbg_panic.c */
void dbg_say_panic(struct dbg *d, const struct debug_breakpoint *p);
/* Printed at the end of a Rust run with the exit status of a panic. */
void dbg_say_panic_hint(struct dbg *d, u32 status);

/* dbg_place.c */
void dbg_say_frame(struct dbg *d, size_t index, bool numbered);
void dbg_say_here(struct dbg *d);
void dbg_say_thread(struct dbg *d, u32 thread);
void dbg_json_place(struct dbg *d, struct json *j);
struct error *dbg_backtrace(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_frame(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_select_frame(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_thread(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_goroutine.c */
struct error *dbg_info_goroutines(struct dbg *d, const char *args);
struct error *dbg_goroutine(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_moves.c */
enum { MOVE_BACKWARD = 16 }; /* `which`: enum debug_move, and this */
struct error *dbg_move(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_advance(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_goto(struct dbg *d, const struct dbg_command *c, const char *args);
enum { UNDO, REDO };
struct error *dbg_undo(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_bookmark(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_track(struct dbg *d, const struct dbg_command *c, const char *args);
/* Makes a movement only to find where it would stop: prints nothing, and keeps nothing for undo. */
struct error *dbg_move_unseen(struct dbg *d, const struct dbg_command *c, const char *args);
/* `reason`: the reason was already printed; may be NULL. */
void dbg_say_stop(struct dbg *d, u32 thread_before, const char *reason,
                  const struct session_stop *stop);
void dbg_say_end(struct dbg *d);
void dbg_say_opened(struct dbg *d);

/* dbg_play.c */
struct error *dbg_play(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_progress.c: the functions of struct debug_client for long movements. */
void dbg_progress(void *context, const struct session_progress *p);
void dbg_progress_over(void *context);
unsigned dbg_terminal_width(void);
bool dbg_speaks_utf8(void);

/* dbg_cover.c */
void dbg_cover_say(struct dbg *d, const struct subject *s, const struct debug_cover *c);
void dbg_cover_json(struct json *j, const struct subject *s, const struct debug_cover *c);

/* dbg_until.c */
const char *dbg_goal_say(struct dbg *d, const struct debug_goal *g,
                         enum session_direction direction, const struct session_stop *stop);

/* dbg_ask.c */
struct error *dbg_ask(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_calls(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_answer_question(struct dbg *d, struct ask_question *q, int form, u64 most,
                                  bool whole_calls);
/* How a table is printed; a json prompt has its rows in the answer. */
enum dbg_form { FORM_TEXT, FORM_JSON, FORM_CSV };
/* A text in quotes, for CSV. */
void dbg_say_quoted(struct dbg *d, const char *text);
struct error *dbg_take_form(const char *args, int *form, char **ret_text);
/* Opens an object that begins with a moment and its thread. */
void ask_json_open(struct json *j, struct moment at, u32 thread);
void ask_json_row(struct json *j, const struct ask_row *row);
/* A table that is being printed has this many rows: now and then, what there is is shown. */
void dbg_table_flush(struct dbg *d, u64 rows);

/* dbg_profile.c */
struct error *dbg_profile(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_coverage(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_trace.c */
struct error *dbg_trace(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_output(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_events(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_history.c */
struct error *dbg_history(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_changes.c */
struct error *dbg_changes(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_plot.c */
void dbg_plot(struct dbg *d, struct subject *s, const struct history_answer *a);

/* dbg_watch.c */
struct error *dbg_watch(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_watch_say.c */
void dbg_watch_say(struct dbg *d, const struct debug_stop *s);
void dbg_say_values(struct dbg *d, const struct debug_breakpoint *p, const struct plan_hit *hit,
                    const char *what, const char *old, const char *new);
/* "by add at sum.c:48, thread 0, moment 9281:0x401136"; a field `by`.  The second as a line. */
void dbg_say_by(struct dbg *d, struct moment at, u32 thread, bool with_thread);
void dbg_say_doer(struct dbg *d, struct moment at, u32 thread);

/* dbg_break.c */
struct error *dbg_break(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_break_at(struct dbg *d, const struct debug_break_order *order);
enum { DO_DELETE, DO_DISABLE, DO_ENABLE };
struct error *dbg_breakpoints_change(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_condition(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ignore(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_breakpoint_commands(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_breakpoints(struct dbg *d, const char *args);
struct error *dbg_info_watches(struct dbg *d, const char *args);

/* dbg_catch.c */
struct error *dbg_catch(struct dbg *d, const struct dbg_command *c, const char *args);
void dbg_say_catch(struct dbg *d, const struct debug_breakpoint *p, u32 location,
                   const struct plan_hit *hit);

/* dbg_signals.c */
struct error *dbg_handle(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_signals(struct dbg *d, const char *args);
void dbg_say_signal(struct dbg *d, u32 number); /* the signal at this moment */
void dbg_say_faults(struct dbg *d); /* at the end: faults that the program handled, if any */

/* dbg_call.c */
/* at the end of a command: reports that a copy was made or dropped */
void dbg_say_copy(struct dbg *d, bool was_there);

/* dbg_print.c */
struct error *dbg_print(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_display(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_undisplay(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ptype(struct dbg *d, const struct dbg_command *c, const char *args);
/* Which variables of the selected frame are shown: parameters or locals, and those whose names and
 * types match; NULL: all. */
struct dbg_which_variables {
    bool parameters;
    bool quiet; /* nothing is said if there are none */
    const regex_t *name, *type;
};
/* One per line, indented by `indent`. */
struct error *dbg_variables(struct dbg *d, const struct dbg_which_variables *which,
                            const char *indent);
char *dbg_display_label(const struct debug_display *display); /* the caller frees it */
void dbg_say_displays(struct dbg *d);
/* Says which of several symbols was taken; NULL: nothing is printed. */
void dbg_say_note(struct dbg *d, const char *note);
/* evaluates for side effects */
struct error *dbg_evaluate_silently(struct dbg *d, const char *expression);
void dbg_say_arguments(struct dbg *d, size_t frame);
void dbg_say_returned(struct dbg *d, u64 function);
struct error *dbg_split_format(const char **args, char *room, size_t size);
struct error *dbg_output_value(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_print_settings.c */
struct error *dbg_set_print(struct dbg *d, const char *args);
struct error *dbg_show_print(struct dbg *d, const char *args);
/* Reads options of print, `-elements 3 -pretty --`, into `show`. */
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
struct error *dbg_info_auxv(struct dbg *d, const char *args);

/* dbg_find.c */
struct error *dbg_find(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_memory.c */
struct error *dbg_examine(struct dbg *d, const struct dbg_command *c, const char *args);
/* reads all bytes, or returns false */
bool dbg_memory_read(struct dbg *d, u64 address, void *to, size_t size);
/* Sets `$_` to its address. */
void dbg_note_examined(struct value *value);

/* dbg_disassemble.c */
void dbg_say_symbol(struct dbg *d, u64 address);
/* The pc of the selected frame. */
u64 dbg_pc(struct dbg *d);
/* Returns its length; 0: there is no instruction. */
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
struct error *dbg_search(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_source.c */
void dbg_say_source(struct dbg *d, const char *file, unsigned line, unsigned before,
                    unsigned after);
struct error *dbg_skip(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_set(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_show(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_source(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_quit(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_setting_words[];

/* dbg_complete.c: returns what Tab appends to the line, which the caller frees. *ret_choices, which
 * the caller frees, is NULL or the possible words in columns. */
char *dbg_complete_tab(struct dbg *d, const char *line, unsigned width, char **ret_choices);

/* dbg_wait.c: waits for a key. Ctrl-C is reported once; dbg_wait_calm() clears it. */
enum dbg_wake {
    WAKE_KEY,
    WAKE_INTERRUPT,
    WAKE_CHANGED, /* the terminal's size may have changed */
    WAKE_GONE,
};
void dbg_wait_begin(void);
void dbg_wait_end(void);
void dbg_wait_calm(void);
enum dbg_wake dbg_wait(struct dbg *d);
/* Waits until the time (of debug_seconds_now()), Ctrl-C or, on the full screen, a key, which is
 * consumed. */
enum dbg_pause { PAUSE_OVER, PAUSE_INTERRUPTED, PAUSE_KEY };
enum dbg_pause dbg_pause(struct dbg *d, double until);

/* dbg_edit.c */
struct dbg_input *dbg_edit_open(struct dbg *d);
void dbg_edit_close(struct dbg_input *in);
/* For a line that was typed elsewhere: returns the command, which the caller frees, and adds the
 * line to the history. An empty line is the last command again. */
char *dbg_edit_take(struct dbg *d, const char *text, const char *prompt);
void dbg_edit_note(struct dbg *d, const char *line); /* makes it the last command */
/* an entry of the history, 0 is the newest; NULL: none */
const char *dbg_edit_recall(struct dbg *d, size_t back);

/* dbg_tui.c: the full screen. While d->tui is set, lines come from it, and it shows the output. */
struct error *dbg_layout(struct dbg *d, const struct dbg_command *c, const char *args);
char *dbg_tui_next(struct dbg *d, const char *prompt);
void dbg_tui_close(struct dbg *d);
void dbg_tui_progress(struct dbg *d, const struct session_progress *p);
void dbg_tui_show(struct dbg *d); /* redraws what has changed, in the middle of a command */
void dbg_tui_help(struct dbg *d);

#endif
